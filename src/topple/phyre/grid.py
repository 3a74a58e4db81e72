"""Grids: a few actions in place of the continuum, and what they cost.

A grid of 5x5x5 has five values each of x, y and radius, the middles of five equal parts of 0
to 1. In ``deepphy-5x5x5``, the grid of the DeepPHY benchmark, x and y are the same and the radii
go evenly from 1/16 to 1. Most solutions of most tasks lie between such values: the *ceiling* of a
grid is the share of tasks that any of its actions solves, and no agent can score better on it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np

from topple.phyre.action import Actions
from topple.phyre.engine.native import SceneSet, map_actions, simulate_batch
from topple.phyre.engine.result import Outcome
from topple.phyre.task import Task
from topple.phyre.tier import COMPONENTS_PER_BALL, Tier
from topple.progress import Progress

MAX_CELLS = 64  # along an axis
MAX_ACTIONS = 1_000_000  # of a grid, so that its ceiling can be computed
DEEPPHY = "deepphy-"  # before the numbers of a grid with DeepPHY's radii
_FORM = re.compile(rf"({DEEPPHY})?(\d{{1,3}})x(\d{{1,3}})x(\d{{1,3}})")
_LEAST_RADIUS = 1 / 16  # of DeepPHY's grids
_CHUNK = 4096  # actions simulated at once while the ceiling is computed


@dataclass(frozen=True)
class Grid:
    """So many values of x, of y and of the radius, for each ball."""

    x: int
    y: int
    radius: int
    deepphy: bool = False  # radii from 1/16 to 1 in place of the middles of equal parts

    @classmethod
    def parse(cls, text: str) -> Grid:
        """Read a grid such as ``5x5x5`` or ``deepphy-8x8x8``.

        Raises:
            ValueError: the text is none, or an axis has no values or too many.
        """
        match = _FORM.fullmatch(text)
        grid = cls(int(match[2]), int(match[3]), int(match[4]), bool(match[1])) if match else None
        if grid is None or not all(1 <= cells <= MAX_CELLS for cells in grid.cells):
            raise ValueError(
                f"grid {text!r} has to be three numbers from 1 to {MAX_CELLS}, like 5x5x5"
            )
        return grid

    def __str__(self) -> str:
        return (DEEPPHY if self.deepphy else "") + "x".join(map(str, self.cells))

    @property
    def cells(self) -> tuple[int, int, int]:
        """The numbers of values of x, y and the radius."""
        return self.x, self.y, self.radius

    def size(self, tier: Tier) -> int:
        """How many actions it has, whether they fit or not."""
        return int((self.x * self.y * self.radius) ** tier.balls)

    def action(self, cells: Sequence[int]) -> list[float]:
        """The action of some cells: x, y and radius of each ball, counted from 0."""
        balls = len(cells) // COMPONENTS_PER_BALL
        values = (self._middle, self._middle, self._radius if self.deepphy else self._middle)
        rows = zip(values * balls, cells, self.cells * balls, strict=True)
        return [value(cell, count) for value, cell, count in rows]

    @staticmethod
    def _middle(cell: int, count: int) -> float:
        return (cell + 0.5) / count

    @staticmethod
    def _radius(cell: int, count: int) -> float:
        """One of DeepPHY's radii; the only one is the largest."""
        return _LEAST_RADIUS + cell / (count - 1) * (1 - _LEAST_RADIUS) if count > 1 else 1.0

    def actions(self, tier: Tier) -> Actions:
        """[actions, 3 * balls] all of them.

        Raises:
            ValueError: there are too many.
        """
        if self.size(tier) > MAX_ACTIONS:
            raise ValueError(
                f"a grid of {self} has {self.size(tier):,} actions in tier {tier.value!r}; "
                f"use one of at most {MAX_ACTIONS:,}"
            )
        axes = [range(cells) for _ in range(tier.balls) for cells in self.cells]
        return np.array([self.action(cells) for cells in product(*axes)])


def grid_ceiling(
    grid: Grid, tasks: Sequence[Task], progress: Progress | None = None
) -> dict[str, Any]:
    """What the best possible choice of a grid's actions scores.

    Returns:
        ``auccess``: the share of tasks some action solves, each at the first attempt;
        ``undecided_tasks``: 0, because all actions are tried.
    """
    actions = grid.actions(tasks[0].tier)
    solvable = 0
    for number, task in enumerate(tasks, start=1):
        scene = SceneSet([task.scene])
        fitting = actions[map_actions(scene, np.zeros(len(actions), np.int32), actions)[0]]
        for start in range(0, len(fitting), _CHUNK):
            chunk = fitting[start : start + _CHUNK]
            result = simulate_batch(scene, np.zeros(len(chunk), np.int32), chunk)
            if (result.outcome == Outcome.SOLVED).any():
                solvable += 1
                break
        if progress is not None:
            progress(number, len(tasks))
    return {"auccess": solvable / len(tasks), "undecided_tasks": 0}
