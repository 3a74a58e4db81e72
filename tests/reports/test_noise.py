"""The fit of noise finds the level by which choices were made."""

from __future__ import annotations

import numpy as np
import pytest

from topple.reports.noise import EVERYBODY, Candidates, First, NoiseFit, puzzle_likelihoods

LEVELS = (1.0, 4.0, 16.0)
SPREAD = {1.0: 0.02, 4.0: 0.1, 16.0: 0.4}  # how far off the place of the solution is perceived


def line(number: int, firsts: list[First], actions: list[float]) -> Candidates:
    """A puzzle on a line: actions close to a hidden place solve it."""
    rng = np.random.default_rng(number)
    target, drawn = rng.uniform(0.2, 0.8), rng.uniform(0, 1, 200)
    every = np.array([*drawn, *actions])

    def imagine(level: float) -> np.ndarray[tuple[int, int], np.dtype[np.bool_]]:
        seen = target + SPREAD[level] * np.random.default_rng(number).standard_normal(32)
        return np.abs(every - seen[:, None]) < 0.05

    return Candidates(str(number), np.abs(drawn - target) < 0.05, np.ones(200), firsts, imagine)


@pytest.mark.parametrize("level", LEVELS)
def test_the_level_of_somebody_who_acts_by_it_is_found(level: float) -> None:
    rng = np.random.default_rng(int(level))
    found = []
    for number in range(30):
        target = np.random.default_rng(number).uniform(0.2, 0.8)
        # Somebody who acts on the mean of eight glances.
        action = float(target + SPREAD[level] * rng.standard_normal(8).mean())
        solved = abs(action - target) < 0.05
        first = First("P-1", 1 if solved else 3, 1 if solved else 0)
        found.append(puzzle_likelihoods(line(number, [first], [action]), LEVELS))
    fit = NoiseFit.of(LEVELS, found)
    assert fit.best("P-1") == fit.best(EVERYBODY) == level
    low, high = fit.interval("P-1")
    assert low <= level <= high
    assert fit.puzzles == {"P-1": 30, EVERYBODY: 30}


def test_solving_late_speaks_for_noise() -> None:
    soon, late, never = (First("P-1", n, k) for n, k in ((2, 2), (9, 9), (9, 0)))
    values = [puzzle_likelihoods(line(0, [first], [0.0]), LEVELS)["P-1"] for first in (soon, late)]
    assert values[0][0] - values[0][2] > values[1][0] - values[1][2]
    assert puzzle_likelihoods(line(0, [never], [0.0]), LEVELS)["P-1"][0] < values[1][0]


def test_table_and_figure_name_everybody() -> None:
    fit = NoiseFit(LEVELS, {"P-1": 2, EVERYBODY: 2}, {"P-1": [-9, -5, -6], EVERYBODY: [-9, -5, -6]})
    assert fit.table().rows[0] == ["P-1", "2", "4", "4-16", "-4.0", "0.0", "-1.0"]
    figure = fit.figure()
    assert "P-1" in figure
    assert EVERYBODY in figure
