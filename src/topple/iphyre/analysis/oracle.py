"""Search for the best plan of a game: at random first, then around what was found.

A plan is searched as one tick per gray block, or None. A better plan needs fewer
removals or less time, so every attempt is cut off when it can no longer win; that
makes most of them short.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from topple.iphyre.game import Game
from topple.iphyre.plan import Plan, plan_from_ticks
from topple.iphyre.rules import AT_60_HZ, ELIMINATION_REWARD, SUCCESS_REWARD, Rules
from topple.iphyre.score import Score
from topple.physics.munk import run_episode, world_for

Ticks = tuple[int | None, ...]  # one entry per gray block

_HORIZONS = (2.0, 7.0, 15.0)  # s; how late random plans may act
_POOL = 12  # solutions kept for refinement
_SHARE_RANDOM = 0.4  # of the attempts


class OraclePlan(NamedTuple):
    """The best plan that was found, if any."""

    ticks: Ticks
    plan: Plan
    score: Score


class _Search:
    """Attempts on one game, with the solutions worth refining."""

    def __init__(self, game: Game, rules: Rules, rng: np.random.Generator) -> None:
        self.game = game
        self.rules = rules
        self.rng = rng
        self.attempts = 0
        self.pool: list[OraclePlan] = []  # best first, one for each order of blocks
        self._request = rules.request
        self._world = world_for(game.scene, self._request.params)

    @property
    def best(self) -> float:
        return self.pool[0].score.reward if self.pool else -np.inf

    def attempt(self, ticks: Ticks, at_least: float) -> OraclePlan | None:
        """Play a plan; None unless it is solved with at least a reward."""
        self.attempts += 1
        plan = plan_from_ticks(self.game, ticks, self.rules)
        limit = self._request.ticks
        if np.isfinite(at_least):
            # Removals due after the end are never charged, so at first none is.
            spare = SUCCESS_REWARD - at_least
            limit = min(limit, int(spare * self.rules.hz + 0.5))
        solved, played, removed = run_episode(
            self._world, plan.eliminations, self._request._replace(ticks=limit)
        )
        reward = self.rules.reward(played, removed, solved)
        if not solved or reward < at_least:
            return None
        executed = tuple(
            tick if body in plan.order[:removed] else None
            for body, tick in zip(self.game.eliminable, ticks, strict=True)
        )
        kept = Plan(plan.eliminations[:removed])
        return OraclePlan(executed, kept, Score(reward, solved, played, removed))

    def keep(self, found: OraclePlan) -> None:
        """Put a solution into the pool, in place of a worse one with the same order."""
        rivals = [each for each in self.pool if each.plan.order == found.plan.order]
        if rivals and rivals[0].score.reward >= found.score.reward:
            return
        self.pool = [each for each in self.pool if each not in rivals] + [found]
        self.pool.sort(key=lambda each: -each.score.reward)
        del self.pool[_POOL:]

    def random_ticks(self) -> Ticks:
        """A set of blocks of any size, at times up to one of the horizons."""
        count = len(self.game.eliminable)
        chosen = self.rng.permutation(count)[: self.rng.integers(count + 1)]
        horizon = int(self.rng.choice(_HORIZONS) * self.rules.hz)
        ticks: list[int | None] = [None] * count
        for block in chosen.tolist():
            ticks[block] = int(self.rng.integers(1, horizon))
        return tuple(ticks)

    def nearby(self, ticks: Ticks) -> Ticks:
        """A plan like this one: moved, thinned, hurried or delayed."""
        moved = list(ticks)
        used = [i for i, tick in enumerate(ticks) if tick is not None]
        if not used:
            return self.random_ticks()
        block = int(self.rng.choice(used))
        kind = self.rng.random()
        scale = float(self.rng.choice((1.0, 4.0, 20.0, 90.0)))
        shift = round(self.rng.normal(0.0, scale)) or int(self.rng.choice((-1, 1)))
        if kind < 0.08:
            moved[block] = None
        elif kind < 0.18:
            moved[block] = 1
        elif kind < 0.3:
            for i in used:
                moved[i] = max(1, (moved[i] or 0) + shift)
        elif kind < 0.6:
            for i in used:
                own = round(self.rng.normal(0.0, scale))
                moved[i] = max(1, (moved[i] or 0) + own)
        else:
            moved[block] = max(1, (moved[block] or 0) + shift)
        return tuple(moved)


def search_oracle(
    game: Game, attempts: int = 12_000, seed: int = 0, rules: Rules = AT_60_HZ
) -> OraclePlan | None:
    """The best plan found in a number of attempts, or None if none solved the game."""
    search = _Search(game, rules, np.random.default_rng(seed))
    for start in (search.random_ticks() for _ in range(int(attempts * _SHARE_RANDOM))):
        # A solution far behind the best may still lead past it, so some lag is allowed.
        lag = search.best - 2 * abs(ELIMINATION_REWARD)
        found = search.attempt(start, lag)
        if found is not None:
            search.keep(found)
    while search.pool and search.attempts < attempts:
        # Better solutions get more attempts: the square of a uniform number favours them.
        place = int(search.rng.random() ** 2 * len(search.pool))
        current = search.pool[place]
        found = search.attempt(search.nearby(current.ticks), current.score.reward)
        if found is not None:
            search.keep(found)
    return search.pool[0] if search.pool else None
