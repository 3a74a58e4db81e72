"""Progress of a batch while the engine works on it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import numpy as np
import numpy.typing as npt

from topple.threads import can_start_threads

#: Called with (attempts done, attempts in all) while a batch runs.
Progress = Callable[[int, int], None]

_SECONDS = 0.2  # between two reports


@contextmanager
def reporting(progress: Progress | None, total: int) -> Iterator[npt.NDArray[np.int64] | None]:
    """Lends the engine a counter and reports it from a thread until the batch is over.

    Without threads, only the end is reported.
    """
    if progress is None:
        yield None
        return
    counter = np.zeros(1, dtype=np.int64)
    over = threading.Event()

    def report() -> None:
        while not over.wait(_SECONDS):
            progress(int(counter[0]), total)

    reporter = threading.Thread(target=report, daemon=True) if can_start_threads() else None
    if reporter:
        reporter.start()
    try:
        yield counter
    finally:
        over.set()
        if reporter:
            reporter.join()
        progress(int(counter[0]), total)
