"""The three strategies: plan in advance, act on the fly, or re-plan after each removal.

All three play at 10 Hz. In advance and combined, an action is six numbers from 0 to
1, one for each gray block in the game's order, as fractions of the 15 seconds.
"""

from __future__ import annotations

import math
from enum import Enum
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from topple.iphyre.game import MAX_ELIMINABLE, Game
from topple.iphyre.plan import Elimination, Plan, PlanError
from topple.iphyre.rules import AT_10_HZ, SECONDS, Quirk, Rules


class Strategy(Enum):
    """When plans are made."""

    IN_ADVANCE = "in_advance"  # all times at once, before the first tick
    ON_THE_FLY = "on_the_fly"  # a block or nothing, every tick
    COMBINED = "combined"  # all times, anew after every removal


def action_ticks(action: ArrayLike, rules: Rules = AT_10_HZ) -> list[int]:
    """The tick each entry of an action names.

    The original multiplies and rounds in single precision, and so does this: a tick
    next to a half may fall on either side otherwise.

    Raises:
        PlanError: the action has not six entries, or one is outside 0 to 1.
    """
    values = np.asarray(action, dtype=np.float32)
    if values.shape != (MAX_ELIMINABLE,):
        raise PlanError(f"an action has shape {values.shape}; it must be ({MAX_ELIMINABLE},)")
    if not ((values >= 0.0) & (values <= 1.0)).all():
        raise PlanError(f"action {values.tolist()} has an entry outside 0 to 1")
    seconds = values * np.float32(SECONDS)
    ticks: list[int] = np.rint(seconds * np.float32(rules.hz)).astype(int).tolist()
    return ticks


def plan_in_advance(game: Game, action: ArrayLike, rules: Rules = AT_10_HZ) -> Plan:
    """The plan an action means when all times are fixed before the first tick."""
    taken: set[int] = set()
    plan: list[Elimination] = []
    for body, tick in zip(game.eliminable, action_ticks(action, rules), strict=False):
        if tick == 0 and Quirk.ZERO_IS_NEVER in rules:
            continue
        if tick >= rules.tick_limit:
            continue
        if tick in taken and Quirk.TIES_ARE_LOST in rules:
            continue
        taken.add(tick)
        plan.append(Elimination(tick, body))
    plan.sort()
    return Plan(tuple(plan))


class Leg(NamedTuple):
    """The part of a combined episode up to its next removal."""

    ticks: int  # to play without a removal
    body: int | None  # then removed, with one more tick; None: the episode ends first
    used: frozenset[int]  # entries of the action that have had their turn


def next_leg(
    game: Game, action: ArrayLike, tick: int, used: frozenset[int], rules: Rules = AT_10_HZ
) -> Leg:
    """What an action does from a tick on, by the combined strategy.

    An entry has one turn in an episode. Where several entries name one tick, the
    first stands for all of them, even if it has had its turn.
    """
    named = action_ticks(action, rules)
    last = last_tick(tick, rules)
    for now in range(tick, last):
        if now == 0 and Quirk.ZERO_IS_NEVER in rules:
            continue
        entries = [i for i, at in enumerate(named) if at == now]
        if Quirk.TIES_ARE_LOST in rules:
            entries = entries[:1]
        for entry in entries:
            if entry in used:
                continue
            used = used | {entry}
            if entry < len(game.eliminable):
                return Leg(now - tick, game.eliminable[entry], used)
    return Leg(last - tick, None, used)


def last_tick(tick: int, rules: Rules = AT_10_HZ) -> int:
    """Where an episode ends that is re-planned at a tick.

    The original lays out the rest of the clock as floats from `tick / hz` up to 15
    in steps of `1 / hz`; at some ticks the rounding of that count adds one.
    """
    if Quirk.EXTRA_TICK not in rules:
        return rules.tick_limit
    count = math.ceil((SECONDS - tick / rules.hz) / rules.dt)
    return tick + count
