"""Who may talk to the server: its own page and programs, no other web page.

A page anywhere on the web can make a browser send requests to a server on the same
machine. So a Host that is not ours is refused, which stops names that were pointed at this
machine, and so is any call another site's page makes, except following a link.
"""

from __future__ import annotations

from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; "
        "media-src 'self' blob:; connect-src 'self'; base-uri 'none'; form-action 'none'; "
        "frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",  # addresses may hold a participant's key
    "Cross-Origin-Resource-Policy": "same-origin",
}


def host_name(host: str) -> str:
    """The name in a Host header, without its port; empty if it is none."""
    try:
        return (urlsplit(f"//{host}").hostname or "").lower()
    except ValueError:
        return ""


def is_foreign(method: str, headers: Headers) -> bool:
    """Whether another site's page makes this call."""
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
    """Refuses foreign calls, and adds headers that keep the page to itself."""

    def __init__(self, app: ASGIApp, hosts: frozenset[str]) -> None:
        self._app = app
        self._hosts = hosts

    def _fault(self, scope: Scope) -> str | None:
        headers = Headers(scope=scope)
        host = headers.get("host", "")
        if host_name(host) not in self._hosts:
            return "this server does not answer to that name; start it with --allow-host NAME"
        # A WebSocket opens with a GET, but can change things.
        method = scope["method"] if scope["type"] == "http" else "POST"
        return (
            "another site's page may not call this server" if is_foreign(method, headers) else None
        )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """An ASGI application."""
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
            await JSONResponse({"detail": fault, "field": None}, 403)(scope, receive, protected)
