"""Batches for learning from outcomes: which action on which task, and whether it solved it.

A batch is half solutions and half failures, each drawn evenly from all of their kind, or,
unbalanced, drawn evenly from all valid attempts. Solutions are few and are listed once;
failures are many and are found by drawing until one is hit, which needs no list of them.

Batches come in chunks of ``CHUNK``. A chunk depends on the seed and its own number alone, so
that training that is taken up again meets the same batches, on any device.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from topple.phyre.cache.shard import Outcomes
from topple.phyre.engine.result import Outcome

CHUNK = 1_000  # batches made together

Places = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Chunk:
    """Batches one after the other."""

    tasks: npt.NDArray[np.int32]  # [CHUNK, groups] places of tasks
    numbers: npt.NDArray[np.int32]  # [CHUNK, batch] actions; a group's are together
    solved: npt.NDArray[np.float32]  # [CHUNK, batch] 1: the action solves its group's task


class Batches:
    """Draws batches from a table of outcomes.

    Args:
        outcomes: [tasks, actions]; unknown ones are never drawn.
        size: attempts of a batch.
        share: attempts that share a task in a batch, and its encoding with it. Further
            attempts of a group are drawn from those on the same task with the same result.
        balanced: whether half of a batch are solutions.
        seed: of all draws.

    Raises:
        ValueError: The outcomes hold nothing to draw from, or the sizes do not divide.
    """

    def __init__(
        self, outcomes: Outcomes, size: int, *, share: int = 1, balanced: bool = True, seed: int
    ) -> None:
        if size % (2 * share):
            raise ValueError(
                f"a batch of {size} cannot be halved into groups of {share}; "
                f"use a multiple of {2 * share}"
            )
        self._outcomes = np.ascontiguousarray(outcomes)
        self._flat = self._outcomes.reshape(-1)
        self._size, self._share, self._balanced, self._seed = size, share, balanced, seed
        self._solutions: Places = np.flatnonzero(self._flat == Outcome.SOLVED)
        actions = self._outcomes.shape[1]
        starts = np.arange(len(self._outcomes) + 1) * actions
        #: [tasks + 1] where each task's solutions begin among all.
        self._first: Places = np.searchsorted(self._solutions, starts)
        failures = bool((self._flat == Outcome.NOT_SOLVED).any())
        if not (len(self._solutions) and failures):
            missing = "failures" if len(self._solutions) else "solutions"
            raise ValueError(
                f"there are no {missing} among {actions} actions on {len(self._outcomes)} "
                "training tasks; use more actions or tasks"
            )

    @property
    def solutions(self) -> int:
        """How many attempts are solutions."""
        return len(self._solutions)

    def chunk(self, number: int) -> Chunk:
        """The batches from ``number * CHUNK`` on."""
        rng = np.random.default_rng([self._seed, number])
        groups = self._size // self._share
        if self._balanced:
            half = CHUNK * groups // 2
            solved = self._solutions[rng.integers(0, len(self._solutions), half)]
            failed = self._draw(rng, half, Outcome.NOT_SOLVED)
            leaders = np.stack([solved, failed], axis=1).reshape(CHUNK, groups)
        else:
            leaders = self._draw(rng, CHUNK * groups, None).reshape(CHUNK, groups)
        flat = self._members(rng, leaders)
        actions = self._outcomes.shape[1]
        return Chunk(
            (leaders // actions).astype(np.int32),
            (flat % actions).astype(np.int32),
            (self._flat[flat] == Outcome.SOLVED).astype(np.float32),
        )

    def _draw(self, rng: np.random.Generator, count: int, wanted: Outcome | None) -> Places:
        """[count] places of attempts with an outcome, or of any valid ones."""
        kept: list[Places] = []
        missing = count
        while missing:
            drawn = rng.integers(0, len(self._flat), 2 * missing)
            found = self._flat[drawn]
            valid = (found == Outcome.SOLVED) | (found == Outcome.NOT_SOLVED)
            kept.append(drawn[valid if wanted is None else found == wanted][:missing])
            missing -= len(kept[-1])
        return np.concatenate(kept)

    def _members(self, rng: np.random.Generator, leaders: Places) -> Places:
        """[CHUNK, batch] each leader and what shares its task and result."""
        members = np.repeat(leaders.reshape(-1, 1), self._share, axis=1)
        followers = members[:, 1:]  # a view
        task = followers // self._outcomes.shape[1]
        solved = self._flat[followers] == Outcome.SOLVED
        first, stop = self._first[task[solved]], self._first[task[solved] + 1]
        followers[solved] = self._solutions[rng.integers(first, stop)]
        row, column = np.nonzero(~solved)
        while len(row):
            start = task[row, column] * self._outcomes.shape[1]
            drawn = start + rng.integers(0, self._outcomes.shape[1], len(row))
            good = self._flat[drawn] == Outcome.NOT_SOLVED
            followers[row[good], column[good]] = drawn[good]
            row, column = row[~good], column[~good]
        return members.reshape(len(leaders), -1)
