"""Every exchange with a model, written to disk at once.

A folder holds ``exchanges.jsonl``, a line per exchange, and ``images/``, each picture once by
its digest. A line is written and synced before its answer is used, so a run that is killed
finds all answers again and asks only for what is missing. An exchange is found by its *place*
in the run, such as ``00001:042/003/01``, together with a digest of the whole request: equal
requests at two places are two exchanges, and a request that changed is asked anew.

``requests.jsonl`` has a line for each request before it is sent: one without an exchange was in
progress when a run was killed. It is sent again with the same idempotency key, so that a server
that knows such keys does not charge for it twice.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
import os
import threading
from collections.abc import Iterator, Mapping
from itertools import groupby
from operator import attrgetter
from pathlib import Path
from typing import IO, Any, NamedTuple

from topple.files import write_whole
from topple.llm.reply import Reply

EXCHANGES = "exchanges.jsonl"
REQUESTS = "requests.jsonl"
IMAGES = "images"
_PNG_URL = "data:image/png;base64,"


class ExchangeError(ValueError):
    """The stored exchanges cannot be used; the message names the file and the fix."""


class Exchange(NamedTuple):
    """A request and its answer."""

    place: str  # task or game, turn, step within the turn
    digest: str  # of the request
    request: Mapping[str, Any]  # as sent, with pictures by their digests
    reply: Reply
    seconds: float  # duration, including waits for the rate limit and retries
    requests: int  # requests sent, retries included
    ended: float  # s since 1970

    @property
    def subject(self) -> str:
        """Name of the task or game."""
        return self.place.split("/", 1)[0]

    @property
    def turn(self) -> int:
        """Number of the turn, from 1."""
        return int(self.place.split("/")[1])

    @property
    def step(self) -> int:
        """Number of the exchange in its turn, from 0."""
        return int(self.place.split("/")[2])


def request_digest(body: Mapping[str, Any]) -> str:
    """A digest of everything that is sent."""
    text = json.dumps(body, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


class ExchangeStore:
    """The exchanges of a run. Threads may share it.

    Raises:
        ExchangeError: the file is damaged before its last line, or another process uses it.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._lock = threading.Lock()
        folder.mkdir(parents=True, exist_ok=True)
        self._file = (folder / EXCHANGES).open("a+b")
        try:
            _claim(self._file, folder)
            kept, end = _read(folder / EXCHANGES)
            # Remove an incomplete last line, left by a process that was killed.
            self._file.truncate(end)
        except BaseException:
            self._file.close()
            raise
        # Replies alone: requests may hold pictures, which are not needed here.
        self._known = {(exchange.place, exchange.digest): exchange.reply for exchange in kept}
        self._requests = (folder / REQUESTS).open("ab")

    def __enter__(self) -> ExchangeStore:
        return self

    def __exit__(self, *error: object) -> None:
        self._file.close()
        self._requests.close()

    def __len__(self) -> int:
        return len(self._known)

    def find(self, place: str, digest: str) -> Reply | None:
        """The reply to this request at a place, if there was one."""
        return self._known.get((place, digest))

    def begin(self, place: str, digest: str) -> str:
        """Note that a request is about to be sent, and return its idempotency key."""
        with self._lock:
            _write_line(self._requests, {"place": place, "digest": digest})
        return hashlib.sha256(f"{place} {digest}".encode()).hexdigest()[:32]

    def append(self, exchange: Exchange) -> None:
        """Store an exchange; when this returns, it is on disk."""
        data = exchange._asdict()
        with self._lock:
            data["request"] = self._without_pictures(exchange.request)
            data["reply"] = exchange.reply.to_data()
            _write_line(self._file, data)
            self._known[exchange.place, exchange.digest] = exchange.reply

    def _without_pictures(self, value: Any) -> Any:
        """Replace each picture by its digest and write it to a file of its own."""
        if isinstance(value, Mapping):
            return {name: self._without_pictures(item) for name, item in value.items()}
        if isinstance(value, list | tuple):
            return [self._without_pictures(item) for item in value]
        if isinstance(value, str) and value.startswith(_PNG_URL):
            png = base64.b64decode(value.removeprefix(_PNG_URL))
            name = hashlib.sha256(png).hexdigest()[:32]
            path = self._folder / IMAGES / f"{name}.png"
            if not path.exists():
                write_whole(path, png)
            return f"{IMAGES}/{name}.png"
        return value


def _write_line(file: IO[bytes], data: Mapping[str, Any]) -> None:
    """Write a line of JSON to the disk."""
    file.write(json.dumps(data, separators=(",", ":")).encode() + b"\n")
    file.flush()
    os.fsync(file.fileno())


def png_url(png: bytes) -> str:
    """A picture as a data URL for chat messages."""
    return _PNG_URL + base64.b64encode(png).decode()


def read_exchanges(folder: Path) -> list[Exchange]:
    """The exchanges of a folder, in order of their places; none if there is no file.

    Raises:
        ExchangeError: the file is damaged before its last line.
    """
    try:
        kept = _read(folder / EXCHANGES)[0]
    except FileNotFoundError:
        return []
    return sorted(kept, key=lambda exchange: (exchange.subject, exchange.turn, exchange.step))


def sent_again(folder: Path) -> int:
    """Number of requests that were sent more than once, because a run was killed meanwhile.

    Lines that were cut off by a kill are not counted.
    """
    try:
        lines = (folder / REQUESTS).read_bytes().splitlines()
    except FileNotFoundError:
        return 0
    return len(lines) - len(set(lines))


def put_aside(folder: Path) -> None:
    """Rename the exchanges of a folder, so that everything is asked again."""
    number = 1
    while (folder / f"{EXCHANGES}.{number}").exists():
        number += 1
    for name in (EXCHANGES, REQUESTS):
        if (folder / name).exists():
            (folder / name).rename(folder / f"{name}.{number}")


def _read(path: Path) -> tuple[list[Exchange], int]:
    """The exchanges of a file, and where its last whole line ends."""
    kept: list[Exchange] = []
    end = 0
    with path.open("rb") as file:
        for number, line in enumerate(file, start=1):
            if not line.endswith(b"\n"):
                break
            try:
                data = json.loads(line)
                data["reply"] = Reply.from_data(data["reply"])
                exchange = Exchange(**data)
                _ = exchange.turn, exchange.step
            except (ValueError, KeyError, TypeError, IndexError, binascii.Error) as error:
                raise ExchangeError(
                    f"{path}, line {number}: no exchange ({error}); move the file away to ask "
                    "everything anew"
                ) from None
            kept.append(exchange)
            end += len(line)
    return kept, end


def _claim(file: IO[bytes], folder: Path) -> None:
    """Prevent a second process from asking, and paying for, the same things."""
    try:
        import fcntl
    except ImportError:  # Windows has no advisory locks of this kind
        return
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        raise ExchangeError(f"{folder} is in use by another run; wait for it, or stop it") from None


def by_subject(exchanges: list[Exchange]) -> Iterator[tuple[str, list[Exchange]]]:
    """The exchanges of each task or game, as :func:`read_exchanges` sorts them."""
    for subject, own in groupby(exchanges, key=attrgetter("subject")):
        yield subject, list(own)
