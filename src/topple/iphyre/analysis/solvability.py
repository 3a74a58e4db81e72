"""Whether a game can be solved at 10 Hz, where learning agents play.

Plans are those an action in advance can express: a tick from 1 to 149 per gray
block, no two alike, or never. With up to two gray blocks all of them are tried.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice, product
from typing import NamedTuple

import numpy as np

from topple.iphyre.engine.batch import NEVER, simulate_batch
from topple.iphyre.game import Game
from topple.iphyre.plan import removals
from topple.iphyre.rules import AT_10_HZ, Rules

EXHAUSTIVE_BLOCKS = 2  # games with more gray blocks are sampled
_BATCH = 8192  # plans played at a time


class Solvability(NamedTuple):
    """What trying plans showed."""

    exhaustive: bool  # every plan was tried
    plans: int
    solved: int
    best_reward: float | None  # None: no plan solved the game
    best_ticks: tuple[int, ...] | None  # per gray block; 0 means never

    @property
    def share(self) -> float:
        """Of plans that solved the game."""
        return self.solved / self.plans


def solvability(
    game: Game, samples: int = 4000, seed: int = 0, rules: Rules = AT_10_HZ
) -> Solvability:
    """Try all plans of a small game, or a number of random ones of a larger game."""
    blocks = len(game.eliminable)
    exhaustive = blocks <= EXHAUSTIVE_BLOCKS
    plans = _all(blocks, rules) if exhaustive else _random(blocks, samples, seed, rules)
    count = solved = 0
    best_reward: float | None = None
    best_ticks: tuple[int, ...] | None = None
    while rows := list(islice(plans, _BATCH)):
        count += len(rows)
        ticks = np.array(rows, np.int32).reshape(len(rows), blocks)
        # No two ticks are alike, so nothing has to wait; 0 stands for never.
        due = removals(game, np.where(ticks > 0, ticks, np.int32(NEVER)))
        outcomes = simulate_batch([game.scene], [0] * len(rows), due, rules.request)
        solved += int(outcomes.solved.sum())
        for k in np.flatnonzero(outcomes.solved).tolist():
            reward = rules.reward(int(outcomes.ticks[k]), int(outcomes.removed[k]), True)
            if best_reward is None or reward > best_reward:
                best_reward, best_ticks = reward, rows[k]
    return Solvability(exhaustive, count, solved, best_reward, best_ticks)


def _all(blocks: int, rules: Rules) -> Iterator[tuple[int, ...]]:
    for ticks in product(range(rules.tick_limit), repeat=blocks):
        if _distinct(ticks):
            yield ticks


def _random(blocks: int, samples: int, seed: int, rules: Rules) -> Iterator[tuple[int, ...]]:
    rng = np.random.default_rng(seed)
    drawn = 0
    while drawn < samples:
        # Half act early and half at any time: many solutions lie in the first seconds.
        limit = rules.tick_limit if drawn % 2 else 7 * rules.hz
        ticks = rng.integers(1, limit, blocks) * (rng.random(blocks) > 0.25)
        plan: tuple[int, ...] = tuple(ticks.tolist())
        if _distinct(plan):
            drawn += 1
            yield plan


def _distinct(ticks: tuple[int, ...]) -> bool:
    used = [tick for tick in ticks if tick]
    return len(used) == len(set(used))
