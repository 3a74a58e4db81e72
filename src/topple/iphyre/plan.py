"""Plans: which block goes at which tick."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from topple.iphyre.game import Game
from topple.iphyre.rules import AT_60_HZ, SECONDS, Quirk, Rules, tick_at


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
        PlanError: there are too many times, or one is negative or not a number.
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
    if not math.isfinite(time) or time < 0.0:
        raise PlanError(f"time {time} s; times are from 0 to {SECONDS} s, or None for never")
    return True
