"""Clients that mean harm or have bad luck: memory, seats, names, large puzzles, a full disk."""

from __future__ import annotations

import gc
import json
import sqlite3
import threading
import time
import tracemalloc
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import event, insert
from starlette.websockets import WebSocketDisconnect

from support.player_client import (
    TO_SECOND_VERSION,
    MakeClient,
    blank,
    join,
    live,
    new_player,
    post,
    store_of,
)
from topple.phyre.scene import Scene
from topple.player import live as live_games
from topple.player import tables
from topple.player.attempts import LIMITS, add_attempt
from topple.player.models.base import Benchmark
from topple.player.models.phyre import PhyreScene
from topple.player.players import new_player as store_player
from topple.player.players import tallies
from topple.player.settings import Settings
from topple.player.store import Store

TASK = "00002:017"
OLD_INDEX = "CREATE INDEX attempts_by_player ON attempts (player_id, benchmark)"


def add_rows(store: Store, key: str, count: int, subject: str, benchmark: Benchmark) -> None:
    """Store many attempts at once, none of which solved anything."""
    with store.transaction() as session:
        player = session.query(tables.Player).filter_by(key=key).one()
        rows = [
            {
                "player_id": player.id,
                "benchmark": benchmark.value,
                "subject": subject,
                "number": number,
                "counted": number <= LIMITS[benchmark],
                "action": [0.4, 0.8, 0.3] if benchmark is Benchmark.PHYRE else [[5, 0, 4]],
                "ticks": 100,
                "reward": None if benchmark is Benchmark.PHYRE else -10.0 - number,
            }
            for number in range(1, count + 1)
        ]
        session.execute(insert(tables.Attempt), rows)


# Lists and memory


@pytest.mark.parametrize("limit", [0, -1, 501, 10**9])
@pytest.mark.parametrize("path", ["puzzles", "studies", "runs", f"phyre/tasks/{TASK}/attempts"])
def test_no_list_is_longer_than_a_page(
    client: TestClient, player: dict[str, str], path: str, limit: int
) -> None:
    answer = client.get(f"/api/{path}", params={"limit": limit}, headers=player)
    assert answer.status_code == 422
    assert client.get(f"/api/{path}?offset=-1", headers=player).status_code == 422


@pytest.mark.parametrize(
    ("benchmark", "path"),
    [
        (Benchmark.PHYRE, f"phyre/tasks/{TASK}/attempts"),
        (Benchmark.IPHYRE, "iphyre/games/support/attempts"),
    ],
)
def test_attempts_come_in_pages(
    client: TestClient, player: dict[str, str], benchmark: Benchmark, path: str
) -> None:
    subject = path.split("/")[2]
    add_rows(store_of(client), player["X-Player"], 250, subject, benchmark)
    first = client.get(f"/api/{path}", headers=player)
    assert [row["number"] for row in first.json()] == list(range(1, 101))
    assert first.headers["x-total-count"] == "250"
    last = client.get(f"/api/{path}", params={"offset": 240, "limit": 50}, headers=player)
    assert [row["number"] for row in last.json()] == list(range(241, 251))


def test_studies_and_puzzles_come_in_pages_without_their_content(
    client: TestClient, player: dict[str, str]
) -> None:
    for number in range(3):
        study = {"name": f"S{number}", "benchmark": "iphyre", "pools": ["basic"]}
        client.post("/api/studies", json={**study, "consent": "x" * 10_000})
        client.post("/api/puzzles", json=blank(client, "iphyre"), headers=player)
    for path in ("studies", "puzzles"):
        whole = client.get(f"/api/{path}")
        assert len(whole.content) < 2000
        pages = [client.get(f"/api/{path}?limit=2&offset={offset}").json() for offset in (0, 2, 4)]
        assert [len(page) for page in pages] == [2, 1, 0]
        assert pages[0] + pages[1] == whole.json()
        assert whole.headers["x-total-count"] == "3"


