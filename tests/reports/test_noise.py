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
        # Somebody who takes an action that works in most of eight glances.
        glances = target + SPREAD[level] * rng.standard_normal((8, 1))
        places = np.linspace(0, 1, 201)
        votes = (np.abs(places - glances) < 0.05).sum(axis=0)
        action = float(rng.choice(places[votes == votes.max()]))
        solved = abs(action - target) < 0.05
        first = First("P-1", 1 if solved else 3, 1 if solved else 0)
        found.append(puzzle_likelihoods(line(number, [first], [action]), LEVELS))
    fit = NoiseFit.of(LEVELS, found)
    assert fit.best("P-1") == fit.best(EVERYBODY) == level
    low, high = fit.interval("P-1")
    assert low <= level <= high
    assert fit.puzzles == {"P-1": 30, EVERYBODY: 30}


def test_solving_late_speaks_for_noise() -> None:
    good = np.random.default_rng(0).uniform(0.2, 0.8)  # a place that all levels expect
    soon, late = (
        puzzle_likelihoods(line(0, [First("P-1", tries, tries)], [good]), LEVELS)["P-1"]
        for tries in (2, 9)
    )
    assert soon[0] - soon[2] > late[0] - late[2] + 1


def test_one_hopeless_puzzle_does_not_outweigh_the_others() -> None:
    found = []
    for number in range(10):
        target = np.random.default_rng(number).uniform(0.2, 0.8)
        stuck = number == 0
        first = First("P-1", 9 if stuck else 1, 0 if stuck else 1)
        action = 0.0 if stuck else float(target)
        found.append(puzzle_likelihoods(line(number, [first], [action]), LEVELS))
    assert NoiseFit.of(LEVELS, found).best("P-1") == 1.0
    values = found[0]["P-1"]
    assert max(values) - min(values) < 2


def test_table_and_figure_name_everybody() -> None:
    fit = NoiseFit(LEVELS, {"P-1": 2, EVERYBODY: 2}, {"P-1": [-9, -5, -6], EVERYBODY: [-9, -5, -6]})
    assert fit.table().rows[0] == ["P-1", "2", "4", "4-16", "-4.0", "0.0", "-1.0"]
    figure = fit.figure()
    assert "P-1" in figure
    assert EVERYBODY in figure
