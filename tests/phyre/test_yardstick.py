"""The curve of score over noise, and where it meets people."""

from __future__ import annotations

from pathlib import Path

import pytest

from topple.phyre.auccess import success_at
from topple.phyre.fold import Setup
from topple.phyre.results import PhyreConfig
from topple.phyre.selection import TaskSelection
from topple.phyre.yardstick import Curve, Point, curves, yardstick_figure, yardstick_table
from topple.runs.agent import Setting
from topple.runs.runner import Runner

ACROSS = Setup.BALL_CROSS_TEMPLATE
POINTS = (Point(0.0, 9, (90.0, 95.0)), Point(3.0, 9, (50.0, 70.0)), Point(7.0, 9, (30.0, 60.0)))


def test_the_curve_meets_a_score_between_two_points() -> None:
    curve = Curve(ACROSS, 0, POINTS)
    assert curve.noise_at(50.0, 10) == pytest.approx(3.0)
    assert curve.noise_at(70.0, 10) == pytest.approx(1.0)  # halfway from log 1 to log 4
    assert curve.noise_at(60.0, 100) == pytest.approx(7.0)
    assert curve.noise_at(20.0, 10) is None
    assert curve.noise_at(96.0, 100) is None


def test_the_table_says_where_people_are() -> None:
    table = yardstick_table([Curve(ACROSS, 0, POINTS)])
    assert [row[2] for row in table.rows[:3]] == ["0", "3", "7"]
    noise = float(table.rows[3][2])
    assert 3.0 < noise < 7.0
    assert table.rows[3][4] == "36.6"
    within = yardstick_table([Curve(Setup.BALL_WITHIN_TEMPLATE, 0, POINTS)])
    assert len(within.rows) == 3  # nobody measured people there


def test_curves_come_from_records_of_misperceiving_minds(tmp_path: Path) -> None:
    small: dict[str, Setting] = {"listed": 50, "imagined": 50, "searches": 1, "repeats": 1}
    exact: dict[str, Setting] = {**small, "engine": "exact", "constants_noise": 0.0, "percepts": 1}
    records = []
    for noise in (0.0, 8.0):
        own = {**exact, "place_noise": noise, "angle_noise": noise, "size_noise": noise}
        selection = TaskSelection(ACROSS, 0, tasks=5)
        records.append(PhyreConfig("imagine", selection, settings=own, attempts=3))
    records.append(PhyreConfig("imagine", selection, settings=small, attempts=3))  # coarse
    made = [Runner(tmp_path).run(config) for config in records]
    (curve,) = curves(made)
    assert [point.noise for point in curve.points] == [0.0, 8.0]
    assert curve.points[0].scores[1] == pytest.approx(100 * made[0].results.auccess)
    solved = [100 * success_at(made[0].results.first_solved, number) for number in (1, 2, 3)]
    assert curve.points[0].curve == pytest.approx(solved)
    figure = yardstick_figure([curve])
    assert "people" in figure
    assert "noise 0" in figure
    assert "noise 8" in figure
    assert curves(made[:1]) == []
