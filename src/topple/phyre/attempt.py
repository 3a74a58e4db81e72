"""Attempts on tasks, and the log every player and agent writes.

An attempt is a valid action on a task, with its outcome. Actions that do not fit a task are
no attempts: the log turns them away without counting them. It only ever grows, and refuses
a task's 101st attempt.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from topple.phyre.auccess import MAX_ATTEMPTS
from topple.phyre.engine.result import Outcome
from topple.phyre.task import TaskId


class Attempt(NamedTuple):
    """A valid action on a task, counted."""

    task: TaskId
    action: tuple[float, ...]
    outcome: Outcome


class AttemptError(ValueError):
    """An attempt that the rules of the evaluation do not allow."""


class AttemptLog:
    """Attempts on a set of test tasks, in the order they were made.

    Args:
        tasks: the test tasks. All of them count in the scores, tried or not.
        limit: attempts allowed on a task.

    Attributes:
        tasks: the test tasks, in the order of the score arrays.
        limit: attempts allowed on a task.
        invalid: how many actions were turned away because they did not fit.
    """

    def __init__(self, tasks: Iterable[TaskId], limit: int = MAX_ATTEMPTS) -> None:
        self.tasks = tuple(tasks)
        self._place = {task: place for place, task in enumerate(self.tasks)}
        if len(self._place) != len(self.tasks):
            raise AttemptError("a test task is listed twice; list each once")
        if not 1 <= limit <= MAX_ATTEMPTS:
            raise AttemptError(f"limit is {limit}; it has to be between 1 and {MAX_ATTEMPTS}")
        self.limit = limit
        self._attempts: list[Attempt] = []
        self._made = [0] * len(self.tasks)
        self._first_solved = [0] * len(self.tasks)
        self.invalid = 0

    def append(self, task: TaskId, action: Iterable[float], outcome: Outcome | int) -> bool:
        """Log an action and tell whether it counted; an invalid one does not.

        Raises:
            AttemptError: The task is not among the test tasks, or has all its attempts.
        """
        outcome = Outcome(outcome)
        place = self._placed(task)
        if not outcome.is_valid:
            self.invalid += 1
            return False
        if self._made[place] >= self.limit:
            raise AttemptError(
                f"task '{task}' already has {self.limit} attempts; check remaining() before "
                "trying again"
            )
        self._made[place] += 1
        if outcome.is_solved and not self._first_solved[place]:
            self._first_solved[place] = self._made[place]
        self._attempts.append(Attempt(task, tuple(map(float, action)), outcome))
        return True

    def extend(self, log: AttemptLog) -> None:
        """Add the attempts of another log, and what it turned away."""
        for attempt in log:
            self.append(*attempt)
        self.invalid += log.invalid

    def remaining(self, task: TaskId) -> int:
        """Attempts still allowed on a task."""
        return self.limit - self._made[self._placed(task)]

    def is_solved(self, task: TaskId) -> bool:
        """Whether some attempt solved the task."""
        return self._first_solved[self._placed(task)] > 0

    def first_solved(self) -> npt.NDArray[np.int64]:
        """[tasks] number of the first attempt that solved each task, from 1; 0: none did."""
        return np.array(self._first_solved, dtype=np.int64)

    def attempts_made(self) -> npt.NDArray[np.int64]:
        """[tasks] attempts on each task."""
        return np.array(self._made, dtype=np.int64)

    def __len__(self) -> int:
        return len(self._attempts)

    def __iter__(self) -> Iterator[Attempt]:
        return iter(self._attempts)

    def __getitem__(self, number: int) -> Attempt:
        return self._attempts[number]

    def _placed(self, task: TaskId) -> int:
        try:
            return self._place[task]
        except KeyError:
            raise AttemptError(f"task '{task}' is not one of the test tasks") from None