def test_a_game_is_shown_with_counted_and_recent_attempts_only(
    client: TestClient, player: dict[str, str]
) -> None:
    add_rows(store_of(client), player["X-Player"], 300, "support", Benchmark.IPHYRE)
    game = client.get("/api/iphyre/games/support", headers=player).json()
    numbers = [row["number"] for row in game["attempts"]]
    assert numbers == [*range(1, 6), *range(251, 301)]
    assert game["progress"]["attempts"] == 5


def test_memory_stays_bounded(client: TestClient, player: dict[str, str]) -> None:
    store = store_of(client)
    add_rows(store, player["X-Player"], 20_000, TASK, Benchmark.PHYRE)
    add_rows(store, player["X-Player"], 20_000, "support", Benchmark.IPHYRE)
    paths = [f"/api/phyre/tasks/{TASK}/attempts", "/api/iphyre/games/support"]
    paths += ["/api/puzzles", "/api/phyre/templates", "/api/iphyre/standing"]
    for path in paths:
        client.get(path, headers=player)
    tracemalloc.start()
    try:
        for path in paths * 4:
            answer = client.get(path, headers=player)
            assert len(answer.content) < 300_000
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 8 * 2**20


# Live games


def test_one_address_cannot_take_all_seats(make_client: MakeClient) -> None:
    client = make_client()
    everybody = client.app.state.service.live_games  # type: ignore[attr-defined]
    with ExitStack() as stack:
        codes: list[str] = []
        for _ in range(20):
            for _ in range(4):
                if not codes or codes[-1] == "ready":
                    page = stack.enter_context(live(client, new_player(client)))
                    message = page.socket.receive_json()
                    codes.append(message.get("code", message["type"]))
    assert codes == ["ready"] * 16 + ["busy"]
    assert not everybody._open
    # Whoever left has made room again.
    with live(client, new_player(client)) as page:
        page.until("ready")


