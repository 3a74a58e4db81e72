"""Texts that people send: refused at once if they cannot be stored or are too long."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from typing import Any

import pytest
from fastapi.testclient import TestClient

from support.player_client import blank, store_of
from topple.player import tables
from topple.player.models.puzzles import PuzzleOut
from topple.player.settings import Settings
from topple.player.studies import invite_participant
from topple.player.texts import MAX_TEXT

LONE = "\ud800"  # half of a surrogate pair: JSON can carry it, UTF-8 cannot
BAD_TEXTS = [LONE, "x" * (MAX_TEXT + 1), "a\x00b"]


def send(
    client: TestClient,
    path: str,
    body: dict[str, Any],
    headers: dict[str, str] | None = None,
    method: str = "POST",
) -> Any:
    """Send JSON in ASCII, which can hold what UTF-8 cannot."""
    kind = {"Content-Type": "application/json", **(headers or {})}
    return client.request(method, path, content=json.dumps(body), headers=kind)


@pytest.mark.parametrize("text", BAD_TEXTS, ids=["surrogate", "long", "control"])
@pytest.mark.parametrize(("benchmark", "field"), [("iphyre", "concept"), ("phyre", "name")])
def test_a_puzzle_with_such_a_text_is_refused_and_not_stored(
    client: TestClient, player: dict[str, str], benchmark: str, field: str, text: str
) -> None:
    puzzle = blank(client, benchmark)
    puzzle["data"][field] = text
    check = send(client, "/api/puzzles/check", puzzle)
    assert check.status_code == 200
    assert "text" in check.json()["error"]
    refused = send(client, "/api/puzzles", puzzle, player)
    assert refused.status_code == 422
    assert refused.json()["detail"] == check.json()["error"]
    assert client.get("/api/puzzles").json() == []
    good = client.post("/api/puzzles", json=blank(client, benchmark), headers=player).json()
    changed = send(client, f"/api/puzzles/{good['id']}", puzzle, player, "PUT")
    assert changed.status_code == 422
    assert client.get(f"/api/puzzles/{good['id']}").json()["data"] == good["data"]


@pytest.mark.parametrize("text", BAD_TEXTS, ids=["surrogate", "long", "control"])
def test_names_are_refused_everywhere(
    client: TestClient, player: dict[str, str], text: str
) -> None:
    puzzle = {**blank(client, "iphyre"), "name": text}
    assert send(client, "/api/puzzles", puzzle, player).status_code == 422
    study = {"name": "study", "benchmark": "iphyre", "pools": ["basic"]}
    assert send(client, "/api/studies", {**study, "name": text}).status_code == 422
    if len(text) < MAX_TEXT:  # a consent text may be long
        assert send(client, "/api/studies", {**study, "consent": text}).status_code == 422
    made = client.post("/api/studies", json={**study, "consent": "one\ntwo"}).json()
    body = {"consent": True, "name": text}
    joined = send(client, f"/api/studies/{made['id']}/participants", body)
    assert joined.status_code == 422
    with pytest.raises(ValueError, match="name"):
        invite_participant(store_of(client), made["id"], text)
    assert client.get(f"/api/studies/{made['id']}/detail").json()["participants"] == []


@pytest.mark.parametrize("place", ["body", "data"])
def test_unknown_fields_with_odd_names_are_explained(client: TestClient, place: str) -> None:
    puzzle = blank(client, "iphyre")
    (puzzle if place == "body" else puzzle["data"])[LONE] = 1
    answer = send(client, "/api/puzzles/check", puzzle)
    assert answer.status_code in (200, 422)
    long = {**blank(client, "iphyre"), "x" * 100_000: 1}
    assert len(send(client, "/api/puzzles/check", long).content) < 2000


def test_lists_are_short_and_a_damaged_row_cannot_break_them(
    client: TestClient, player: dict[str, str]
) -> None:
    puzzle = client.post("/api/puzzles", json=blank(client, "iphyre"), headers=player).json()
    with store_of(client).transaction() as session:
        row = session.get_one(tables.Puzzle, puzzle["id"])
        row.data = {**row.data, "concept": LONE}
    [listed] = client.get("/api/puzzles", headers=player).json()
    assert (listed["id"], listed["mine"]) == (puzzle["id"], True)
    assert "data" not in listed
    path = f"/api/puzzles/{puzzle['id']}"
    for address in (path, f"{path}/file.json", f"/api/iphyre/games/{puzzle['subject']}"):
        answer = client.get(address)
        assert answer.status_code == 422
        assert "text" in answer.json()["detail"]
    assert client.delete(path, headers=player).status_code == 200
    assert client.get("/api/puzzles").json() == []


def test_a_damaged_schema_is_called_damaged(
    client: TestClient, player: dict[str, str], settings: Settings
) -> None:
    """As a flipped bit in the name of a column, which SQLite keeps as a text."""
    path = settings.database.removeprefix("sqlite:///")
    with closing(sqlite3.connect(path)) as database:
        database.execute("ALTER TABLE players RENAME COLUMN schedule TO schedulf")
        database.commit()
    answer = client.get("/api/puzzles", headers=player)
    assert answer.status_code == 500
    assert "is damaged" in answer.json()["detail"]


def test_a_row_that_cannot_be_answered_is_not_stored(
    client: TestClient, player: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(_puzzle: PuzzleOut) -> str:
        raise ArithmeticError

    puzzle = blank(client, "iphyre")
    monkeypatch.setattr(PuzzleOut, "model_dump_json", fail)
    with pytest.raises(ArithmeticError):
        client.post("/api/puzzles", json=puzzle, headers=player)
    assert client.get("/api/puzzles").json() == []
