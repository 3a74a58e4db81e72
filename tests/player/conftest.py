"""A player to call, with a database of its own."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from support.player_client import MakeClient, new_player
from topple.player.app import create_app
from topple.player.settings import Rate, Settings
from topple.player.store import Store, sqlite_url

UNLIMITED = Rate(1e9, 10**9)
FAST = 5000.0  # ticks a second, so that tests of live games need not wait


@pytest.fixture(autouse=True)
def empty_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What evaluations on this machine have found stays out of the tests."""
    monkeypatch.setenv("TOPPLE_CACHE", str(tmp_path / "cache"))


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    """A player on loopback that may be called as often as tests like."""
    return Settings(
        database=sqlite_url(tmp_path),
        calls=UNLIMITED,
        heavy=UNLIMITED,
        messages=UNLIMITED,
        ticks_per_second=FAST,
    )


@pytest.fixture
def store(settings: Settings) -> Iterator[Store]:
    """A database without a player in front of it."""
    opened = Store(settings.database)
    yield opened
    opened.close()


@pytest.fixture
def make_client(settings: Settings) -> Iterator[MakeClient]:
    """Clients of players whose settings differ in something."""
    opened: list[TestClient] = []

    def make(address: str = "127.0.0.1", **changes: object) -> TestClient:
        app = create_app(replace(settings, **changes))  # type: ignore[arg-type]
        client = TestClient(app, base_url="http://127.0.0.1:8765", client=(address, 50000))
        client.__enter__()
        opened.append(client)
        return client

    yield make
    for client in opened:
        client.__exit__(None, None, None)


@pytest.fixture
def client(make_client: MakeClient) -> TestClient:
    """Somebody who calls from this machine."""
    return make_client()


@pytest.fixture
def player(client: TestClient) -> dict[str, str]:
    """The header of a new player."""
    return new_player(client)
