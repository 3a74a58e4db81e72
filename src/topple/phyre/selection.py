"""The tasks of a run: a part of a fold, some of its tasks, or any tasks by their ids."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Any, ClassVar

from topple.phyre.auccess import MAX_ATTEMPTS
from topple.phyre.fold import SEEDS, Setup, load_fold
from topple.phyre.task import TaskId, load_task
from topple.phyre.tier import Tier


class Part(Enum):
    """The tasks that are scored."""

    DEV = "dev"  # for choosing settings; agents train on train
    TEST = "test"  # for results; agents train on train and dev together, as published
    STUDY = "study"  # the tasks of a study with people, which are no part of a fold


@dataclass(frozen=True)
class TaskSelection:
    """The tasks of a run.

    Attributes:
        setup: tier and split; None for tasks that belong to no fold.
        fold: 0 to 9; None for tasks that belong to no fold.
        part: the part of the fold that is scored. For a study, the fold is what an agent trains
            on, without the tasks of the study; if there is none, it trains on nothing.
        tasks: so many of the scored tasks, spread evenly, or the ids of some; all by default.
        study: the id of the study whose tasks these are.
    """

    benchmark: ClassVar[str] = "phyre"
    default_attempts: ClassVar[int] = MAX_ATTEMPTS
    max_attempts: ClassVar[int] = MAX_ATTEMPTS

    setup: Setup | None
    fold: int | None = 0
    part: Part = Part.TEST
    tasks: int | tuple[str, ...] | None = None
    study: str = ""

    def __post_init__(self) -> None:
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
        return self.setup.tier if self.setup else load_task(self.scored()[0]).tier

    @property
    def group(self) -> str:
        """The setup, for which an agent file may have settings."""
        return self.setup.value if self.setup else ""

    @property
    def place(self) -> str:
        """A readable part of a file name."""
        if self.study:
            return "_".join(filter(None, ["study", self.study, self.group]))
        return f"{self.group}_{self.part.value}_{self.fold}" if self.setup else "tasks"

    def trained(self) -> tuple[TaskId, ...]:
        """The tasks to learn from."""
        if self.setup is None or self.fold is None:
            if self.study:
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
        if self.setup is None or self.fold is None or self.study:
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

    def to_data(self) -> dict[str, Any]:
        """The selection as plain values for JSON."""
        tasks = list(self.tasks) if isinstance(self.tasks, tuple) else self.tasks
        setup = self.setup.value if self.setup else None
        data = {"setup": setup, "fold": self.fold, "part": self.part.value, "tasks": tasks}
        return {**data, "study": self.study} if self.study else data
