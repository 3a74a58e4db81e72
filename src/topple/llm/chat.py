"""Chats with a model: one on every task or game, several of them in a thread pool.

Earlier replies are read from disk, the others are requested.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_EXCEPTION, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from topple.llm.endpoint import Connection, Endpoint
from topple.llm.exchanges import Exchange, ExchangeStore, request_digest
from topple.llm.limits import StoppedError
from topple.llm.messages import Message
from topple.llm.puzzle import Puzzle
from topple.llm.reply import Reply
from topple.llm.session import Session
from topple.llm.turns import TurnNote, write_turns
from topple.progress import Progress

PuzzleT = TypeVar("PuzzleT", bound=Puzzle[Any])
_POLL_SECONDS = 0.2  # between reports of progress


@dataclass(frozen=True)
class Link:
    """The parts of an agent that are not settings; equal runs may differ in them.

    Attributes:
        connection: how the model is reached.
        folder: folder of the stored exchanges.
        progress: called with the number of finished tasks or games and their total.
    """

    connection: Connection
    folder: Path
    progress: Progress | None = None


class Chat:
    """Asks a model. Threads may share one.

    Args:
        endpoint: the endpoint to ask.
        store: the store of exchanges.
        options: fields of every request, such as the model and the temperature.
    """

    def __init__(
        self, endpoint: Endpoint, store: ExchangeStore, options: Mapping[str, Any]
    ) -> None:
        self._endpoint, self._store, self._options = endpoint, store, dict(options)
        self._stopped = False

    def ask(
        self, place: str, messages: Sequence[Message], more: Mapping[str, Any] | None = None
    ) -> Reply:
        """The reply to some messages.

        Args:
            place: unique place of this request in the run.
            messages: the whole conversation so far.
            more: further fields of the request, such as its tools.

        Raises:
            EndpointError: the model cannot be reached.
            StoppedError: the run was stopped.
        """
        body = {**self._options, "messages": list(messages), **(more or {})}
        digest = request_digest(body)
        found = self._store.find(place, digest)
        if found is not None:
            return found
        if self._stopped:
            raise StoppedError
        answered = self._endpoint.complete(body, self._store.begin(place, digest))
        self._store.append(
            Exchange(
                place,
                digest,
                body,
                answered.reply,
                round(answered.seconds, 3),
                answered.requests,
                round(time.time(), 3),
            )
        )
        return answered.reply

    def stop(self) -> None:
        """Ask nothing more; running requests are still stored."""
        self._stopped = True
        self._endpoint.limit.stop()


@contextmanager
def open_chat(link: Link | None, options: Mapping[str, Any]) -> Iterator[Chat]:
    """A chat over a link.

    Raises:
        ValueError: there is no link.
    """
    if link is None:
        raise ValueError("agent 'llm' has no endpoint to talk to; give --base-url")
    with ExchangeStore(link.folder) as store, Endpoint(link.connection) as endpoint:
        yield Chat(endpoint, store, options)


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
