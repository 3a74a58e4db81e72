"""A chat with a model: earlier replies are read from disk, the others are requested."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from topple.llm.endpoint import Connection, Endpoint
from topple.llm.exchanges import Exchange, ExchangeStore, request_digest
from topple.llm.limits import StoppedError
from topple.llm.messages import Message
from topple.llm.reply import Reply
from topple.progress import Progress


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
