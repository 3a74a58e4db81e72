"""Many tasks or games at once, with results in the order of the list."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_EXCEPTION, Future, ThreadPoolExecutor, wait
from typing import TypeVar

from topple.agents.llm.chat import Chat
from topple.agents.llm.limits import StoppedError
from topple.physics.progress import Progress

Item = TypeVar("Item")
Result = TypeVar("Result")

_LOOK = 0.2  # s between looks at how far it is


def work(
    items: Sequence[Item],
    do: Callable[[Item], Result],
    chat: Chat,
    concurrency: int = 1,
    progress: Progress | None = None,
) -> list[Result]:
    """Do something with every item; the order of answers does not show in the results.

    At the first error, or Ctrl-C, nothing new is asked and what is under way is awaited, so
    that its answers are kept; then the error is raised.
    """
    with ThreadPoolExecutor(concurrency) as pool:
        futures = [pool.submit(do, item) for item in items]
        try:
            _await(futures, progress)
        finally:
            if not all(future.done() for future in futures):
                chat.stop()
                for future in futures:
                    future.cancel()
    return [future.result() for future in futures]


def _await(futures: Sequence[Future[Result]], progress: Progress | None) -> None:
    running = set(futures)
    while running:
        done, running = wait(running, _LOOK, FIRST_EXCEPTION)
        for future in done:
            error = future.exception()
            if error is not None and not isinstance(error, StoppedError):
                raise error
        if progress is not None:
            progress(len(futures) - len(running), len(futures))
