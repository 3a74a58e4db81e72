"""Plans: which block goes at which tick.

Many plans of one game are rows of ticks: a column per gray block, NEVER where it stays.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from topple.iphyre.engine.batch import MAX_BODIES, NEVER
from topple.iphyre.game import Game
from topple.iphyre.rules import AT_60_HZ, SECONDS, Quirk, Rules, tick_at

Rows = NDArray[np.int32]  # (plans, gray blocks) ticks, or NEVER

_HORIZONS = (2.0, 7.0, 15.0)  # s; how late random plans may act
_LATE = np.iinfo(np.int32).max // 2  # in place of NEVER when times are sorted


class PlanError(ValueError):
    """A plan does not fit its game; the message names the value and the fix."""


class Elimination(NamedTuple):
    """A block goes before the physics of a tick."""

    tick: int
    body: int


class Plan(NamedTuple):
    """Eliminations by rising tick, at most one per body."""

    eliminations: tuple[Elimination, ...] = ()

    @property
    def order(self) -> tuple[int, ...]:
        """The bodies in the order they go."""
        return tuple(elimination.body for elimination in self.eliminations)


NO_PLAN = Plan()


def plan_from_ticks(game: Game, ticks: Sequence[int | None], rules: Rules = AT_60_HZ) -> Plan:
    """A plan from a tick per gray block, in the game's order; None means never.

    Blocks due at one tick queue up, unless the rules are clean: the first goes at
    that tick, the next one tick later.

    Raises:
        PlanError: there are too many entries, or a tick is negative.
    """
    if len(ticks) > len(game.eliminable):
        raise PlanError(
            f"{len(ticks)} times for {game.name!r}, which has {len(game.eliminable)} gray blocks"
        )
    due = []
    for body, tick in zip(game.eliminable, ticks, strict=False):
        if tick is None:
            continue
        if tick < 0:
            raise PlanError(f"tick {tick} for block {body}; ticks start at 0")
        due.append(Elimination(tick, body))
    due.sort(key=lambda elimination: elimination.tick)
    if Quirk.ONE_REMOVAL_PER_TICK not in rules:
        return Plan(tuple(due))
    queued: list[Elimination] = []
    free = 0
    for tick, body in due:
        queued.append(Elimination(max(tick, free), body))
        free = queued[-1].tick + 1
    return Plan(tuple(queued))


def plan_from_seconds(game: Game, seconds: Sequence[float | None], rules: Rules = AT_60_HZ) -> Plan:
    """A plan from a time per gray block, in the game's order; None means never.

    A block goes at the first tick whose clock has reached its time. By the published
    rules a time of 0 means never, too.

    Raises:
        PlanError: there are too many times, or one is not a number from 0 to 15.
    """
    order = sorted((time, i) for i, time in enumerate(seconds) if time is not None and _valid(time))
    if Quirk.ZERO_IS_NEVER in rules:
        order = [(time, i) for time, i in order if time != 0.0]
    # Times order the queue, also within a tick, as the original sorts its clicks.
    ticks: list[int | None] = [None] * len(seconds)
    free = 0
    for time, i in order:
        tick = tick_at(time, rules)
        if Quirk.ONE_REMOVAL_PER_TICK in rules:
            tick = max(tick, free)
            free = tick + 1
        ticks[i] = tick
    return plan_from_ticks(game, ticks, rules)


def _valid(time: float) -> bool:
    if not 0.0 <= time <= SECONDS:
        raise PlanError(f"time {time} s; times are from 0 to {SECONDS} s, or None for never")
    return True


def random_rows(rng: np.random.Generator, count: int, blocks: int, rules: Rules) -> Rows:
    """Sets of blocks of any size, at times up to one of the horizons."""
    size = rng.integers(blocks + 1, size=(count, 1))
    place = np.argsort(rng.random((count, blocks)), axis=1)
    horizon = rng.choice(_HORIZONS, (count, 1)) * rules.hz
    ticks = 1 + (rng.random((count, blocks)) * (horizon - 1)).astype(np.int32)
    return np.where(place < size, ticks, NEVER).astype(np.int32)


def queued(rows: Rows, rules: Rules) -> Rows:
    """When blocks really go: by the rules, one at a tick, in order of time."""
    times = late(rows)
    order = np.argsort(times, axis=1, kind="stable")
    times = np.take_along_axis(times, order, axis=1)
    if Quirk.ONE_REMOVAL_PER_TICK in rules:
        for k in range(1, times.shape[1]):
            times[:, k] = np.maximum(times[:, k], times[:, k - 1] + 1)
    due = np.empty_like(times)
    np.put_along_axis(due, order, times, axis=1)
    return np.where(rows >= 0, due, NEVER).astype(np.int32)


def late(rows: Rows) -> Rows:
    """The rows with a tick after everything in place of NEVER, to sort by."""
    return np.where(rows >= 0, rows, _LATE).astype(np.int32)


def removals(game: Game, due: Rows) -> NDArray[np.int32]:
    """(plans, bodies) the rows as the physics takes them."""
    table = np.full((len(due), MAX_BODIES), NEVER, dtype=np.int32)
    table[:, list(game.eliminable)] = due
    return table


def row_plan(game: Game, row: NDArray[np.int32], rules: Rules) -> Plan:
    """The plan of one row."""
    ticks = [None if tick == NEVER else tick for tick in row.tolist()]
    return plan_from_ticks(game, ticks, rules)
