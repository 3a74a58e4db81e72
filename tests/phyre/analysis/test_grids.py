"""Ceilings of grids: every cell is simulated, counts are kept, expectations are exact."""

from __future__ import annotations

from itertools import permutations
from pathlib import Path

import numpy as np
import pytest

from topple.phyre import Simulator, Tier, tier_tasks
from topple.phyre.analysis import grid_ceilings as grids
from topple.phyre.analysis.grid_ceilings import (
    SHIPPED,
    count_cells,
    grid_counts,
    random_order_curve,
    template_ceilings,
)
from topple.phyre.auccess import auccess
from topple.phyre.engine.result import Outcome
from topple.phyre.grid import Grid
from topple.phyre.task import template_tasks

TASKS = template_tasks("00001")[:3] + template_tasks("00013")[:2]


def test_every_cell_is_simulated() -> None:
    grid = Grid.parse("3x4x2")
    counts = count_cells(grid, TASKS)
    outcomes = Simulator(TASKS).outcomes(grid.actions(Tier.BALL))
    assert counts.fitting.tolist() == (outcomes != Outcome.INVALID).sum(axis=1).tolist()
    assert counts.solving.tolist() == (outcomes == Outcome.SOLVED).sum(axis=1).tolist()


def test_counts_are_kept_template_by_template(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    grid = Grid.parse("3x3x2")
    first = grid_counts(grid, TASKS, tmp_path)
    assert (tmp_path / "3x3x2.json").read_text().count("\n") == 4
    monkeypatch.setattr(grids, "count_cells", None)  # nothing is simulated again
    again = grid_counts(grid, TASKS, tmp_path)
    assert [each.tolist() for each in first] == [each.tolist() for each in again]
    (tmp_path / "3x3x2.json").write_text("{")
    with pytest.raises(ValueError, match="is damaged"):
        grid_counts(grid, TASKS, tmp_path)


def test_ceilings_are_those_of_optimal() -> None:
    counts = grids.Counts(np.array([4, 5, 6, 3, 3]), np.array([1, 0, 2, 0, 0]))
    first, second, whole = template_ceilings(TASKS, counts)
    assert (first.template, second.template, whole.template) == ("00001", "00013", "all")
    assert first.solvable == pytest.approx(2 / 3)
    assert whole.optimal == pytest.approx(auccess(np.array([1, 0, 1, 0, 0])))
    assert second.optimal == second.random == second.cells == 0
    assert first.cells == 1.5
    assert 0 < whole.random < whole.optimal


@pytest.mark.parametrize(("fitting", "solving"), [(4, 1), (5, 2), (3, 3), (4, 0), (0, 0)])
def test_the_random_order_is_an_expectation_over_all_orders(fitting: int, solving: int) -> None:
    cells = [True] * solving + [False] * (fitting - solving)
    orders = list(permutations(cells))
    curve = random_order_curve(fitting, solving)
    for k in range(1, fitting + 1):
        expected = np.mean([any(order[:k]) for order in orders])
        assert curve[k - 1] == pytest.approx(expected)
    assert curve[99] == (solving > 0)


@pytest.mark.parametrize("name", [path.stem for path in sorted(SHIPPED.glob("*.json"))])
def test_shipped_counts_are_reproduced(name: str, tmp_path: Path) -> None:
    tasks = tier_tasks(Tier.BALL)
    counts = grid_counts(Grid.parse(name), tasks, tmp_path)  # of the package, or this takes hours
    assert not list(tmp_path.iterdir())
    places = [70, 1310] if Grid.parse(name).x < 10 else [70]
    for place in places:
        found = count_cells(Grid.parse(name), [tasks[place]])
        assert counts.fitting[place] == found.fitting[0]
        assert counts.solving[place] == found.solving[0]
