"""Which puzzles agents fail on: by template, and those that they never solve."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from topple.phyre.auccess import auccess, success_at
from topple.phyre.results import PhyreRecord
from topple.phyre.task import TaskId
from topple.reports.table import Table

ATTEMPTS = (1, 10, 100)


@dataclass(frozen=True)
class TemplateFailures:
    """How agents did on the tasks of a template.

    Attributes:
        template: its id.
        first_solved: [scores] number of the attempt that solved a task in a run; 0 for none.
        tasks: how many of them were scored.
        never_solved: those that no run solved.
    """

    template: str
    first_solved: npt.NDArray[np.int64]
    tasks: int
    never_solved: tuple[TaskId, ...]


def template_failures(records: Sequence[PhyreRecord]) -> list[TemplateFailures]:
    """How the agents of some records did on each template, the worst template first."""
    scores: dict[str, dict[TaskId, list[int]]] = {}
    for record in records:
        results = record.results
        for task, first in zip(results.tasks, results.first_solved.tolist(), strict=True):
            scores.setdefault(task.template, {}).setdefault(task, []).append(first)
    found = [
        TemplateFailures(
            template,
            np.array([first for each in tasks.values() for first in each]),
            len(tasks),
            tuple(sorted(task for task, each in tasks.items() if not any(each))),
        )
        for template, tasks in scores.items()
    ]
    return sorted(found, key=lambda each: (auccess(each.first_solved), each.template))


def failure_table(title: str, found: Sequence[TemplateFailures]) -> Table:
    """A row per template."""
    rows = [
        [
            each.template,
            str(each.tasks),
            f"{100 * auccess(each.first_solved):.1f}",
            *(f"{success_at(each.first_solved, count):.3f}" for count in ATTEMPTS),
            str(len(each.never_solved)),
        ]
        for each in found
    ]
    within = [f"solved within {count}" for count in ATTEMPTS]
    return Table(title, ["template", "tasks", "AUCCESS", *within, "never solved"], rows)


def hardest(found: Sequence[TemplateFailures], most: int) -> list[TaskId]:
    """Tasks that were never solved, taking templates in turn until there are so many."""
    rounds = max((len(each.never_solved) for each in found), default=0)
    turns = [
        each.never_solved[number]
        for number in range(rounds)
        for each in found
        if number < len(each.never_solved)
    ]
    return sorted(turns[:most])
