"""What agents with a long training on tasks share: tasks to learn from, checkpoints, phases."""

from __future__ import annotations

import hashlib
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from topple.phyre.engine_hash import engine_hash
from topple.phyre.phases import Training
from topple.phyre.scene.codec import fingerprint
from topple.phyre.task import Task
from topple.runs.agent import UNSAVED, Report, TrainingOptions
from topple.runs.checkpoint import CheckpointError, check_settings, read_state, write_state
from topple.runs.settings import settings_of

if TYPE_CHECKING:
    from typing_extensions import Self


def chosen_tasks(training: Training, count: int) -> list[Task]:
    """So many training tasks, evenly spaced in their order; 0: all of them."""
    every = len(training.tasks)
    if not 0 < count < every:
        return list(training.tasks)
    return [training.tasks[number * every // count] for number in range(count)]


def data_digest(tasks: Sequence[Task], actions: int) -> str:
    """A hash of the training data: the first listed actions on these tasks."""
    text = f"{engine_hash()} {actions} {' '.join(str(task.id) for task in tasks)} "
    text += fingerprint(task.scene for task in tasks)
    return hashlib.blake2b(text.encode(), digest_size=8).hexdigest()


@dataclass(frozen=True, eq=False)
class Checkpoint:
    """The state of training."""

    kind: ClassVar[str]

    settings: dict[str, Any]  # of the agent
    run: dict[str, Any]  # what it was trained for, see RunConfig.to_data; may be empty
    data: str  # digest of the training tasks, actions and engine
    action_size: int
    seed: int
    done: int  # updates made
    planned: int  # updates the learning rate is planned for
    simulator_calls: int  # during training
    network: dict[str, Any]
    optimizer: dict[str, Any]

    @classmethod
    def read(cls, path: Path) -> Self:
        """Read a checkpoint into the memory of the host.

        Raises:
            CheckpointError: The file is missing, damaged, or something else.
        """
        return cls(**read_state(path, cls.kind, {item.name for item in fields(cls)}))

    @classmethod
    def resume(
        cls, path: Path | None, agent: object, names: Iterable[str], digest: str, seed: int
    ) -> Self | None:
        """Read the state that a training goes on from, if there is one.

        Args:
            path: its file, if the training is saved at all.
            agent: the agent to be trained.
            names: its settings that cannot be changed after training.
            digest: of the training data.
            seed: of the training.

        Raises:
            CheckpointError: The file cannot be used, or is of other settings, data or another seed.
        """
        if path is None or not path.exists():
            return None
        found = cls.read(path)
        # The number of updates is the planned one.
        fixed = [name for name in names if name != "updates"]
        check_settings(found.settings, {name: getattr(agent, name) for name in fixed})
        found.check_data(digest, seed)
        return found

    @classmethod
    def finished(cls, path: Path, agent: object, names: Iterable[str]) -> Self:
        """Read a finished training, and give an agent the settings that it was trained with.

        Raises:
            CheckpointError: The file cannot be used, or its training was not finished.
        """
        found = cls.read(path)
        if not found.is_finished:
            raise CheckpointError(
                f"{path} has {found.done} of {found.planned} updates; finish it with `topple train`"
            )
        for name in names:
            if name in found.settings:
                setattr(agent, name, found.settings[name])
        return found

    def write(self, path: Path) -> None:
        """Write a checkpoint, in the place of an earlier one."""
        # Field by field: asdict would copy the weights.
        write_state(path, self.kind, {item.name: getattr(self, item.name) for item in fields(self)})

    @property
    def is_finished(self) -> bool:
        """Whether all planned updates were made."""
        return self.done >= self.planned

    def count_in(self, training: Training) -> None:
        """Count what the training took as if it had been done just now."""
        training.simulator_calls += self.simulator_calls

    def check_data(self, digest: str, seed: int | None = None) -> None:
        """Refuse other training data, and another seed where one is given."""
        if self.data != digest:
            raise CheckpointError(
                "the checkpoint was trained on other tasks, actions or another engine; use the "
                "setup, fold and part it was trained for, or train again"
            )
        if seed not in (None, self.seed):
            raise CheckpointError("the checkpoint is of another seed; use another folder")


class TaskLearner(ABC):
    """An agent with a long training on tasks; a dataclass with its settings."""

    __dataclass_fields__: ClassVar[dict[str, Any]]
    actions: int
    tasks: int
    _finished: Checkpoint | None

    @property
    def settings(self) -> dict[str, Any]:
        """All settings, by name."""
        return settings_of(self)

    def train(self, training: Training) -> None:
        """Make all updates, unless a finished checkpoint was loaded."""
        if self._finished is not None:
            self._finished.check_data(self._digest(chosen_tasks(training, self.tasks)))
            self._finished.count_in(training)
            return
        for _ in self.learn(training):
            pass

    @abstractmethod
    def learn(self, training: Training, options: TrainingOptions = UNSAVED) -> Iterator[Report]:
        """Make the remaining updates, with a report every few seconds."""

    def _digest(self, tasks: Sequence[Task]) -> str:
        """A hash of the training data."""
        return data_digest(tasks, self.actions)
