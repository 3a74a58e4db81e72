"""How hard tasks are for an agent that tries random actions (Figure 2).

A random agent that has not solved a task draws another action; its luck is that of a random
order of the actions whose outcomes are known. So one table of outcomes gives any number of
runs of the agent, without simulating again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from topple.phyre.cache.shard import UNKNOWN, Outcomes
from topple.phyre.task import Task
from topple.reports.table import Table

Floats = npt.NDArray[np.float64]

RUNS = 10  # of the published figure


@dataclass(frozen=True, eq=False)
class RandomCurve:
    """How many tasks a random agent solves within so many attempts."""

    attempts: npt.NDArray[np.int64]  # [points]
    mean: Floats  # [points] share of tasks solved, over runs
    std: Floats  # [points]


@dataclass(frozen=True)
class TemplateDifficulty:
    """How often a random valid attempt solves a template's tasks."""

    template: str
    mean: float  # over runs, of the mean over tasks
    std: float  # over runs
    unsolved: int  # tasks that no known action solves


def first_solutions(
    outcomes: Outcomes, runs: int, rng: np.random.Generator
) -> npt.NDArray[np.int64]:
    """[runs, tasks] the valid attempt that first solves each task; 0 where none does.

    Args:
        outcomes: [tasks, actions].
        runs: how often the random agent plays.
        rng: its luck.
    """
    _check(outcomes)
    first = np.zeros((runs, len(outcomes)), np.int64)
    for task, row in enumerate(outcomes):
        valid, solved = int((row != 0).sum()), int((row > 0).sum())
        if solved:
            for run in range(runs):
                # The places of the solutions in a random order of the valid actions.
                first[run, task] = rng.choice(valid, solved, replace=False, shuffle=False).min() + 1
    return first


def random_curve(
    outcomes: Outcomes,
    rng: np.random.Generator,
    runs: int = RUNS,
    points: Sequence[int] | None = None,
) -> RandomCurve:
    """Figure 2 (a): the share of tasks solved within so many random attempts.

    Args:
        outcomes: [tasks, actions] of the fixed list.
        rng: for the orders in which actions are tried.
        runs: how many orders.
        points: numbers of attempts; five per decade, up to what every task has, by default.
    """
    first = first_solutions(outcomes, runs, rng)
    limit = int((outcomes != 0).sum(axis=1).min())
    if points is None:
        decades = np.log10(max(limit, 1))
        points = np.unique(np.round(np.logspace(0, decades, int(5 * decades) + 1))).tolist()
    at = np.asarray(points, np.int64)
    if at.min() < 1 or at.max() > limit:
        raise ValueError(
            f"points run from {at.min()} to {at.max()}, but every task has only 1 to {limit} "
            "valid attempts here; simulate more actions or ask for fewer"
        )
    shares = ((first[:, :, None] > 0) & (first[:, :, None] <= at)).mean(axis=1)
    return RandomCurve(at, shares.mean(axis=0), shares.std(axis=0))


def template_difficulty(
    tasks: Sequence[Task], outcomes: Outcomes, runs: int = RUNS
) -> list[TemplateDifficulty]:
    """Figure 2 (b): how often a random attempt solves the tasks of each template.

    The list of actions is cut into equal pieces, one per run.
    """
    _check(outcomes)
    if outcomes.shape[1] < runs:
        raise ValueError(f"{outcomes.shape[1]} actions cannot be cut into {runs} runs")
    found = []
    names = np.array([task.id.template for task in tasks])
    pieces = np.array_split(outcomes, runs, axis=1)
    for name in np.unique(names):
        rows = names == name
        shares = []
        for piece in pieces:
            valid, solved = (piece[rows] != 0).sum(axis=1), (piece[rows] > 0).sum(axis=1)
            shares.append(float((solved / np.maximum(valid, 1)).mean()))
        unsolved = int((~(outcomes[rows] > 0).any(axis=1)).sum())
        found.append(
            TemplateDifficulty(str(name), float(np.mean(shares)), float(np.std(shares)), unsolved)
        )
    return found


def _check(outcomes: Outcomes) -> None:
    if outcomes.ndim != 2 or (outcomes == UNKNOWN).any():
        raise ValueError("outcomes is a matrix of tasks and actions, all of them simulated")


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
