"""Bounds on what a client may ask for: how often, and how much at once."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from topple.player.settings import Rate

MAX_CLIENTS = 10_000  # remembered at once; the ones not seen for longest are forgotten


class Bucket:
    """Tokens that come back with time; every call takes one."""

    def __init__(self, rate: Rate, clock: Callable[[], float] = time.monotonic) -> None:
        self._rate = rate
        self._clock = clock
        self._tokens = float(rate.burst)
        self._seen = clock()

    def take(self) -> float:
        """Take a token: 0 if there was one, else the seconds until there will be."""
        now = self._clock()
        earned = (now - self._seen) * self._rate.per_second
        self._tokens = min(float(self._rate.burst), self._tokens + earned)
        self._seen = now
        if self._tokens < 1.0:
            return (1.0 - self._tokens) / self._rate.per_second
        self._tokens -= 1.0
        return 0.0


class Buckets:
    """A bucket for each client."""

    def __init__(self, rate: Rate) -> None:
        self._rate = rate
        self._buckets: OrderedDict[str, Bucket] = OrderedDict()

    def take(self, client: str) -> float:
        """Take a token of a client's bucket."""
        bucket = self._buckets.get(client)
        if bucket is None:
            bucket = self._buckets[client] = Bucket(self._rate)
            if len(self._buckets) > MAX_CLIENTS:
                self._buckets.popitem(last=False)
        self._buckets.move_to_end(client)
        return bucket.take()


class Line:
    """A line for work that takes a while: so many at once, and so many who wait.

    Whoever waits holds a thread, and threads are what every call needs, so a line that is
    too long turns people away.
    """

    def __init__(self, at_once: int, waiting: int, patience: float) -> None:
        self._turns = threading.BoundedSemaphore(at_once)
        self._places = threading.BoundedSemaphore(at_once + waiting)
        self._patience = patience

    @contextmanager
    def turn(self) -> Iterator[None]:
        """One's turn.

        Raises:
            HTTPException: there are too many before, or they take too long.
        """
        busy = HTTPException(503, "the server is busy; try again in a moment", {"Retry-After": "2"})
        if not self._places.acquire(blocking=False):
            raise busy
        try:
            if not self._turns.acquire(timeout=self._patience):
                raise busy
            try:
                yield
            finally:
                self._turns.release()
        finally:
            self._places.release()


def client_of(scope: Scope) -> str:
    """The address a call comes from."""
    client = scope.get("client")
    return str(client[0]) if client else "unknown"


def too_many(wait: float) -> JSONResponse:
    """The answer to a client that calls too often."""
    return JSONResponse(
        {"detail": f"too many calls; wait {wait:.1f} s", "field": None},
        status_code=429,
        headers={"Retry-After": str(max(1, round(wait + 0.5)))},
    )


class RateLimit:
    """Answers 429 to a client that calls too often."""

    def __init__(self, app: ASGIApp, rate: Rate) -> None:
        self._app = app
        self._buckets = Buckets(rate)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """An ASGI application."""
        if scope["type"] == "http":
            wait = self._buckets.take(client_of(scope))
            if wait:
                await too_many(wait)(scope, receive, send)
                return
        await self._app(scope, receive, send)


class BodyLimit:
    """Answers 413 to a body that is too large, whatever its headers say."""

    def __init__(self, app: ASGIApp, most: int) -> None:
        self._app = app
        self._most = most

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """An ASGI application."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        sentence = f"the body is too large; at most {self._most} bytes"
        declared = Headers(scope=scope).get("content-length", "0")
        if not declared.isdecimal() or int(declared) > self._most:
            refusal = JSONResponse({"detail": sentence, "field": None}, 413)
            await refusal(scope, receive, send)
            return
        received = 0

        async def counted() -> Message:
            nonlocal received
            message = await receive()
            received += len(message.get("body", b""))
            if received > self._most:
                # Of this kind, so that nobody on the way takes it for a malformed body.
                raise HTTPException(413, sentence)
            return message

        await self._app(scope, counted, send)
