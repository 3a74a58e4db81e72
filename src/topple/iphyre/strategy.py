"""The three strategies: plan in advance, act on the fly, or re-plan after each removal.

All three play at 10 Hz. In advance and combined, an action is six numbers from 0 to
1, one for each gray block in the game's order, as fractions of the 15 seconds. The native
engine carries them out; `Episode.act` and the environments are the ways to it.
"""

from __future__ import annotations

from enum import Enum

import numpy as np
from numpy.typing import ArrayLike, NDArray

from topple.iphyre.engine.native import NativeStrategy, block_row
from topple.iphyre.game import MAX_ELIMINABLE, Game
from topple.iphyre.plan import Elimination, Plan, PlanError
from topple.iphyre.rules import AT_10_HZ, Rules, native_rules


class Strategy(Enum):
    """When plans are made."""

    IN_ADVANCE = "in_advance"  # all times at once, before the first tick
    ON_THE_FLY = "on_the_fly"  # a block or nothing, every tick
    COMBINED = "combined"  # all times, anew after every removal


NATIVE_STRATEGY = {
    Strategy.IN_ADVANCE: NativeStrategy.IN_ADVANCE,
    Strategy.ON_THE_FLY: NativeStrategy.ON_THE_FLY,
    Strategy.COMBINED: NativeStrategy.COMBINED,
}


def action_times(action: ArrayLike) -> NDArray[np.float32]:
    """(6,) an action in advance or combined, checked.

    Raises:
        PlanError: the action has not six entries, or one is outside 0 to 1.
    """
    values = np.asarray(action, dtype=np.float32)
    if values.shape != (MAX_ELIMINABLE,):
        raise PlanError(f"an action has shape {values.shape}; it must be ({MAX_ELIMINABLE},)")
    if not ((values >= 0.0) & (values <= 1.0)).all():
        raise PlanError(f"action {values.tolist()} has an entry outside 0 to 1")
    return np.ascontiguousarray(values)


def action_ticks(action: ArrayLike, rules: Rules = AT_10_HZ) -> list[int]:
    """The tick each entry of an action names.

    The original multiplies and rounds in single precision, and so does this: a tick
    next to a half may fall on either side otherwise.

    Raises:
        PlanError: as `action_times`.
    """
    return native_rules(rules).action_ticks(action_times(action))


def plan_in_advance(game: Game, action: ArrayLike, rules: Rules = AT_10_HZ) -> Plan:
    """The plan an action means when all times are fixed before the first tick."""
    blocks, times = block_row(game.eliminable), action_times(action)
    planned = native_rules(rules).planned_removals(blocks, times)
    return Plan(tuple(Elimination(*removal) for removal in planned))


def last_tick(tick: int, rules: Rules = AT_10_HZ) -> int:
    """Where an episode ends that is re-planned at a tick: see `Quirk.EXTRA_TICK`."""
    return native_rules(rules).last_tick(tick)
