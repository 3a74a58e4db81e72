"""How alike the solutions of a template's tasks are (Figures 10 and 11).

A template with a master solution, one action that solves nearly all its tasks, asks for no
reasoning. So one counts for each action how many of the template's tasks it solves.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from topple.phyre.cache.shard import UNKNOWN, Outcomes
from topple.phyre.task import Task
from topple.reports.table import Table

Counts = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class TemplateDiversity:
    """How many tasks of a template single actions solve."""

    template: str
    tasks: int
    actions: int
    histogram: Counts  # [tasks + 1] how many actions solve exactly 0, 1, ... tasks
    best_action: int  # number of the one that solves most; the first of equals

    @property
    def most_solved(self) -> int:
        """Tasks solved by the best action."""
        return int(np.flatnonzero(self.histogram)[-1])


def template_diversity(tasks: Sequence[Task], outcomes: Outcomes) -> list[TemplateDiversity]:
    """The histogram of each template.

    Args:
        tasks: of one template or several.
        outcomes: [tasks, actions].
    """
    if outcomes.shape[0] != len(tasks) or (outcomes == UNKNOWN).any():
        raise ValueError(
            f"outcomes have shape {outcomes.shape} for {len(tasks)} tasks; give a row per task, "
            "with all actions simulated"
        )
    names = np.array([task.id.template for task in tasks])
    found = []
    for name in np.unique(names):
        rows = outcomes[names == name] > 0
        solved = rows.sum(axis=0)
        histogram = np.bincount(solved, minlength=len(rows) + 1).astype(np.int64)
        best = int(solved.argmax())
        found.append(TemplateDiversity(str(name), len(rows), len(solved), histogram, best))
    return found


def shared_solutions(outcomes: Outcomes) -> npt.NDArray[np.float64]:
    """[tasks, tasks] of the actions that solve either of two tasks, the share that solves both.

    1 on the diagonal, and 0 where a task has no known solution.
    """
    solved = (outcomes > 0).astype(np.float64)
    both = solved @ solved.T
    single = np.diag(both)
    either = single[:, None] + single[None, :] - both
    return np.divide(both, either, out=np.zeros_like(both), where=either > 0)


def reach_table(found: Sequence[TemplateDiversity]) -> Table:
    """How many tasks of a template the best single action solves."""
    rows = []
    for entry in found:
        of_use = float(entry.histogram[1:].sum() / entry.actions)
        rows.append([entry.template, f"{entry.most_solved} of {entry.tasks}", f"{of_use:.1%}"])
    header = ["template", "tasks that the best action solves", "actions that solve any task"]
    return Table("How far single actions reach", header, rows)


def diversity_table(found: Sequence[TemplateDiversity]) -> Table:
    """Figures 10 and 11."""
    rows = [
        [entry.template, str(solved), str(int(actions))]
        for entry in found
        for solved, actions in enumerate(entry.histogram)
    ]
    return Table("Actions by the tasks they solve", ["template", "tasks solved", "actions"], rows)
