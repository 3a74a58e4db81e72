"""How a server is set up."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

LOOPBACK = frozenset({"127.0.0.1", "::1", "localhost"})

MAX_BODY = 256 * 1024  # bytes of a request
MAX_MESSAGE = 4 * 1024  # bytes of a WebSocket message


@dataclass(frozen=True)
class Rate:
    """How many calls one client may make: a steady number a second, and more at once."""

    per_second: float
    burst: int


@dataclass(frozen=True)
class Settings:
    """What `topple play` decides.

    Attributes:
        database: an SQLAlchemy URL.
        runs: folders of run records to watch.
        hosts: names this server answers to, without ports.
        owner_key: needed to create and export studies; None: whoever calls from this machine.
        ticks_per_second: pace of live games in real time; what happens never depends on it.
        calls: any call. The gallery asks for a hundred thumbnails at once.
        heavy: calls that simulate, draw films or search.
        messages: WebSocket messages of one connection.
        live_games: connections at once, and of one player.
    """

    database: str
    runs: tuple[Path, ...] = ()
    hosts: frozenset[str] = LOOPBACK
    owner_key: str | None = None
    ticks_per_second: float = 60.0
    calls: Rate = Rate(100.0, 600)
    heavy: Rate = Rate(10.0, 40)
    messages: Rate = Rate(30.0, 60)
    live_games: int = 64
    live_games_per_player: int = 4
