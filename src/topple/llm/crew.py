"""Many tasks or games at once, with results in the order of the list."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import FIRST_EXCEPTION, Future, ThreadPoolExecutor, wait
from typing import Any, TypeVar

from topple.llm.chat import Chat, Link, open_chat
from topple.llm.limits import StoppedError
from topple.llm.turns import TurnNote, write_turns
from topple.progress import Progress

Item = TypeVar("Item")
Result = TypeVar("Result")

_LOOK = 0.2  # s between looks at how far it is


def work(
    link: Link | None,
    options: Mapping[str, Any],
    items: Sequence[Item],
    name: Callable[[Item], str],
    sit: Callable[[Chat, Item], tuple[Result, Sequence[TurnNote]]],
) -> list[Result]:
    """Let a model work on every item; the order of its answers does not show in the results.

    At the first error, or Ctrl-C, nothing new is asked and what is under way is awaited, so
    that its answers are kept; then the error is raised.

    Args:
        link: to the model.
        options: of every request.
        items: tasks or games.
        name: of an item.
        sit: takes all turns on an item; returns its result and notes of the turns, which are
            written beside the exchanges.
    """
    with open_chat(link, options) as chat:
        assert link is not None  # there is a chat
        with ThreadPoolExecutor(link.connection.concurrency) as pool:
            futures = [pool.submit(sit, chat, item) for item in items]
            try:
                _await(futures, link.progress)
            finally:
                if not all(future.done() for future in futures):
                    chat.stop()
                    for future in futures:
                        future.cancel()
    done = [future.result() for future in futures]
    notes = {name(item): turns for item, (_, turns) in zip(items, done, strict=True)}
    write_turns(link.folder, notes)
    return [result for result, _ in done]


def _await(futures: Sequence[Future[Any]], progress: Progress | None) -> None:
    running = set(futures)
    while running:
        done, running = wait(running, _LOOK, FIRST_EXCEPTION)
        for future in done:
            error = future.exception()
            if error is not None and not isinstance(error, StoppedError):
                raise error
        if progress is not None:
            progress(len(futures) - len(running), len(futures))
