"""A name for what the I-PHYRE engine does: a hash over every tick of a plan for each game.

It was made with pymunk 7.3.1 on a processor with fused operations, which is what the published
bits were made with; the native engine gives it everywhere. A build that fuses operations, or
takes a step out of order, gives another.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator

import numpy as np

from topple.iphyre.episode import watch
from topple.iphyre.game import Game
from topple.iphyre.games import ALL
from topple.iphyre.plan import Plan, plan_from_ticks
from topple.iphyre.rules import Rules

#: The hashes of the reference, by ticks a second.
FAITHFUL = {
    60: "fc9dc8ac22d9cf51ad52aa9291427ec0b5547a21bd5a374b9cffcc1a54f73459",
    10: "d5ee7e8033c2ad3984b47d85f1a33a09fb43a87922a31714d63a0f5f74389fc8",
}

_SEED = 2024  # of the plans
_SECONDS = 6  # within which all blocks are gone


def probe(rules: Rules) -> Iterator[tuple[Game, Plan]]:
    """The games and plans that the hash is taken over."""
    rng = np.random.default_rng(_SEED)
    for game in ALL:
        ticks = rng.integers(1, _SECONDS * rules.hz, len(game.eliminable)).tolist()
        yield game, plan_from_ticks(game, ticks, rules)


def engine_hash(rules: Rules) -> str:
    """The hash of an engine under some rules; takes about half a second at 60 ticks a second."""
    found = hashlib.sha256()
    for game, plan in probe(rules):
        trace = watch(game, plan, rules)
        found.update(trace.poses.tobytes())
        found.update(trace.velocities.tobytes())
    return found.hexdigest()
