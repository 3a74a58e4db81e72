"""Many plans as rows of ticks: one column per gray block of a game, NEVER where it stays."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from topple.iphyre.engine.batch import MAX_BODIES, NEVER
from topple.iphyre.game import Game
from topple.iphyre.plan import Plan, plan_from_ticks
from topple.iphyre.rules import Quirk, Rules

Rows = NDArray[np.int32]  # (plans, gray blocks) ticks, or NEVER

_HORIZONS = (2.0, 7.0, 15.0)  # s; how late random plans may act
_LATE = np.iinfo(np.int32).max // 2  # in place of NEVER when times are sorted


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
