"""Processes of this machine: an item each, for work that is mostly Python."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from multiprocessing import get_context, parent_process
from threading import Thread

from topple.runs.executors import Item, Result
from topple.threads import default_threads

_IN_FLIGHT = 2  # items submitted per process, so that none waits


def end_with_parent() -> None:
    """End this process as soon as the one that started it has ended, even if it was killed.

    Otherwise it would wait for work for ever.
    """
    parent = parent_process()
    if parent is None:
        return  # this is the first process

    def watch() -> None:
        parent.join()
        os._exit(1)

    Thread(target=watch, daemon=True).start()


class ProcessExecutor:
    """The executor of some processes.

    Args:
        workers: how many; one per core by default.
    """

    def __init__(self, workers: int | None = None) -> None:
        self._workers = workers or default_threads()
        # A fresh interpreter, since a fork would copy the engine's threads in any state.
        self._pool = ProcessPoolExecutor(self._workers, get_context("spawn"), end_with_parent)

    def map(
        self, function: Callable[[Item], Result], items: Iterable[Item]
    ) -> Iterator[tuple[Item, Result]]:
        """Each item with its result, in the order they are finished."""
        rest = iter(items)
        under_way: dict[Future[Result], Item] = {}
        try:
            while True:
                while len(under_way) < _IN_FLIGHT * self._workers:
                    item = next(rest, None)
                    if item is None:
                        break
                    under_way[self._pool.submit(function, item)] = item
                if not under_way:
                    return
                done, _ = wait(under_way, return_when=FIRST_COMPLETED)
                for future in done:
                    yield under_way.pop(future), future.result()
        finally:
            for future in under_way:
                future.cancel()

    def close(self) -> None:
        """End the processes."""
        self._pool.shutdown(cancel_futures=True)
