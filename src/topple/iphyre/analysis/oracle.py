"""The best plan for a game: random search, then around what was found.

A plan is searched as one tick per gray block, or never. Plans are made and played in
batches. A better plan needs fewer removals or less time, so every attempt ends where it
can no longer win; that makes most of them short.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from topple.iphyre.analysis.store import read_results
from topple.iphyre.engine.batch import NEVER, simulate_batch
from topple.iphyre.episode import play
from topple.iphyre.game import Game
from topple.iphyre.plan import Plan, Rows, late, plan_from_ticks, queued, random_rows, removals
from topple.iphyre.rules import AT_60_HZ, ELIMINATION_REWARD, SUCCESS_REWARD, Rules
from topple.iphyre.score import Score

Ticks = tuple[int | None, ...]  # one entry per gray block

_SCALES = (1.0, 4.0, 20.0, 90.0)  # ticks by which times are moved
_POOL = 12  # solutions kept for refinement
_KEPT = 64  # solutions of a batch that may enter the pool
_SHARE_RANDOM = 0.4  # of the attempts
_LAG = 4.0  # by how much a random plan may be worse than the best and still be kept
_BATCHES = 50  # an attempt learns from the batches before its own
_LARGEST_BATCH = 4096


class OraclePlan(NamedTuple):
    """The best plan that was found, if any."""

    ticks: Ticks
    plan: Plan
    score: Score


class _Solution(NamedTuple):
    ticks: tuple[int, ...]  # per gray block, or NEVER; only what was carried out
    order: tuple[int, ...]  # gray blocks as they went
    reward: float


class _Search:
    """Attempts on one game, with the solutions worth refining."""

    def __init__(
        self, game: Game, rules: Rules, rng: np.random.Generator, threads: int | None
    ) -> None:
        self.game = game
        self.rules = rules
        self.rng = rng
        self.attempts = 0
        self.pool: list[_Solution] = []  # best first, one for each order of blocks
        self._threads = threads
        self._blocks = len(game.eliminable)

    @property
    def best(self) -> float:
        return self.pool[0].reward if self.pool else -np.inf

    def attempt(self, rows: Rows, at_least: NDArray[np.float64]) -> None:
        """Play plans and keep those solved with at least a reward each."""
        self.attempts += len(rows)
        due = queued(rows, self.rules)
        solved, ticks, removed = simulate_batch(
            [self.game.scene],
            np.zeros(len(rows), np.int64),
            removals(self.game, due),
            self.rules.request,
            limits=self._limits(due, at_least),
            threads=self._threads,
        )
        rewards = SUCCESS_REWARD - ticks / self.rules.hz + ELIMINATION_REWARD * removed
        good = np.flatnonzero(solved & (rewards >= at_least))
        for k in good[np.argsort(-rewards[good], kind="stable")][:_KEPT].tolist():
            self._keep(rows[k], due[k], int(ticks[k]), int(removed[k]))

    def _limits(self, due: Rows, at_least: NDArray[np.float64]) -> NDArray[np.int32]:
        """The last tick at which a plan can be solved with its reward."""
        spare = np.minimum(SUCCESS_REWARD - at_least, self.rules.tick_limit)
        times = np.sort(late(due), axis=1).astype(np.float64)
        limits = np.zeros(len(due))
        start: NDArray[np.float64] = np.zeros(len(due))
        # After k removals, time is left up to the next one as far as the reward allows.
        for k in range(due.shape[1] + 1):
            until = times[:, k] if k < due.shape[1] else np.full(len(due), np.inf)
            lasts = np.floor((spare + ELIMINATION_REWARD * k) * self.rules.hz + 1e-6)
            limits = np.where(lasts > start, np.minimum(until, lasts), limits)
            start = until
        return np.clip(limits, 0, self.rules.tick_limit).astype(np.int32)

    def _keep(
        self, row: NDArray[np.int32], due: NDArray[np.int32], ticks: int, removed: int
    ) -> None:
        """Put a solution into the pool, in place of a worse one with the same order."""
        gone = [k for k in np.argsort(due, kind="stable").tolist() if due[k] >= 0][:removed]
        kept = tuple(int(row[k]) if k in gone else NEVER for k in range(self._blocks))
        found = _Solution(kept, tuple(gone), self.rules.reward(ticks, removed, True))
        rivals = [each for each in self.pool if each.order == found.order]
        if rivals and rivals[0].reward >= found.reward:
            return
        self.pool = [each for each in self.pool if each not in rivals] + [found]
        self.pool.sort(key=lambda each: -each.reward)
        del self.pool[_POOL:]

    def random_rows(self, count: int) -> Rows:
        """Sets of blocks of any size, at times up to one of the horizons."""
        return random_rows(self.rng, count, self._blocks, self.rules)

    def nearby(self, rows: Rows) -> Rows:
        """Plans like these: moved, thinned, hurried or delayed."""
        rng, shape = self.rng, rows.shape
        used = rows >= 0
        picked = np.zeros(shape, dtype=np.bool_)
        chosen = np.argmax(np.where(used, rng.random(shape), -1.0), axis=1)
        picked[np.arange(len(rows)), chosen] = True
        scale = rng.choice(_SCALES, (len(rows), 1))
        shift = np.rint(rng.normal(0.0, 1.0, (len(rows), 1)) * scale)
        shift = np.where(shift == 0, rng.choice((-1, 1), shift.shape), shift)
        own = np.rint(rng.normal(0.0, 1.0, shape) * scale)
        kind = rng.random((len(rows), 1))
        by = np.where(kind < 0.3, shift, np.where(kind < 0.6, own, np.where(picked, shift, 0)))
        moved = np.maximum(1, rows + by)
        moved = np.where((kind < 0.18) & picked, 1, np.where(kind < 0.18, rows, moved))
        moved = np.where((kind < 0.08) & picked, NEVER, moved)
        moved = np.where(used, moved, NEVER)
        # Where nothing is removed, there is nothing to move.
        return np.where(used.any(axis=1, keepdims=True), moved, self.random_rows(len(rows))).astype(
            np.int32
        )


def read_plans(path: Path) -> dict[str, Ticks]:
    """The plans that a search stored, by game; games that it did not solve are left out.

    Raises:
        StoreError: the file cannot be read.
    """
    results = read_results(path)["results"]
    return {
        name: tuple(each["ticks"]) for name, each in results.items() if each["ticks"] is not None
    }


def search_oracle(
    game: Game,
    attempts: int = 12_000,
    seed: int = 0,
    rules: Rules = AT_60_HZ,
    starts: Sequence[Ticks] = (),
    threads: int | None = None,
) -> OraclePlan | None:
    """The best plan found in a number of attempts, or None if none solved the game.

    Args:
        game: what to solve.
        attempts: plans to try.
        seed: of the random choices.
        rules: what episodes go by.
        starts: plans known before, which are tried first and searched around.
        threads: at most this many; all cores by default. They do not change the result.
    """
    search = _Search(game, rules, np.random.default_rng(seed), threads)
    if starts:
        known = [[NEVER if tick is None else tick for tick in ticks] for ticks in starts]
        search.attempt(np.array(known, np.int32), np.full(len(known), -np.inf))
    batch = min(max(attempts // _BATCHES, 1), _LARGEST_BATCH)
    random = int(attempts * _SHARE_RANDOM)
    while search.attempts < random:
        count = min(batch, random - search.attempts)
        # A solution behind the best may still lead past it.
        search.attempt(search.random_rows(count), np.full(count, search.best - _LAG))
    while search.pool and search.attempts < attempts:
        count = min(batch, attempts - search.attempts)
        # Better solutions get more attempts: the square of a uniform number favours them.
        places = (search.rng.random(count) ** 2 * len(search.pool)).astype(np.intp)
        rows = np.array([each.ticks for each in search.pool], np.int32)[places]
        rewards = np.array([each.reward for each in search.pool])[places]
        search.attempt(search.nearby(rows.reshape(count, -1)), rewards)
    return _played(game, search.pool[0], rules) if search.pool else None


def _played(game: Game, solution: _Solution, rules: Rules) -> OraclePlan:
    ticks: Ticks = tuple(None if tick == NEVER else tick for tick in solution.ticks)
    plan = plan_from_ticks(game, ticks, rules)
    return OraclePlan(ticks, plan, play(game, plan, rules))
