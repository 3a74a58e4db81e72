"""The results of a run: which tasks were solved, and by which attempt."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from topple.arrays import Arrays
from topple.phyre.attempt import Attempt, AttemptLog
from topple.phyre.auccess import auccess, success_curve
from topple.phyre.selection import TaskSelection
from topple.phyre.task import TaskId
from topple.runs.config import RunConfig
from topple.runs.record import RunRecord


@dataclass(frozen=True, eq=False)
class TaskResults:
    """Which tasks were solved, and by which attempt.

    Attributes:
        tasks: the scored tasks.
        first_solved: [tasks] number of the attempt that solved each, from 1; 0 for none.
        attempts: all attempts in the order they were made; may have been left out.
    """

    tasks: tuple[TaskId, ...]
    first_solved: npt.NDArray[np.int64]
    attempts: tuple[Attempt, ...] = ()

    @classmethod
    def of(cls, log: AttemptLog) -> TaskResults:
        """The results of a finished log."""
        return cls(log.tasks, log.first_solved(), tuple(log))

    @property
    def auccess(self) -> float:
        """The score."""
        return auccess(self.first_solved)

    @property
    def curve(self) -> npt.NDArray[np.float64]:
        """[100] the share of tasks solved within k attempts."""
        return success_curve(self.first_solved)

    def templates(self) -> dict[str, npt.NDArray[np.int64]]:
        """``first_solved`` of each template's tasks."""
        names = np.array([task.template for task in self.tasks])
        return {str(name): self.first_solved[names == name] for name in np.unique(names)}

    def metrics(self) -> dict[str, Any]:
        """AUCCESS and the success curve."""
        return {"auccess": self.auccess, "success_curve": self.curve.tolist()}

    def to_data(self) -> dict[str, Any]:
        """``first_solved`` by task."""
        solved = zip(map(str, self.tasks), self.first_solved.tolist(), strict=True)
        return {"first_solved": dict(solved)}

    def arrays(self) -> Arrays | None:
        """Every attempt: the place of its task, its action, its outcome."""
        if not self.attempts:
            return None
        place = {task: number for number, task in enumerate(self.tasks)}
        return {
            "task": np.array([place[attempt.task] for attempt in self.attempts], np.int32),
            "action": np.array([attempt.action for attempt in self.attempts], np.float64),
            "outcome": np.array([attempt.outcome for attempt in self.attempts], np.int8),
        }


PhyreConfig = RunConfig[TaskSelection]
PhyreRecord = RunRecord[TaskSelection, TaskResults]