def test_only_playing_keeps_a_seat(
    client: TestClient, player: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert live_games.IDLE_SECONDS <= 180
    monkeypatch.setattr(live_games, "IDLE_SECONDS", 0.5)
    begun = time.monotonic()
    with live(client, player) as page:
        page.until("ready")
        stop = threading.Event()

        def click() -> None:
            while not stop.wait(0.1) and time.monotonic() - begun < 5:
                page.send("click", x=1, y=1)

        clicks = threading.Thread(target=click)
        clicks.start()
        try:
            assert page.until("error")["code"] == "idle"
            assert time.monotonic() - begun < 4
        finally:
            stop.set()
            clicks.join()
        with pytest.raises(WebSocketDisconnect):
            page.until("ended")


# Proxies


def test_a_named_proxy_is_believed_and_nobody_else(make_client: MakeClient) -> None:
    forwarded = {"X-Forwarded-For": "203.0.113.9"}
    assert make_client().get("/api/studies", headers=forwarded).status_code == 200  # still local
    behind = make_client(trusted_proxies=("127.0.0.1", "10.0.0.0/8"))
    assert behind.get("/api/studies", headers=forwarded).status_code == 403
    # A client cannot put an address of its own in front of the one that the proxy adds.
    spoofed = {"X-Forwarded-For": "127.0.0.1, 203.0.113.9"}
    assert behind.get("/api/studies", headers=spoofed).status_code == 403
    stranger = make_client(address="192.168.1.7", trusted_proxies=("127.0.0.1",))
    local = {"X-Forwarded-For": "127.0.0.1"}
    assert stranger.get("/api/studies", headers=local).status_code == 403


# Names


def test_a_name_is_no_credential(client: TestClient) -> None:
    study = {"name": "S", "benchmark": "iphyre", "pools": ["basic"], "ask_name": True}
    made = post(client, "studies", **study)["id"]
    ann = join(client, made, name="Ann")
    body = {"consent": True, "name": "Ann"}
    taken = client.post(f"/api/studies/{made}/participants", json=body)
    assert taken.status_code == 409
    assert "personal link" in taken.json()["detail"]
    assert ann["key"] not in taken.text
    me = client.get("/api/me", headers={"X-Player": ann["key"]}).json()
    assert me["study"]["study"] == made


# Puzzles that outgrow the engine


def crowded(client: TestClient) -> dict[str, Any]:
    """A scene in which more pairs of balls overlap than the engine can hold."""
    puzzle = blank(client, "phyre")
    ball = puzzle["data"]["bodies"][-1]
    for k in range(110):
        place = [128.0 + k % 11 * 0.2, 180.0 + k // 11 * 0.2]
        puzzle["data"]["bodies"].append({**ball, "position": place})
    return puzzle


def test_a_crowded_puzzle_is_refused_at_once(client: TestClient, player: dict[str, str]) -> None:
    puzzle = crowded(client)
    check = client.post("/api/puzzles/check", json=puzzle).json()
    assert not check["ok"]
    assert "512 pairs" in check["error"]
    assert client.post("/api/puzzles", json=puzzle, headers=player).status_code == 422


def test_a_crowded_puzzle_in_the_database_is_explained(
    client: TestClient, player: dict[str, str]
) -> None:
    made = client.post("/api/puzzles", json=blank(client, "phyre"), headers=player).json()
    with store_of(client).transaction() as session:
        row = session.get_one(tables.Puzzle, made["id"])
        row.data = {**row.data, "bodies": crowded(client)["data"]["bodies"]}
    task = f"/api/phyre/tasks/{made['subject']}"
    action = [0.2, 0.9, 0.1]
    replay = f"/api/replays/phyre/{made['subject']}"
    answers = [
        client.post(f"{task}/attempts", json={"action": action}, headers=player),
        client.post(f"{task}/solution", headers=player),
        client.post(f"/api/puzzles/{made['id']}/solvability", json={"seconds": 1}),
        client.get(replay, params={"action": "0.2,0.9,0.1"}),
        client.get(f"{replay}/film.gif", params={"action": "0.2,0.9,0.1"}),
    ]
    for answer in answers:
        assert answer.status_code == 422
        assert "512 pairs" in answer.json()["detail"]


# The database


def test_a_full_disk_is_explained_and_nothing_is_half_stored(make_client: MakeClient) -> None:
    client = make_client()
    player = new_player(client)
    engine = store_of(client)._engine
    engine.dispose()

    @event.listens_for(engine, "connect")
    def _fill(connection: sqlite3.Connection, _record: object) -> None:
        [pages] = connection.execute("PRAGMA page_count").fetchone()
        connection.execute(f"PRAGMA max_page_count={pages}")

    puzzle = blank(client, "iphyre")
    puzzle["data"]["concept"] = "x" * 1000
    answers = [client.post("/api/puzzles", json=puzzle, headers=player) for _ in range(30)]
    full = [answer for answer in answers if answer.status_code != 200]
    assert {answer.status_code for answer in full} == {507}
    assert "disk" in full[0].json()["detail"]
    assert "free" in full[0].json()["detail"]
    listed = client.get("/api/puzzles").json()  # what was answered with 200 is there
    assert len(listed) == len(answers) - len(full)


def test_a_second_server_leaves_live_games_alone(make_client: MakeClient) -> None:
    first = make_client(ticks_per_second=20.0)
    player = new_player(first)
    with live(first, player) as page:
        page.start()
        page.until("started")
        game = make_client().get("/api/iphyre/games/support", headers=player).json()
        assert game["attempts"] == []  # it is still under way
        page.send("stop")
        assert page.until("ended")["attempt"]["number"] == 1


def test_a_database_of_the_first_version_is_upgraded(settings: Settings, tmp_path: Path) -> None:
    store = Store(settings.database)
    person = store_player(store)
    add_rows(store, person.key, 3, "support", Benchmark.IPHYRE)
    store.close()
    with sqlite3.connect(tmp_path / "player.sqlite") as old:
        old.executescript(TO_SECOND_VERSION)
        old.execute("DROP INDEX IF EXISTS attempts_by_puzzle")
        old.execute("DROP INDEX IF EXISTS attempts_by_player")
        old.execute(OLD_INDEX)
        for table, column in (("attempts", "server"), ("studies", "resume_by_name")):
            old.execute(f"ALTER TABLE {table} DROP COLUMN {column}")
        old.execute("UPDATE meta SET value = '1' WHERE name = 'schema'")
    old.close()
    for _ in range(2):  # the second time there is nothing left to do
        store = Store(settings.database)
        with store.reading() as session:
            tally = tallies(session, person, Benchmark.IPHYRE, "support")["support"]
        assert (tally.made, tally.attempts, tally.best_reward) == (3, 3, -11.0)
        store.close()
    with sqlite3.connect(tmp_path / "player.sqlite") as new:
        names = {row[0] for row in new.execute("SELECT name FROM sqlite_master")}
        [[version]] = new.execute("SELECT value FROM meta WHERE name = 'schema'")
    new.close()
    assert "attempts_by_puzzle" in names
    assert "attempts_by_player" not in names
    assert version == str(tables.SCHEMA)


def test_an_attempt_is_found_by_index_and_tallied_once(client: TestClient) -> None:
    store = store_of(client)
    study = {"name": "S", "benchmark": "phyre", "puzzles": [TASK], "attempt_limit": 100}
    made = post(client, "studies", **study)["id"]
    free = new_player(client)
    member = {"X-Player": join(client, made)["key"]}
    client.cookies.clear()  # the free player has another browser
    statements: list[tuple[str, Any]] = []

    @event.listens_for(store._engine, "before_cursor_execute")
    def _note(_c: Any, _cursor: Any, text: str, values: Any, _x: Any, _many: bool) -> None:
        if text.startswith("SELECT") and "FROM attempts" in text:
            statements.append((text, values))

    for headers in (free, member):
        statements.clear()
        body = {"action": [0.4, 0.8, 0.3], "stride": 60}
        assert post(client, f"phyre/tasks/{TASK}/attempts", headers, **body)["number"] == 1
        assert len(statements) == 1
        text, values = statements[0]
        with store.reading() as session:
            plan = session.connection().exec_driver_sql(f"EXPLAIN QUERY PLAN {text}", values).all()
        assert "COVERING INDEX attempts_by_puzzle" in plan[0][-1]


def test_an_attempt_takes_no_longer_after_many(store: Store) -> None:
    veteran, novice = store_player(store), store_player(store)
    add_rows(store, veteran.key, 50_000, TASK, Benchmark.PHYRE)

    def seconds(person: tables.Player) -> float:
        taken = []
        for _ in range(5):
            begun = time.thread_time()
            store.change(
                lambda session: add_attempt(
                    session, person, Benchmark.PHYRE, TASK, [0.4, 0.8, 0.3], solved=False
                )
            )
            taken.append(time.thread_time() - begun)
        return min(taken)

    assert seconds(veteran) < seconds(novice) + 0.03


def test_pages_can_be_read_by_the_page(client: TestClient) -> None:
    """The page reads the number of items from a header, which JSON lists have no place for."""
    answer = client.get("/api/puzzles")
    assert answer.headers["x-total-count"] == "0"
    assert json.loads(answer.content) == []


def test_puzzles_made_here_are_not_kept_in_memory(
    client: TestClient, player: dict[str, str]
) -> None:
    def kept() -> int:
        gc.collect()
        return sum(type(thing) in (PhyreScene, Scene) for thing in gc.get_objects())

    puzzle = blank(client, "phyre")
    before = 0
    for number in range(6):
        puzzle["data"]["bodies"][-1]["position"][0] = 100.0 + number
        made = client.post("/api/puzzles", json=puzzle, headers=player).json()
        task = f"/api/phyre/tasks/{made['subject']}"
        assert client.get(task).status_code == 200
        assert client.get(f"{task}/thumbnail.png").status_code == 200
        before = before or kept()  # the first one loads what all need
    assert kept() <= before
