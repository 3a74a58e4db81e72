"""The tasks of a run: a part of a fold, some of its tasks, or any tasks by their ids."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from topple.phyre.auccess import MAX_ATTEMPTS
from topple.phyre.fold import SEEDS, Setup, load_fold
from topple.phyre.puzzle_file import read_puzzles
from topple.phyre.scene.codec import fingerprint
from topple.phyre.task import Task, TaskId, load_task
from topple.phyre.tier import Tier

if TYPE_CHECKING:
    from typing_extensions import Self

_DIGEST_DIGITS = 16


class Part(Enum):
    """The tasks that are scored."""

    DEV = "dev"  # for choosing settings; agents train on train
    TEST = "test"  # for results; agents train on train and dev together, as published
    STUDY = "study"  # the tasks of a study with people, which are no part of a fold
    OWN = "own"  # the puzzles of a file, which are no part of a fold


@dataclass(frozen=True)
class TaskSelection:
    """The tasks of a run.

    Attributes:
        setup: tier and split; None for tasks that belong to no fold.
        fold: 0 to 9; None for tasks that belong to no fold.
        part: the part of the fold that is scored. For a study and for own puzzles, the fold is
            what an agent trains on, without the tasks of the study; if there is none, it trains on
            nothing.
        tasks: so many of the scored tasks, spread evenly, or the ids of some; all by default.
        study: the id of the study whose tasks these are.
        file: the file of own puzzles that are scored; see :mod:`topple.phyre.puzzle_file`.
        digest: of these puzzles, so that a run is not taken for one on others.
    """

    benchmark: ClassVar[str] = "phyre"
    default_attempts: ClassVar[int] = MAX_ATTEMPTS
    max_attempts: ClassVar[int] = MAX_ATTEMPTS

    setup: Setup | None
    fold: int | None = 0
    part: Part = Part.TEST
    tasks: int | tuple[str, ...] | None = None
    study: str = ""
    file: str = ""
    digest: str = ""

    @classmethod
    def of_file(cls, path: Path, setup: Setup | None = None, fold: int | None = None) -> Self:
        """The puzzles of a file, for an agent that trains on a fold or on nothing.

        Raises:
            SceneError: The file holds no puzzles; the message says why.
            OSError: The file cannot be read.
        """
        puzzles = read_puzzles(path)
        digest = fingerprint(task.scene for task in puzzles)[:_DIGEST_DIGITS]
        names = tuple(str(task.id) for task in puzzles)
        return cls(setup, fold if setup else None, Part.OWN, names, file=str(path), digest=digest)

    def __post_init__(self) -> None:
        if (self.part is Part.OWN) != bool(self.file):
            raise ValueError("the part 'own' is of a file, which holds its puzzles")
        if (self.part is Part.STUDY) != bool(self.study) or (
            self.study and not isinstance(self.tasks, tuple)
        ):
            raise ValueError("the part 'study' is of a study, which names its tasks")
        if self.setup is None:
            if self.fold is not None or not isinstance(self.tasks, tuple):
                raise ValueError("a selection without a setup has no fold and names its tasks")
        elif self.fold not in SEEDS:
            raise ValueError(f"fold is {self.fold}; use {SEEDS[0]} to {SEEDS[-1]}")
        count = len(self.tasks) if isinstance(self.tasks, tuple) else self.tasks
        if count is not None and count < 1:
            raise ValueError(f"tasks is {self.tasks}; score at least 1")

    @property
    def tier(self) -> Tier:
        """The tier of the tasks."""
        return self.setup.tier if self.setup else self.scored_tasks()[0].tier

    @property
    def group(self) -> str:
        """The setup, for which an agent file may have settings."""
        return self.setup.value if self.setup else ""

    @property
    def place(self) -> str:
        """A readable part of a file name."""
        if self.study or self.file:
            name = self.study or Path(self.file).stem
            return "_".join(filter(None, [self.part.value, name, self.group]))
        return f"{self.group}_{self.part.value}_{self.fold}" if self.setup else "tasks"

    def trained(self) -> tuple[TaskId, ...]:
        """The tasks to learn from."""
        if self.setup is None or self.fold is None:
            if self.study or self.file:
                return ()
            raise ValueError("these tasks belong to no fold, so there are none to learn from")
        fold = load_fold(self.setup, self.fold)
        if self.part is Part.DEV:
            return fold.train
        held_out = self.scored() if self.study else ()
        return tuple(sorted(set(fold.train + fold.dev).difference(held_out)))

    def scored(self) -> tuple[TaskId, ...]:
        """The tasks to be scored on.

        Raises:
            ValueError: An id is malformed or not in the fold.
        """
        if self.setup is None or self.fold is None or self.study or self.file:
            assert isinstance(self.tasks, tuple)
            return tuple(map(TaskId.parse, self.tasks))
        fold = load_fold(self.setup, self.fold)
        every = fold.test if self.part is Part.TEST else fold.dev
        if self.tasks is None:
            return every
        if isinstance(self.tasks, int):
            count = min(self.tasks, len(every))
            return tuple(every[number * len(every) // count] for number in range(count))
        chosen = tuple(map(TaskId.parse, self.tasks))
        for task in chosen:
            if task not in every:
                raise ValueError(
                    f"task '{task}' is not scored in this fold, but '{every[0]}' is, and more"
                )
        return chosen

    def scored_tasks(self) -> list[Task]:
        """The tasks to be scored on, built.

        Raises:
            ValueError: The file of own puzzles is another one by now.
        """
        if not self.file:
            return [load_task(task) for task in self.scored()]
        found = {task.id: task for task in read_puzzles(Path(self.file))}
        tasks = [found[task] for task in self.scored() if task in found]
        if fingerprint(task.scene for task in tasks)[:_DIGEST_DIGITS] != self.digest:
            raise ValueError(f"{self.file} no longer holds the puzzles of this run; start another")
        return tasks

    def to_data(self) -> dict[str, Any]:
        """The selection as plain values for JSON."""
        tasks = list(self.tasks) if isinstance(self.tasks, tuple) else self.tasks
        setup = self.setup.value if self.setup else None
        data = {"setup": setup, "fold": self.fold, "part": self.part.value, "tasks": tasks}
        more = {"study": self.study, "file": self.file, "digest": self.digest}
        return data | {name: value for name, value in more.items() if value}
