"""Serving the application on a socket until it is stopped."""

from __future__ import annotations

import socket
from collections.abc import Callable

import uvicorn

from topple.player.app import create_app
from topple.player.settings import MAX_MESSAGE, Settings

DEFAULT_PORT = 8765
PORTS_TRIED = 20  # ports from the default one, until one is free
PING_SECONDS = 20.0  # between two pings of a silent WebSocket
STOP_SECONDS = 3  # that calls under way have when the server stops


class ServerError(ValueError):
    """The server cannot start; the message says why."""


def open_socket(host: str, port: int | None) -> socket.socket:
    """Open a socket at this port, or at the first free one from the default port on.

    Raises:
        ServerError: the host is unknown, or the port is taken.
    """
    ports = range(DEFAULT_PORT, DEFAULT_PORT + PORTS_TRIED) if port is None else (port,)
    reason = ""
    for number in ports:
        try:
            family, kind, protocol, _, address = socket.getaddrinfo(
                host, number, type=socket.SOCK_STREAM
            )[0]
        except (OSError, UnicodeError) as error:
            raise ServerError(f"{host!r} is not an address of this machine: {error}") from None
        listener = socket.socket(family, kind, protocol)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind(address)
            listener.listen(128)
        except OSError as error:
            listener.close()
            reason = error.strerror or str(error)
            continue
        return listener
    raise ServerError(f"cannot serve at {host}, port {ports[0]}: {reason}; choose another --port")


class _Server(uvicorn.Server):
    """A server that reports when it is up."""

    def __init__(self, config: uvicorn.Config, ready: Callable[[], None]) -> None:
        super().__init__(config)
        self._ready = ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started:
            self._ready()


def serve(settings: Settings, listener: socket.socket, ready: Callable[[], None]) -> None:
    """Serve until Ctrl-C or a signal; ``ready`` is called when it accepts calls."""
    config = uvicorn.Config(
        create_app(settings),
        log_level="warning",
        access_log=False,
        ws="websockets-sansio",
        ws_max_size=MAX_MESSAGE,
        ws_ping_interval=PING_SECONDS,
        ws_ping_timeout=PING_SECONDS,
        timeout_graceful_shutdown=STOP_SECONDS,
        server_header=False,
        proxy_headers=False,  # the application believes those of trusted proxies alone
    )
    _Server(config, ready).run([listener])
