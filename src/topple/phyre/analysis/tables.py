"""Analyses of tasks as tables, the data behind their figures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from topple.phyre.analysis.difficulty import RandomCurve, TemplateDifficulty
from topple.phyre.analysis.diversity import TemplateDiversity
from topple.phyre.analysis.solvability import Evidence, decide
from topple.phyre.task import Task
from topple.reports.table import Table


def random_curve_table(curves: Mapping[str, RandomCurve]) -> Table:
    """Figure 2 (a)."""
    rows = [
        [name, str(attempts), f"{mean:.6f}", f"{std:.6f}"]
        for name, curve in curves.items()
        for attempts, mean, std in zip(curve.attempts, curve.mean, curve.std, strict=True)
    ]
    return Table(
        "Tasks solved by random attempts", ["tier", "attempts", "solved", "std over runs"], rows
    )


def difficulty_table(groups: Mapping[str, Sequence[TemplateDifficulty]]) -> Table:
    """Figure 2 (b)."""
    rows = [
        [name, entry.template, f"{entry.mean:.3e}", f"{entry.std:.3e}", str(entry.unsolved)]
        for name, found in groups.items()
        for entry in found
    ]
    return Table(
        "Chance that a random attempt solves a task",
        ["tier", "template", "chance", "std over runs", "tasks without a known solution"],
        rows,
    )


def diversity_table(found: Sequence[TemplateDiversity]) -> Table:
    """Figures 10 and 11."""
    rows = [
        [entry.template, str(solved), str(int(actions))]
        for entry in found
        for solved, actions in enumerate(entry.histogram)
    ]
    return Table("Actions by the tasks they solve", ["template", "tasks solved", "actions"], rows)


def solvability_table(
    tasks: Sequence[Task], found: Sequence[Evidence], p0: float, min_valid: int
) -> Table:
    """Verdict and evidence of each task."""
    rows = [
        [
            str(task.id),
            decide(evidence, p0, min_valid).value,
            str(evidence.tried),
            str(evidence.valid),
            str(evidence.solved),
            str(evidence.stable),
            str(evidence.solution) if evidence.solution >= 0 else "",
        ]
        for task, evidence in zip(tasks, found, strict=True)
    ]
    header = ["task", "verdict", "actions", "valid", "solved", "stably solved", "first solution"]
    return Table(f"Solvability, p0 = {p0:g}", header, rows)
