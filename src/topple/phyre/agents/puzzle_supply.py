"""New puzzles for training, made in the background while the network learns."""

from __future__ import annotations

import queue
import threading
from collections.abc import Iterator, Sequence
from itertools import count
from types import TracebackType
from typing import NamedTuple

import numpy as np

from topple.phyre.action import listed_actions
from topple.phyre.agents.watched import Watched, pick, watch
from topple.phyre.engine.backend import Backend
from topple.phyre.scramble import LIST_LENGTH, Puzzles, Source, stream
from topple.threads import can_start_threads

_AHEAD = 256  # parts that wait to be taken
_WAIT = 0.2  # seconds, between looks at whether to stop


class Part(NamedTuple):
    """Some puzzles, with attempts to learn dynamics from."""

    puzzles: Puzzles
    watched: Watched | None


class PuzzleSupply:
    """Puzzles in an order that depends on the seed alone.

    Args:
        sources: where puzzles come from, and how many of each; they take turns.
        seed: of all random choices.
        actions: listed actions simulated on each scene.
        watched: attempts watched on each puzzle.
        backend: where outcomes are simulated.
    """

    def __init__(
        self,
        sources: Sequence[tuple[Source, int]],
        seed: int,
        actions: int,
        watched: int,
        backend: Backend,
    ) -> None:
        self._sources = [pair for pair in sources if pair[1]]
        self._seed, self._actions, self._watched = seed, actions, watched
        self._backend: Backend = backend
        self.total = sum(wanted for _, wanted in self._sources)
        self.made = 0
        self._parts = self._endless()
        self._queue: queue.Queue[Part | BaseException] = queue.Queue(_AHEAD)
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None

    def __enter__(self) -> PuzzleSupply:
        if self.total and can_start_threads():
            self._thread = threading.Thread(target=self._work, daemon=True)
            self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._stop.set()
        if self._thread is not None:
            self._thread.join()

    def take(self, wanted: int) -> list[Part]:
        """Further parts until so many puzzles were taken in all; waits for them."""
        taken = []
        while self.made < min(wanted, self.total):
            part = next(self._parts) if self._thread is None else self._queue.get()
            if isinstance(part, BaseException):
                raise part
            taken.append(part)
            self.made += len(part.puzzles)
        return taken

    def ready(self) -> int:
        """Puzzles that can be taken without waiting, about, with those that were."""
        parts = list(self._queue.queue)
        return self.made + sum(len(part.puzzles) for part in parts if isinstance(part, Part))

    def _work(self) -> None:
        made = 0
        try:
            for part in self._parts:
                made += len(part.puzzles)
                while not self._stop.is_set():
                    try:
                        self._queue.put(part, timeout=_WAIT)
                        break
                    except queue.Full:
                        continue
                if self._stop.is_set() or made >= self.total:
                    return
        except Exception as error:  # whoever takes the next part hears of it
            self._queue.put(error)

    def _endless(self) -> Iterator[Part]:
        streams = [
            stream(source, self._seed, actions=self._actions, backend=self._backend)
            for source, _ in self._sources
        ]
        made = [0] * len(streams)
        for number in count():
            turn = min(range(len(made)), key=lambda k: made[k] / self._sources[k][1])
            puzzles = next(streams[turn])
            made[turn] += max(len(puzzles), 1)
            yield Part(puzzles, self._watch(puzzles, number))

    def _watch(self, puzzles: Puzzles, number: int) -> Watched | None:
        if not self._watched or not len(puzzles):
            return None
        rng = np.random.default_rng([self._seed, number])
        scene, column = pick(puzzles.outcomes, self._watched, rng)
        listed = listed_actions(puzzles.tier, LIST_LENGTH)
        return watch(puzzles.scenes, scene, listed[puzzles.first[scene] + column])
