"""ASGI middleware: who may call the server, how often, and with how large a body.

A page anywhere on the web can make a browser send requests to a server on the same
machine. So a Host that is not ours is refused, which stops names that were pointed at this
machine, and so is any call another site's page makes, except following a link.
"""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from topple.player.errors import TooManyCallsError
from topple.player.limits import Buckets
from topple.player.settings import Rate

MAX_DETAIL = 500  # characters of an error message

HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; "
        "img-src 'self' data: blob:; media-src 'self' blob:; connect-src 'self'; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",  # addresses may hold a participant's key
    "Cross-Origin-Resource-Policy": "same-origin",
}


def problem(
    status: int, detail: str, field: str | None = None, headers: Mapping[str, str] | None = None
) -> JSONResponse:
    """An error answer, of the form that the model `Problem` documents."""
    content = {"detail": _shortened(detail), "field": None if field is None else _shortened(field)}
    return JSONResponse(content, status, headers)


def _shortened(text: str) -> str:
    """A text that may repeat what a client sent, in a form that can be sent back."""
    return text[:MAX_DETAIL].encode("utf-8", "backslashreplace").decode("utf-8")


def client_of(scope: Scope) -> str:
    """The address a call comes from."""
    client = scope.get("client")
    return str(client[0]) if client else "unknown"


def host_name(host: str) -> str:
    """The name in a Host header without its port, or an empty string if there is none."""
    try:
        return (urlsplit(f"//{host}").hostname or "").lower()
    except ValueError:
        return ""


def is_foreign(method: str, headers: Headers) -> bool:
    """Whether a page of another site makes this call."""
    site = headers.get("sec-fetch-site")
    if site in ("cross-site", "same-site"):
        followed = method in ("GET", "HEAD") and headers.get("sec-fetch-mode") == "navigate"
        return not followed
    origin = headers.get("origin")
    if origin is None:
        return False  # a program, or the page's own plain GET
    try:
        return urlsplit(origin).netloc.lower() != headers.get("host", "").lower()
    except ValueError:
        return True


class Guard:
    """Refuses calls by other sites' pages and adds headers that isolate our own page."""

    def __init__(self, app: ASGIApp, hosts: frozenset[str]) -> None:
        self._app = app
        self._hosts = hosts

    def _fault(self, scope: Scope) -> str | None:
        headers = Headers(scope=scope)
        host = headers.get("host", "")
        if host_name(host) not in self._hosts:
            return (
                "this server does not answer to that host name; "
                "start it with --allow-host NAME to allow it"
            )
        # A WebSocket opens with a GET, but can change things.
        method = scope["method"] if scope["type"] == "http" else "POST"
        return (
            "another site's page may not call this server" if is_foreign(method, headers) else None
        )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle a call, as ASGI asks."""
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        fault = self._fault(scope)
        if scope["type"] == "websocket":
            if fault is None:
                await self._app(scope, receive, send)
            else:
                await send({"type": "websocket.close", "code": 1008, "reason": fault})
            return

        async def protected(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        if fault is None:
            await self._app(scope, receive, protected)
        else:
            await problem(403, fault)(scope, receive, protected)


class RateLimit:
    """Answers 429 to a client that calls too often."""

    def __init__(self, app: ASGIApp, rate: Rate) -> None:
        self._app = app
        self._buckets = Buckets(rate)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle a call, as ASGI asks."""
        if scope["type"] == "http":
            wait = self._buckets.take(client_of(scope))
            if wait:
                error = TooManyCallsError(wait)
                headers = {"Retry-After": str(error.retry_after)}
                await problem(429, str(error), headers=headers)(scope, receive, send)
                return
        await self._app(scope, receive, send)


class BodyLimit:
    """Answers 413 to a body that is too large, whatever its headers say."""

    def __init__(self, app: ASGIApp, most: int) -> None:
        self._app = app
        self._most = most

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle a call, as ASGI asks."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        sentence = f"the body is too large: at most {self._most} bytes are allowed"
        declared = Headers(scope=scope).get("content-length", "0")
        if not declared.isdecimal() or int(declared) > self._most:
            await problem(413, sentence)(scope, receive, send)
            return
        received = 0

        async def counted() -> Message:
            nonlocal received
            message = await receive()
            received += len(message.get("body", b""))
            if received > self._most:
                # FastAPI takes any other exception raised here for a malformed body.
                raise HTTPException(413, sentence)
            return message

        await self._app(scope, counted, send)
