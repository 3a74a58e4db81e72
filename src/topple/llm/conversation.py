"""Conversations with a model: one on every task or game, several of them in a thread pool."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import FIRST_EXCEPTION, Future, ThreadPoolExecutor, wait
from typing import Any, TypeVar

from topple.llm.chat import Chat, Link, open_chat
from topple.llm.limits import StoppedError
from topple.llm.puzzle import Puzzle
from topple.llm.session import Session
from topple.llm.turns import TurnNote, write_turns
from topple.progress import Progress

PuzzleT = TypeVar("PuzzleT", bound=Puzzle[Any])

_POLL_SECONDS = 0.2  # between reports of progress


def converse(
    link: Link | None,
    options: Mapping[str, Any],
    puzzles: Sequence[Callable[[], PuzzleT]],
) -> list[PuzzleT]:
    """Let a model work on every puzzle in a thread pool; results do not depend on their order.

    At the first error, or Ctrl-C, nothing new is asked, and running requests are awaited, so that
    their answers are kept; then the error is raised. Notes of the turns are written beside the
    exchanges.

    Args:
        link: link to the model.
        options: options of every request.
        puzzles: make the puzzles, each in its thread.
    """
    with open_chat(link, options) as chat:
        assert link is not None  # there is a chat
        with ThreadPoolExecutor(link.connection.concurrency) as pool:
            futures = [pool.submit(_solve, chat, puzzle) for puzzle in puzzles]
            try:
                _await(futures, link.progress)
            finally:
                if not all(future.done() for future in futures):
                    chat.stop()
                    for future in futures:
                        future.cancel()
    done = [future.result() for future in futures]
    write_turns(link.folder, {puzzle.name: turns for puzzle, turns in done})
    return [puzzle for puzzle, _ in done]


def _solve(chat: Chat, make: Callable[[], PuzzleT]) -> tuple[PuzzleT, list[TurnNote]]:
    """Take all turns on a puzzle."""
    puzzle = make()
    session = Session(puzzle)
    while not session.over:
        session.take(chat.ask(session.place, session.messages, session.fields))
    return puzzle, session.turns


def _await(futures: Sequence[Future[Any]], progress: Progress | None) -> None:
    running = set(futures)
    while running:
        done, running = wait(running, _POLL_SECONDS, FIRST_EXCEPTION)
        for future in done:
            error = future.exception()
            if error is not None and not isinstance(error, StoppedError):
                raise error
        if progress is not None:
            progress(len(futures) - len(running), len(futures))
