"""The database: its version, its errors, and many writers at once."""

from __future__ import annotations

import sqlite3
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import event, select, text
from sqlalchemy.exc import IntegrityError, OperationalError
from sqlalchemy.orm import Session

from topple.player import tables
from topple.player.app import create_app
from topple.player.attempts import add_attempt
from topple.player.models.base import Benchmark
from topple.player.players import new_player
from topple.player.settings import Settings
from topple.player.store import Store, StoreError, sqlite_url


def test_a_new_database_is_made_with_its_folder(tmp_path: Path) -> None:
    Store(sqlite_url(tmp_path / "new" / "folder")).close()
    Store(sqlite_url(tmp_path / "new" / "folder")).close()  # and opened again
    with sqlite3.connect(tmp_path / "new" / "folder" / "player.sqlite") as connection:
        [[mode]] = connection.execute("PRAGMA journal_mode").fetchall()
    connection.close()
    assert mode == "wal"


def test_a_database_of_another_version_is_refused(tmp_path: Path) -> None:
    url = sqlite_url(tmp_path)
    store = Store(url)
    with store.transaction() as session:
        session.merge(tables.Meta(name="schema", value="999"))
    store.close()
    with pytest.raises(StoreError, match=rf"version 999 .* needs version {tables.SCHEMA}"):
        Store(url)
    with store.transaction() as session:
        session.delete(session.get_one(tables.Meta, "schema"))
    with pytest.raises(StoreError, match="version unknown"):
        Store(url)


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("nonsense", "not an SQLAlchemy URL"),
        ("nobase://x", "driver"),
        ("sqlite:////proc/nowhere/x.db", "cannot be opened"),
        ("postgresql+nodriver://user:secret@host/db", "driver"),
    ],
)
def test_a_database_that_cannot_be_opened_is_named(url: str, words: str) -> None:
    with pytest.raises(StoreError, match=words) as error:
        Store(url)
    assert "secret" not in str(error.value)


def test_a_file_that_is_no_database_is_refused(tmp_path: Path) -> None:
    (tmp_path / "player.sqlite").write_bytes(b"not a database at all" * 100)
    with pytest.raises(StoreError, match="cannot be opened"):
        Store(sqlite_url(tmp_path))


def test_a_transaction_is_all_or_nothing(store: Store) -> None:
    def fail() -> None:
        with store.transaction() as session:
            session.add(tables.Meta(name="half", value="1"))
            session.flush()
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail()
    with store.reading() as session:
        assert session.get(tables.Meta, "half") is None


def test_work_is_done_again_when_a_number_was_taken(store: Store) -> None:
    calls: list[None] = []

    def work(session: Session) -> str:
        calls.append(None)
        session.add(tables.Meta(name="schema" if len(calls) < 3 else "free", value="x"))
        session.flush()
        return "done"

    assert store.change(work) == "done"
    assert len(calls) == 3

    def never(session: Session) -> None:
        session.add(tables.Meta(name="schema", value="x"))
        session.flush()

    with pytest.raises(IntegrityError):
        store.change(never)


def test_attempts_of_many_threads_get_numbers_of_their_own(store: Store) -> None:
    person = new_player(store)

    def add(session: Session) -> None:
        add_attempt(session, person, Benchmark.IPHYRE, "support", [])

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(store.change, [add] * 40))
    with store.reading() as session:
        rows = list(session.scalars(select(tables.Attempt).order_by(tables.Attempt.number)))
    assert [row.number for row in rows] == list(range(1, 41))
    assert [row.counted for row in rows] == [True] * 5 + [False] * 35


def test_a_game_under_way_when_the_server_died_is_played_out(tmp_path: Path) -> None:
    url = sqlite_url(tmp_path)
    store = Store(url)
    person = new_player(store)
    store.change(
        lambda session: add_attempt(
            session, person, Benchmark.IPHYRE, "support", [[5, 0, 4], [9, 1, 8]], finished=False
        )
    )
    store.close()
    with TestClient(create_app(Settings(url)), base_url="http://127.0.0.1") as client:
        game = client.get("/api/iphyre/games/support", headers={"X-Player": person.key}).json()
    [attempt] = game["attempts"]
    assert attempt["abandoned"]
    assert attempt["solved"]
    assert [row["tick"] for row in attempt["plan"]] == [5, 9]


def test_changes_that_wait_share_a_transaction_and_fail_apart(store: Store) -> None:
    commits, outcomes = 0, dict[int, object]()

    @event.listens_for(store._engine, "commit")
    def _count(_connection: object) -> None:
        nonlocal commits
        commits += 1

    def change(number: int) -> None:
        def work(session: Session) -> str:
            session.add(tables.Meta(name=f"change {number}", value="kept"))
            session.flush()
            if number % 3 == 0:
                raise ValueError(f"no {number}")
            if number % 3 == 1:
                session.execute(text("select nothing()"))
            return f"result {number}"

        try:
            outcomes[number] = store.change(work)
        except Exception as error:
            outcomes[number] = type(error)

    def change_at_once(numbers: range) -> None:
        threads = [threading.Thread(target=change, args=[number]) for number in numbers]
        with store._write_lock:  # nobody may write before all wait
            for thread in threads:
                thread.start()
            while len(store._changes) < len(threads):
                time.sleep(0.001)
        for thread in threads:
            thread.join()

    change_at_once(range(30))
    good = list(range(2, 30, 3))
    assert {number: outcomes[number] for number in good} == {n: f"result {n}" for n in good}
    assert all(outcomes[number] is ValueError for number in range(0, 30, 3))
    assert all(outcomes[number] is OperationalError for number in range(1, 30, 3))
    with store.reading() as session:
        kept = session.scalars(select(tables.Meta.name).where(tables.Meta.value == "kept"))
        assert sorted(kept) == sorted(f"change {number}" for number in good)

    commits = 0
    change_at_once(range(32, 62, 3))
    assert commits == 1
    assert outcomes[59] == "result 59"
