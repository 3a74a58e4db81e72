"""Checkpoints of DQN: everything that goes on where training was stopped."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from torch import nn

from topple.phyre.engine_hash import engine_hash
from topple.phyre.scene.codec import fingerprint
from topple.phyre.task import Task
from topple.runs.checkpoint import CheckpointError, read_state, write_state

_FORMAT = "topple dqn 1"


@dataclass(frozen=True, eq=False)
class Checkpoint:
    """The state of training."""

    settings: dict[str, Any]  # of the agent
    run: dict[str, Any]  # what it was trained for, see RunConfig.to_data; may be empty
    data: str  # digest of the training tasks, actions and engine
    action_size: int
    seed: int
    done: int  # updates made
    planned: int  # updates the learning rate is planned for
    simulator_calls: int  # asked for in training
    network: dict[str, Any]
    optimizer: dict[str, Any]

    @property
    def is_finished(self) -> bool:
        """Whether all planned updates were made."""
        return self.done >= self.planned

    def check_settings(self, given: Mapping[str, Any]) -> None:
        """Refuse to go on with other settings; the number of updates is the planned one."""
        for name, value in given.items():
            if name != "updates" and self.settings.get(name) != value:
                raise CheckpointError(
                    f"the checkpoint was trained with {name} = {self.settings.get(name)}, not "
                    f"{value}; use the same settings or another folder"
                )

    def check_data(self, digest: str, seed: int | None = None) -> None:
        """Refuse other data than it was trained on, and another seed where one is given."""
        if self.data != digest:
            raise CheckpointError(
                "the checkpoint was trained on other tasks, actions or another engine; use the "
                "setup, fold and part it was trained for, or train again"
            )
        if seed not in (None, self.seed):
            raise CheckpointError("the checkpoint is of another seed; use another folder")

    def load_weights(self, network: nn.Module) -> None:
        """Put the weights into a network."""
        try:
            network.load_state_dict(self.network)
        except (RuntimeError, TypeError, AttributeError) as error:
            reason = str(error).splitlines()[-1].strip()
            raise CheckpointError(f"the checkpoint's weights do not fit: {reason}") from None


def write_checkpoint(path: Path, checkpoint: Checkpoint) -> None:
    """Write a checkpoint, in the place of an earlier one."""
    # Field by field: asdict would copy the weights.
    content = {field.name: getattr(checkpoint, field.name) for field in fields(checkpoint)}
    write_state(path, _FORMAT, content)


def read_checkpoint(path: Path) -> Checkpoint:
    """Read a checkpoint into the memory of the host.

    Raises:
        CheckpointError: The file is missing, damaged, or something else.
    """
    return Checkpoint(**read_state(path, _FORMAT, {field.name for field in fields(Checkpoint)}))


def data_digest(tasks: Sequence[Task], actions: int) -> str:
    """A name for what is learned from: so many listed actions on these tasks."""
    text = f"{engine_hash()} {actions} {' '.join(str(task.id) for task in tasks)} "
    text += fingerprint(task.scene for task in tasks)
    return hashlib.blake2b(text.encode(), digest_size=8).hexdigest()
