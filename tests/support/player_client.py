"""What tests of the player share."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.cookiejar import DefaultCookiePolicy
from typing import Any

import numpy as np
from fastapi.testclient import TestClient
from starlette.testclient import WebSocketTestSession

from topple.iphyre.plan import Elimination, Plan
from topple.player.store import Store

#: From the third version of the tables to the second, for SQLite.
TO_SECOND_VERSION = """
DROP TABLE events;
DROP INDEX participants_by_number;
DROP INDEX participants_by_free_player;
ALTER TABLE studies DROP COLUMN design;
ALTER TABLE players DROP COLUMN number;
ALTER TABLE players DROP COLUMN group_name;
ALTER TABLE players DROP COLUMN schedule;
ALTER TABLE players DROP COLUMN free_id;
ALTER TABLE players DROP COLUMN consented;
ALTER TABLE players DROP COLUMN ended;
ALTER TABLE players DROP COLUMN withdrawn;
UPDATE meta SET value = '2' WHERE name = 'schema';
"""

MakeClient = Callable[..., TestClient]
Message = dict[str, Any]


def post(
    client: TestClient, path: str, headers: dict[str, str] | None = None, /, **body: Any
) -> dict[str, Any]:
    """What the player answers to a call, which has to succeed."""
    answer = client.post(f"/api/{path}", json=body, headers=headers)
    assert answer.status_code == 200, answer.text
    content: dict[str, Any] = answer.json()
    return content


def without_cookies(client: TestClient) -> TestClient:
    """The same client, which now stands for many people without a browser."""
    client.cookies.jar.set_policy(DefaultCookiePolicy(allowed_domains=[]))
    return client


def new_player(client: TestClient) -> dict[str, str]:
    """The header of a new player."""
    return {"X-Player": post(client, "players")["key"]}


def join(client: TestClient, study: str, **body: Any) -> dict[str, Any]:
    """Take part in a study as somebody new."""
    return post(client, f"studies/{study}/participants", consent=True, **body)


def store_of(client: TestClient) -> Store:
    """What the player behind a client stores things in."""
    store = client.app.state.service.store  # type: ignore[attr-defined]
    assert isinstance(store, Store)
    return store


def poses_of(trajectory: dict[str, Any]) -> Any:
    """The places and angles of a trajectory: [frames, bodies, 3]."""
    data = np.frombuffer(base64.b64decode(trajectory["poses"]), "<f4")
    return data.reshape(trajectory["frames"], len(trajectory["bodies"]), 3)


def blank(client: TestClient, benchmark: str) -> dict[str, Any]:
    """A simple puzzle to start from."""
    puzzle: dict[str, Any] = client.get(
        "/api/puzzles/blank", params={"benchmark": benchmark}
    ).json()
    return puzzle


class LivePage:
    """What a page does in a live game."""

    def __init__(self, socket: WebSocketTestSession) -> None:
        self.socket = socket
        self.frames: list[Message] = []

    def send(self, kind: str, **fields: object) -> None:
        self.socket.send_text(json.dumps({"type": kind, **fields}))

    def until(self, *kinds: str) -> Message:
        """The next message of some kinds; frames before it are kept."""
        while True:
            message: Message = self.socket.receive_json()
            if message["type"] == "frame":
                self.frames.append(message)
            if message["type"] in kinds:
                return message
            assert message["type"] != "error", message

    def start(self, **fields: object) -> Message:
        """Start a play as soon as the game is ready; returns what was said of the game."""
        ready = self.until("ready")
        self.send("start", **fields)
        return ready


@contextmanager
def live(client: TestClient, player: dict[str, str], game: str = "support") -> Iterator[LivePage]:
    """A live game of a player."""
    address = f"ws://127.0.0.1:8765/api/iphyre/games/{game}/live?player={player['X-Player']}"
    with client.websocket_connect(address) as socket:
        yield LivePage(socket)


def plan_of(attempt: Message) -> Plan:
    """The plan that was carried out in an attempt at a game."""
    return Plan(tuple(Elimination(row["tick"], row["body"]) for row in attempt["plan"]))
