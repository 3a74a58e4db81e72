"""New puzzles for training, made in the background while the network learns.

On the CPU a thread makes them: nearly all of its time is spent in the engine, on all cores and
without Python's lock. Where a GPU simulates, it has no time left for training, so all puzzles are
made before, by processes that put scenes together while others wait for the GPU.

Trainings on several folds can share puzzles that are made of all tasks of a tier: each takes those
that are made of nothing but its own training tasks.
"""

from __future__ import annotations

import multiprocessing
import time
from collections import deque
from collections.abc import Sequence
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from topple.phyre.action import listed_actions
from topple.phyre.agents.mined import Mined, mine
from topple.phyre.agents.scene_tokens import Rows, scene_rows
from topple.phyre.agents.watched import Watched, pick, watch
from topple.phyre.cache.shard import Outcomes
from topple.phyre.engine.backend import Backend, device_for
from topple.phyre.scramble import CHUNK, LIST_LENGTH, TOGETHER, Source, make_part
from topple.runs.executors.processes import end_with_parent
from topple.threads import can_start_threads

Flags = npt.NDArray[np.bool_]

_AHEAD = 64  # parts that are made before they are taken
_PROCESSES, _THREADS = 3, 4  # that use a GPU, which takes 9 GB for each; threads of each


@dataclass(frozen=True, eq=False)
class Part:
    """Some puzzles, as they are learned."""

    rows: Rows
    tried: npt.NDArray[np.int32]  # [puzzles, tried] numbers of listed actions
    outcomes: Outcomes  # [puzzles, tried] what came of them
    mined: Mined
    watched: Watched | None  # attempts to learn dynamics from
    made_of: npt.NDArray[np.int64]  # [puzzles, 2] tasks, see Puzzles
    drawn: int  # scenes that were put together
    simulated: int  # attempts

    def __len__(self) -> int:
        return len(self.tried)

    def made_only_of(self, tasks: Flags) -> Flags:
        """[puzzles] whether a puzzle is made of these tasks alone.

        Args:
            tasks: [tasks] whether a task of the source is one of them.
        """
        allowed: Flags = (self.made_of < 0) | tasks[self.made_of]
        return np.logical_and(allowed[:, 0], allowed[:, 1])

    def only(self, kept: Flags) -> Part:
        """Some of the puzzles; what was drawn and simulated stays what it was."""
        if kept.all():
            return self
        watched = self.watched
        if watched is not None:
            seen = kept[watched.scene]
            watched = Watched(
                (np.cumsum(kept) - 1)[watched.scene[seen]],
                *(watched.action[seen], watched.solved[seen]),
                *(watched.touch[seen], watched.motion[seen]),
            )
        counts = self.rows.counts
        return replace(
            self,
            rows=Rows(self.rows.rows[np.repeat(kept, counts)], counts[kept]),
            tried=self.tried[kept],
            outcomes=self.outcomes[kept],
            mined=Mined(self.mined.actions[kept], self.mined.outcomes[kept]),
            watched=watched,
            made_of=self.made_of[kept],
        )


@dataclass(eq=False)
class SharedParts:
    """Parts that several trainings take from, made once and kept in memory.

    Attributes:
        solutions: numbers of listed actions that solve each task of the tier, for blended puzzles.
        parts: by the source and the number of each.
        seconds: that trainings waited for them.
    """

    solutions: Sequence[npt.NDArray[np.int32]] = ()
    parts: dict[tuple[str, int], Part] = field(default_factory=dict)
    seconds: float = 0.0
    _recipe: tuple[object, ...] | None = None

    def check(self, recipe: Recipe) -> None:
        """Refuse another recipe than that of the parts.

        Raises:
            ValueError: It is another one.
        """
        tiers = {source.tier for source, _ in recipe.sources}
        made_with = (recipe.seed, recipe.actions, recipe.mined, recipe.watched, *tiers)
        if self._recipe not in (None, made_with):
            raise ValueError("puzzles of other settings cannot be shared; train with the same ones")
        self._recipe = made_with


class Recipe(NamedTuple):
    """What parts are made of; the same for all.

    Attributes:
        sources: where puzzles come from, and how many of each; they take turns.
        seed: of all random choices.
        actions: listed actions simulated on each scene.
        mined: attempts beside solutions of each puzzle.
        watched: attempts watched on each puzzle.
        backend: where outcomes are simulated.
    """

    sources: Sequence[tuple[Source, int]]
    seed: int
    actions: int
    mined: int
    watched: int
    backend: Backend

    def part(self, source: int, number: int, threads: int | None = None) -> Part:
        """The puzzles with a place in the stream of a source."""
        chosen = self.sources[source][0]
        puzzles = make_part(
            *(chosen, self.seed, number),
            actions=self.actions,
            threads=threads,
            backend=self.backend,
        )
        rng = np.random.default_rng([self.seed, number, source])
        listed = listed_actions(puzzles.tier, LIST_LENGTH)
        scenes, tried, outcomes = puzzles.scenes, puzzles.tried, puzzles.outcomes
        mined = mine(
            *(scenes, listed, tried, outcomes, self.mined, rng),
            threads=threads,
            backend=self.backend,
        )
        seen = None
        if self.watched and len(puzzles):
            place, column = pick(outcomes, self.watched, rng)
            seen = watch(scenes, place, listed[tried[place, column]], threads)
        simulated = puzzles.simulated + mined.outcomes.size
        simulated += 0 if seen is None else len(seen.scene)
        return Part(
            *(scene_rows(scenes), tried, outcomes, mined, seen, puzzles.made_of),
            drawn=puzzles.drawn,
            simulated=simulated,
        )


