"""The number of updates a time limit allows."""

from __future__ import annotations

import pytest

from topple.phyre.agents import dqn_updates
from topple.phyre.agents.dqn_updates import UpdateTimer


class Clock:
    """Time that passes when it is told to."""

    def __init__(self) -> None:
        self.now = 0.0

    def monotonic(self) -> float:
        return self.now


def test_a_slow_first_update_does_not_spoil_the_plan(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock()
    monkeypatch.setattr(dqn_updates, "time", clock)
    timed = UpdateTimer(minutes=5.0)
    done = planned = 0
    for count, seconds in [(1, 15.0), (2, 0.02), (4, 0.04), (600, 2.0), (600, 2.0), (600, 2.0)]:
        timed.start()
        clock.now += seconds
        timed.stop(count)
        done += count
        planned = timed.plan(done, 100_000)
    assert planned == pytest.approx(300 * (300 - clock.now), rel=0.05)
    timed.start()
    clock.now += 50.0
    timed.stop(100)
    assert timed.plan(done, planned) == planned  # once is enough


def test_slow_updates_are_planned_from_as_well(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock()
    monkeypatch.setattr(dqn_updates, "time", clock)
    timed = UpdateTimer(minutes=1.0)
    planned = 100
    for done in range(1, 4):
        timed.start()
        clock.now += 4.0
        timed.stop(1)
        planned = timed.plan(done, 100)
    assert planned == 3 + int((60 - 12) / 4)
