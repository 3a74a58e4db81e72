"""The number of updates a time limit allows."""

from __future__ import annotations

import pytest

from topple.phyre.agents import pace
from topple.phyre.agents.pace import Pace


class Clock:
    """Time that passes when it is told to."""

    def __init__(self) -> None:
        self.now = 0.0

    def monotonic(self) -> float:
        return self.now


def test_a_slow_first_update_does_not_spoil_the_plan(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock()
    monkeypatch.setattr(pace, "time", clock)
    timed = Pace(minutes=5.0)
    done = planned = 0
    for count, seconds in [(1, 15.0), (2, 0.02), (4, 0.04), (600, 2.0), (600, 2.0), (600, 2.0)]:
        timed.begin()
        clock.now += seconds
        timed.made(count)
        done += count
        planned = timed.plan(done, 100_000)
    assert planned == pytest.approx(300 * (300 - clock.now), rel=0.05)
    timed.begin()
    clock.now += 50.0
    timed.made(100)
    assert timed.plan(done, planned) == planned  # once is enough


def test_slow_updates_are_planned_from_as_well(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock()
    monkeypatch.setattr(pace, "time", clock)
    timed = Pace(minutes=1.0)
    planned = 100
    for done in range(1, 4):
        timed.begin()
        clock.now += 4.0
        timed.made(1)
        planned = timed.plan(done, 100)
    assert planned == 3 + int((60 - 12) / 4)