class PuzzleSupply:
    """Puzzles in an order that depends on the seed alone.

    Args:
        recipe: what they are made of.
        allowed: [tasks] whether puzzles may be made of a task of the sources; all by default.
        shared: where parts are kept for other trainings, and taken from; none by default.

    Attributes:
        total: puzzles to be made.
        made: puzzles taken so far.
        on_gpu: whether a GPU simulates them.
    """

    def __init__(
        self, recipe: Recipe, allowed: Flags | None = None, shared: SharedParts | None = None
    ) -> None:
        if shared is not None:
            shared.check(recipe)
        self._allowed, self._shared = allowed, shared
        sources = [pair for pair in recipe.sources if pair[1]]
        self._recipe = recipe._replace(sources=sources)
        self.total = sum(wanted for _, wanted in sources)
        self.made = 0
        most = TOGETHER * CHUNK * recipe.actions
        self.on_gpu = self.total > 0 and device_for(recipe.backend, most) is not None
        self._turns = [0] * len(sources)
        self._waiting: deque[tuple[tuple[str, int], Future[Part]]] = deque()
        self._executor: Executor | None = None

    def __enter__(self) -> PuzzleSupply:
        if not self.total or not can_start_threads():
            return self
        if not self.on_gpu:
            self._executor = ThreadPoolExecutor(1)
        else:
            self._executor = ProcessPoolExecutor(
                _PROCESSES,
                # A forked process could not use the GPU.
                multiprocessing.get_context("spawn"),
                _begin,
                (self._recipe,),
            )
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def stop(self) -> None:
        """Make no more puzzles, and free what that takes."""
        self.total = self.made
        if self._executor is not None:
            self._executor.shutdown(cancel_futures=True)
        self._waiting.clear()

    def take(self, wanted: int) -> list[Part]:
        """Further parts until so many puzzles were taken in all; waits for them."""
        taken = []
        while self.made < min(wanted, self.total):
            self._order()
            key, future = self._waiting.popleft()
            part = self._keep(key, future)
            if self._allowed is not None:
                part = part.only(part.made_only_of(self._allowed))
            taken.append(part)
            self.made += len(part)
        self._order()
        return taken

    def _keep(self, key: tuple[str, int], future: Future[Part]) -> Part:
        """The part that somebody makes, kept for others."""
        if self._shared is None or key in self._shared.parts:
            return future.result()
        start = time.monotonic()
        part = self._shared.parts[key] = future.result()
        self._shared.seconds += time.monotonic() - start
        return part

    def ready(self) -> int:
        """Puzzles that can be taken without waiting, with those that were."""
        found = self.made
        for _, future in self._waiting:
            if not future.done() or future.exception() is not None:
                break
            part = future.result()
            found += len(part) if self._allowed is None else part.made_only_of(self._allowed).sum()
        return int(found)

    def _order(self) -> None:
        """Have the next parts made, some of them ahead of time."""
        ahead = min(_AHEAD if self._executor else 1, self.total - self.made)
        while len(self._waiting) < ahead:
            turn = [k / pair[1] for k, pair in zip(self._turns, self._recipe.sources, strict=True)]
            source = turn.index(min(turn))
            number = self._turns[source]
            self._turns[source] += 1
            key = self._recipe.sources[source][0].name, number
            self._waiting.append((key, self._submit(source, key)))

    def _submit(self, source: int, key: tuple[str, int]) -> Future[Part]:
        number = key[1]
        known = self._shared.parts.get(key) if self._shared is not None else None
        if known is not None or self._executor is None:
            made: Future[Part] = Future()
            made.set_result(self._recipe.part(source, number) if known is None else known)
            return made
        if self.on_gpu:
            return self._executor.submit(_make, source, number)
        return self._executor.submit(self._recipe.part, source, number)


_recipe: Recipe | None = None  # of a process that makes parts


def _begin(recipe: Recipe) -> None:
    global _recipe  # sent once, not with every part
    _recipe = recipe
    end_with_parent()


def _make(source: int, number: int) -> Part:
    assert _recipe is not None
    return _recipe.part(source, number, _THREADS)
