"""The settings of a server."""

from __future__ import annotations

from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path

LOOPBACK = frozenset({"127.0.0.1", "::1", "localhost"})

MAX_BODY = 256 * 1024  # bytes of a request
MAX_MESSAGE = 4 * 1024  # bytes of a WebSocket message
MODULE = "topple.wasm.gz"  # the engines in WebAssembly


@dataclass(frozen=True)
class Rate:
    """A rate limit: calls per second in the long run, and at most `burst` at once."""

    per_second: float
    burst: int


def find_module() -> Path | None:
    """The compressed module, if the package was built with one or `make wasm` has built it."""
    found = find_spec("topple._native")
    if found is not None and found.origin is not None:
        built_in = Path(found.origin).parent / "wasm" / MODULE
        if built_in.is_file():
            return built_in
    root = Path(__file__).resolve().parents[3]
    made = root / "build" / "wasm" / MODULE
    if not made.is_file():
        return None
    # One of older sources could show other motion than the engine that decides.
    sources = [path for path in (root / "native").rglob("*") if path.suffix in (".h", ".cpp")]
    newest = max((path.stat().st_mtime for path in sources), default=0.0)
    return made if made.stat().st_mtime > newest else None


@dataclass(frozen=True)
class Settings:
    """The settings that `topple play` chooses.

    Attributes:
        database: an SQLAlchemy URL.
        runs: folders of run records to watch.
        hosts: names this server answers to, without ports.
        owner_key: secret needed to create and export studies; if None, callers on this machine
            may do so.
        ticks_per_second: speed of live games in real time, on which no outcome depends.
        calls: limit of all calls. The gallery asks for a hundred thumbnails at once.
        heavy: limit of calls that simulate, draw films or search.
        messages: limit of WebSocket messages of one connection.
        live_games: live games that may be open at once.
        live_games_per_player: live games that one player may have open at once.
        live_games_per_address: live games that one network address may have open at once.
        studies_only: whether everybody but the owner can take part in studies and do nothing else.
        trusted_proxies: addresses or networks of proxies whose X-Forwarded-For is believed.
        module: the engines in WebAssembly, compressed, for pages to simulate what does not count;
            without it the server simulates that, too.
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
    live_games_per_address: int = 16
    studies_only: bool = False
    trusted_proxies: tuple[str, ...] = ()
    module: Path | None = field(default_factory=find_module)
