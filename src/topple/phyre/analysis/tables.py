"""Analyses of tasks as tables, the data behind their figures."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from topple.phyre.analysis.difficulty import RandomCurve, TemplateDifficulty
from topple.phyre.analysis.diversity import TemplateDiversity
from topple.phyre.analysis.grid_ceilings import Ceiling
from topple.phyre.analysis.solvability import Evidence, Verdict, decide
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


def verdict_table(
    tasks: Sequence[Task], found: Sequence[Evidence], p0: float, min_valid: int
) -> Table:
    """How many tasks of each template can be solved, with the mean share of stable solutions."""
    templates: dict[str, list[Evidence]] = {}
    for task, evidence in zip(tasks, found, strict=True):
        templates.setdefault(task.id.template, []).append(evidence)
    rows, undecided = [], 0
    for template, entries in templates.items():
        verdicts = Counter(decide(entry, p0, min_valid) for entry in entries)
        shares = [entry.stable / max(entry.valid, 1) for entry in entries]
        counts = (str(verdicts[verdict]) for verdict in Verdict)
        undecided += verdicts[Verdict.OPEN]
        rows.append([template, str(len(entries)), *counts, f"{sum(shares) / len(shares):.2e}"])
    return Table(
        f"Tasks with stable solutions, p0 = {p0:g}",
        ["template", "tasks", *(verdict.value for verdict in Verdict), "share of valid actions"],
        rows,
        f"{undecided} tasks are open: raise --max-actions to decide them." if undecided else "",
    )


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


def ceiling_table(grid: str, found: Sequence[Ceiling]) -> Table:
    """What a grid of actions allows on each template."""
    rows = [
        [
            entry.template,
            str(entry.tasks),
            f"{entry.solvable:.3f}",
            f"{entry.optimal:.3f}",
            f"{entry.cells:g}",
            f"{entry.random:.3f}",
        ]
        for entry in found
    ]
    header = ["template", "tasks", "solvable", "AUCCESS of OPTIMAL", "solving cells"]
    return Table(f"Ceilings of the grid {grid}", [*header, "AUCCESS of random cells"], rows)
