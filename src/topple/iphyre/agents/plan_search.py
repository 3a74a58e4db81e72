"""Cross-entropy search over plans, whoever judges them: the simulator or a learned model.

Plans are drawn at random first. The best of those that remove the same blocks in the same order
make a family; new plans are drawn around a family's mean times, with its spread, which is kept
from closing early. Better families get more of them, and some stay random to the end.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from topple.iphyre.engine.batch import NEVER
from topple.iphyre.plan import Rows, late, random_rows
from topple.iphyre.rules import Rules

_SHARE_RANDOM = 0.2  # of a generation, once something is worth refining
_SHARE_THINNED = 0.15  # of the refined ones, which leave out one block
_ELITES = 8  # kept of a family
_FAMILIES = 12
_FAVOUR = 0.6  # a family gets this share of what the next better one gets
_WIDEST, _NARROWEST = 0.6, 0.05  # s; the least spread, at the beginning and at the end


class Judged(NamedTuple):
    """What a judge says of plans."""

    values: NDArray[np.float64]  # (plans,) rewards, or what is expected; above 0: a solution
    rows: Rows  # (plans, blocks) without what is due after the end


Judge = Callable[[Rows], Judged]


class Found(NamedTuple):
    """A plan and its value."""

    value: float
    row: tuple[int, ...]


class PlanSearch:
    """The search on one game.

    Args:
        judge: called with new plans only.
        blocks: gray blocks of the game.
        rules: what it is played by.
        rng: for all random choices.

    Attributes:
        judged: plans so far.
    """

    def __init__(self, judge: Judge, blocks: int, rules: Rules, rng: np.random.Generator) -> None:
        self.judged = 0
        self._judge = judge
        self._blocks = blocks
        self._rules = rules
        self._rng = rng
        self._seen: set[tuple[int, ...]] = set()
        self._families: dict[tuple[int, ...], list[Found]] = {}

    def run(self, calls: int, generations: int) -> None:
        """Have so many plans judged, or fewer where there are no more to be found."""
        for generation in range(generations):
            left = calls - self.judged
            wanted = -(-left // (generations - generation))
            if wanted > 0:
                self._generation(wanted, generation / generations)

    def best(self) -> list[Found]:
        """The best plan of each family kept, best first."""
        return [family[0] for family in self._ranked()]

    def _generation(self, wanted: int, progress: float) -> None:
        rows = random_rows(self._rng, wanted, self._blocks, self._rules)
        families = self._ranked()
        if families:
            refined = self._rng.random(wanted) >= _SHARE_RANDOM
            rows[refined] = self._refined(families, int(refined.sum()), progress)
        drawn = dict.fromkeys(map(tuple, rows.tolist()))
        fresh = [row for row in drawn if row not in self._seen]
        if not fresh:
            return
        self._seen.update(fresh)
        self.judged += len(fresh)
        table = np.array(fresh, np.int32).reshape(len(fresh), self._blocks)
        values, done = self._judge(table)
        for value, row in zip(values.tolist(), map(tuple, done.tolist()), strict=True):
            if value > 0:
                self._keep(Found(value, row))

    def _keep(self, found: Found) -> None:
        due = sorted((tick, block) for block, tick in enumerate(found.row) if tick >= 0)
        family = self._families.setdefault(tuple(block for _, block in due), [])
        if found not in family:
            family.append(found)
            family.sort(key=lambda each: -each.value)
            del family[_ELITES:]

    def _ranked(self) -> list[list[Found]]:
        """The families worth refining, best first; equals by age."""
        return sorted(self._families.values(), key=lambda family: -family[0].value)[:_FAMILIES]

    def _refined(self, families: list[list[Found]], count: int, progress: float) -> Rows:
        weights = _FAVOUR ** np.arange(len(families))
        chosen = self._rng.choice(len(families), count, p=weights / weights.sum())
        elites = [np.array([found.row for found in family]) for family in families]
        shape = (len(families), self._blocks)
        mean = np.array([rows.mean(axis=0) for rows in elites]).reshape(shape)
        used = np.array([rows[0] >= 0 for rows in elites]).reshape(shape)
        least = self._rules.hz * (_WIDEST + (_NARROWEST - _WIDEST) * progress)
        spread = np.maximum([rows.std(axis=0) for rows in elites], least).reshape(shape)
        times = self._rng.normal(mean[chosen], spread[chosen])
        ticks = np.clip(np.rint(times), 1, self._rules.tick_limit - 1).astype(np.int32)
        rows = np.where(used[chosen], ticks, NEVER).astype(np.int32)
        return self._thinned(rows)

    def _thinned(self, rows: Rows) -> Rows:
        """Some of the rows without one of their blocks."""
        if not self._blocks:
            return rows
        thin = self._rng.random(len(rows)) < _SHARE_THINNED
        lots = np.where(rows >= 0, self._rng.random(rows.shape), -1.0)
        rows[np.flatnonzero(thin), np.argmax(lots, axis=1)[thin]] = NEVER
        return rows


def carried_out(due: Rows, ticks: NDArray[np.int32]) -> Rows:
    """The rows without what is due when an episode is over."""
    return np.where(late(due) < ticks[:, None], due, NEVER).astype(np.int32)
