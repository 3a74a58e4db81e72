"""The design of a study: orders, steps, limits, questions, events, exports and deletion."""

from __future__ import annotations

import csv
import io
import json
import sqlite3
import time
import zipfile
from collections import Counter
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient
from pydantic import ValidationError

from support.command_line import topple, topple_json, topple_mistake
from support.player_client import TO_SECOND_VERSION, join, post, without_cookies
from topple.player.models.studies import Order, StudyIn
from topple.player.settings import Settings
from topple.player.store import Store
from topple.player.studies import results
from topple.player.study_design import first_fault, latin_square_row, read_design, schedule
from topple.player.tables import SCHEMA, Player
from topple.runs.agent import Kind
from topple.runs.record import find_records

TASKS = ["00002:007", "00009:602", "00001:000"]
WIN = [0.82, 0.56, 0.53]  # solves the first one
MISS = [0.8, 0.5, 0.2]
DESIGN: dict[str, Any] = {"name": "Pilot", "benchmark": "phyre", "puzzles": TASKS, "shuffle": False}


@pytest.fixture
def client(client: TestClient) -> TestClient:
    """Researchers and participants who call from this machine, each without a browser."""
    return without_cookies(client)


class Person:
    """A participant who calls the API."""

    def __init__(self, client: TestClient, study: str, **body: object) -> None:
        self._client = client
        joined = join(client, study, **body)
        self.id: str = joined["anonymous_id"]
        self.headers = {"X-Player": joined["key"]}

    def post(self, path: str, **body: object) -> Any:
        return self._client.post(f"/api/{path}", json=body, headers=self.headers)

    def get(self, path: str) -> Any:
        return self._client.get(f"/api/{path}", headers=self.headers)

    @property
    def session(self) -> dict[str, Any]:
        found: dict[str, Any] = self.get("me").json()["study"]
        return found

    @property
    def step(self) -> dict[str, Any]:
        found: dict[str, Any] = self.session["step"]
        return found

    def attempt(self, action: list[float]) -> Any:
        at = self.session["items"][self.session["current"]]["subject"]
        return self.post(f"phyre/tasks/{at}/attempts", action=action, stride=60)


def create(client: TestClient, **fields: object) -> str:
    study: str = post(client, "studies", **{**DESIGN, **fields})["id"]
    return study


def export(client: TestClient, study: str) -> dict[str, Any]:
    found: dict[str, Any] = client.get(f"/api/studies/{study}/export.json").json()
    return found


@pytest.mark.parametrize("size", range(1, 8))
def test_latin_squares_are_balanced(size: int) -> None:
    rows = [latin_square_row(size, row) for row in range(size * (1 + size % 2))]
    assert all(sorted(row) == list(range(size)) for row in rows)
    places = Counter((place, item) for row in rows for place, item in enumerate(row))
    pairs = Counter(pair for row in rows for pair in pairwise(row))
    assert len(set(places.values())) == 1
    assert len(pairs) == size * (size - 1)
    assert len(set(pairs.values())) <= 1
    assert latin_square_row(size, len(rows)) == rows[0]


def test_orders_depend_on_the_seed_and_the_number_alone() -> None:
    def orders(order: Order, seed: int = 0) -> list[list[str]]:
        blocks = [{"name": "A", "puzzles": TASKS}, {"name": "B", "puzzles": ["00003:000"]}]
        design = StudyIn.model_validate(
            {"name": "x", "benchmark": "phyre", "blocks": blocks, "order": order, "seed": seed}
        )
        return [schedule(design, number) for number in range(1, 7)]

    assert orders(Order.FIXED) == [[*TASKS, "00003:000"]] * 6
    random = orders(Order.RANDOM)
    assert random == orders(Order.RANDOM)
    assert random != orders(Order.RANDOM, seed=1)
    assert len({tuple(order) for order in random}) > 1
    assert all(order[3] == "00003:000" and sorted(order[:3]) == sorted(TASKS) for order in random)
    square = orders(Order.LATIN_SQUARE)
    assert Counter(order[0] for order in square) == dict.fromkeys(TASKS, 2)


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ('order = "rnd"', "order is 'rnd'"),
        ("ordre = 3", "no key 'ordre'; did you mean 'order'?"),
        ("attempt_limit = 0", "attempt_limit is 0"),
        ("time_limit = -1", "time_limit is -1"),
        ('redirect = "http://example.org"', "redirect is 'http://example.org'"),
        ('redirect = "javascript:alert(1)"', "redirect is 'javascript:alert(1)'"),
        ('redirect = "https://user@example.org"', "redirect is 'https://user@example.org'"),
        ('[[before]]\nid = "a"\nkind = "stars"\ntext = "?"', "before.0.kind is 'stars'"),
        ('[[before]]\nid = "a"\nkind = "choice"\ntext = "?"', "options belong to"),
        ('[[after]]\nid = "A"\nkind = "text"\ntext = "?"', "after.0.id is 'A'"),
        ('[[after]]\nid = "a"\nkind = "scale"\ntext = "?"\nhigh = 90', "from 1 to 90"),
        (
            '[[checks]]\nid = "a"\ntext = "?"\noptions = ["x", "y"]\nanswer = "z"\nafter = 1',
            "answer 'z' is not an option",
        ),
        ('[[blocks]]\npuzzles = ["00001:000"]', "belong into the blocks"),
    ],
)
def test_a_wrong_design_names_the_value(tmp_path: Path, line: str, words: str) -> None:
    path = tmp_path / "study.toml"
    path.write_text(f'name = "x"\nbenchmark = "phyre"\npuzzles = ["00001:000"]\n{line}\n')
    with pytest.raises(ValueError, match=r"study\.toml: ") as error:
        read_design(path)
    assert words in str(error.value)
    assert "\n" not in str(error.value)


def test_the_faults_of_calls_are_named_too() -> None:
    with pytest.raises(ValidationError) as error:
        StudyIn.model_validate({"name": "x"})
    assert first_fault(error.value) == "benchmark is missing"


@pytest.mark.parametrize(
    "fields",
    [
        {"practice": [TASKS[0]]},
        {"puzzles": ["00001:000", "00001:000"], "practice": ["00001:000"]},
        {"checks": [{"id": "a", "text": "?", "options": ["x", "y"], "answer": "x", "after": 9}]},
        {"puzzles": [], "blocks": [{"name": "empty"}]},
        {"practice": ["00002:9999"]},
    ],
)
def test_a_design_that_cannot_be_played_is_refused(
    client: TestClient, fields: dict[str, object]
) -> None:
    answer = client.post("/api/studies", json={**DESIGN, **fields})
    assert answer.status_code in (404, 422), answer.text


def test_a_participant_goes_through_all_steps(client: TestClient) -> None:
    study = create(
        client,
        puzzles=[],
        practice=["00000:032"],
        blocks=[
            {"name": "A", "puzzles": TASKS[:1], "break_text": "Rest.", "break_seconds": 1},
            {"name": "B", "puzzles": TASKS[1:2]},
        ],
        before=[
            {"id": "age", "kind": "text", "text": "Age?"},
            {"id": "eyes", "kind": "choice", "text": "?", "options": ["a", "b"], "required": False},
        ],
        after=[{"id": "fun", "kind": "scale", "text": "Fun?", "low": 0, "high": 4}],
        checks=[{"id": "read", "text": "x!", "options": ["x", "y"], "answer": "x", "after": 1}],
        completion_code="C-{participant}",
        redirect="https://example.org/?c={code}",
    )
    person = Person(client, study)
    assert person.step["kind"] == "before"
    assert person.get(f"phyre/tasks/{TASKS[0]}").status_code == 403
    assert person.post("me/skip").status_code == 409
    for wrong in ({}, {"age": 7}, {"age": " "}, {"age": "7", "eyes": "c"}, {"age": "7", "x": "y"}):
        assert person.post("me/answers", answers=wrong).status_code == 422, wrong
    assert person.post("me/answers", answers={"age": "30"}).status_code == 200
    assert person.session["items"][0]["phase"] == "practice"
    person.post("me/skip")
    assert person.attempt(WIN).json()["outcome"] == "solved"
    asked = person.step
    assert asked["kind"] == "check"
    assert "answer" not in asked["questions"][0]
    assert person.get(f"phyre/tasks/{TASKS[1]}").status_code == 403  # not before the check
    person.post("me/answers", answers={"read": "y"})
    assert (person.step["kind"], person.step["text"]) == ("break", "Rest.")
    assert person.post("me/continue").status_code == 409
    time.sleep(1.1)
    assert person.post("me/continue").json()["study"]["step"]["kind"] == "puzzle"
    person.post("me/skip")
    for wrong_number in (5, -1, "2"):
        assert person.post("me/answers", answers={"fun": wrong_number}).status_code == 422
    end = person.post("me/answers", answers={"fun": 4}).json()["study"]["step"]
    assert (end["kind"], end["code"]) == ("finished", f"C-{person.id}")
    assert end["redirect"] == f"https://example.org/?c=C-{person.id}"
    found = export(client, study)
    [line] = found["participants"]
    assert (line["state"], line["checks_passed"], line["checks_failed"]) == ("finished", 0, 1)
    assert (line["scored"], line["missing"]) == (2, 0)
    assert [row["outcome"] for row in found["puzzles"]] == ["given_up", "solved", "given_up"]
    assert [row["counted"] for row in found["puzzles"]] == [False, True, True]
    assert [(row["question"], row["answer"], row["correct"]) for row in found["answers"]] == [
        ("age", "30", None),
        ("eyes", None, None),
        ("read", "y", False),
        ("fun", 4, None),
    ]


def test_the_server_enforces_the_time_limit(client: TestClient) -> None:
    study = create(client, time_limit=1)
    person = Person(client, study)
    assert person.attempt(MISS).status_code == 200  # the clock begins when the puzzle is shown
    person.get(f"phyre/tasks/{TASKS[0]}")
    assert 0 < person.step["seconds"] <= 1
    time.sleep(1.1)
    late = person.post(f"phyre/tasks/{TASKS[0]}/attempts", action=WIN)
    assert (late.status_code, late.json()["detail"]) == (409, f"the time for '{TASKS[0]}' is up")
    assert person.session["current"] == 1
    first, second, third = export(client, study)["puzzles"]
    assert (first["outcome"], first["attempts"], first["seconds"]) == ("out_of_time", 1, 1.0)
    assert (second["outcome"], third["outcome"]) == ("not_reached", "not_reached")
    rows = export(client, study)["attempts"]
    assert [row["outcome"] for row in rows] == [
        *("not_solved", "out_of_time"),
        *("not_reached", "not_reached"),
    ]


def test_names_are_kept_only_if_the_study_asks(client: TestClient) -> None:
    study = create(client)
    path = f"/api/studies/{study}/participants"
    refused = client.post(path, json={"consent": True, "name": "Ann"})
    assert refused.status_code == 422
    public = client.get(f"/api/studies/{study}").json()
    assert "You are not asked for your name." in public["kept"][0]
    asking = client.get(f"/api/studies/{create(client, ask_name=True)}").json()
    assert any("Your name or code" in sentence for sentence in asking["kept"])
    assert not any("Your name or code" in sentence for sentence in public["kept"])


def test_events_are_stored_once_and_bounded(
    client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    study = create(client)
    person = Person(client, study)

    def event(number: int, **fields: object) -> dict[str, object]:
        plain = {"event": "placement", "sequence": number, "page_time": 1.5e12, "page_clock": 10.5}
        return {**plain, "puzzle": TASKS[0], "value": [0.5, 0.5, 0.1], **fields}

    body = {"page": "abcd1234", "events": [event(0), event(1, event="focus_lost", value=None)]}
    assert person.post("me/events", **body).json() == {"stored": 2}
    assert person.post("me/events", **body).json() == {"stored": 0}  # a repeated call
    for wrong in (
        {**body, "page": "x"},
        {**body, "events": []},
        {**body, "events": [event(n) for n in range(101)]},
        {**body, "events": [event(2, event="hacked")]},
        {**body, "events": [event(2, page_time=-1)]},
        {**body, "events": [event(2, value=[2.0])]},
        {**body, "events": [event(2, value="x" * 10)]},
    ):
        assert person.post("me/events", **wrong).status_code == 422
    monkeypatch.setattr("topple.player.study_session.MAX_EVENTS", 4)
    assert person.post("me/events", page="abcd1234", events=[event(2)]).json() == {"stored": 1}
    assert person.post("me/events", page="abcd1234", events=[event(3)]).status_code == 409
    rows = [row for row in export(client, study)["events"] if row["source"] == "page"]
    assert [row["event"] for row in rows] == ["placement", "focus_lost", "placement"]
    assert (rows[0]["page_time"], rows[0]["page_clock"]) == (1.5e12, 10.5)
    assert rows[0]["value"] == [0.5, 0.5, 0.1]
    assert rows[0]["server_time"]


def test_tables_are_csv_files_in_a_zip_file(client: TestClient) -> None:
    study = create(client, after=[{"id": "say", "kind": "text", "text": "?"}], puzzles=TASKS[:1])
    person = Person(client, study)
    person.attempt(WIN)
    person.post("me/answers", answers={"say": "=1+1"})
    path = f"/api/studies/{study}/export"
    with zipfile.ZipFile(io.BytesIO(client.get(f"{path}.zip").content)) as archive:
        names = [f"{name}.csv" for name in ("participants", "puzzles", "attempts")]
        names += ["answers.csv", "events.csv", "design.json"]
        assert archive.namelist() == names
        answers = archive.read("answers.csv").decode()
        assert json.loads(archive.read("design.json"))["name"] == "Pilot"
    [row] = csv.DictReader(io.StringIO(answers))
    assert row["answer"] == "'=1+1"  # no formula for a spreadsheet
    table = client.get(f"{path}.csv", params={"table": "puzzles"}).text
    [puzzle] = csv.DictReader(io.StringIO(table))
    assert (puzzle["outcome"], puzzle["solved_at"]) == ("solved", "1")
    assert client.get(f"{path}.csv", params={"table": "names"}).status_code == 422


def test_a_participant_is_exported_and_deleted(
    client: TestClient, settings: Settings, tmp_path: Path
) -> None:
    study = create(client, ask_name=True)
    stays, goes = (Person(client, study, name=name) for name in ("Anna Stays", "Bert Leaves"))
    for person in (stays, goes):
        person.attempt(MISS)
    one = client.get(f"/api/studies/{study}/export.json", params={"participant": goes.id}).json()
    assert {row["participant"] for row in one["attempts"]} == {goes.id}
    wrong = client.delete(f"/api/studies/{study}/participants/P-AAAAAA")
    assert wrong.status_code == 404
    files = [tmp_path / "player.sqlite", tmp_path / "player.sqlite-wal"]
    assert any(b"Bert Leaves" in path.read_bytes() for path in files)
    left = client.delete(f"/api/studies/{study}/participants/{goes.id}").json()
    assert [person["anonymous_id"] for person in left["participants"]] == [stays.id]
    assert not any(b"Bert Leaves" in path.read_bytes() for path in files if path.exists())
    assert goes.get("me").status_code == 401
    third = Person(client, study, name="Carl Deletes")
    assert third.post("me/withdraw", delete=True).status_code == 200
    assert [row["participant"] for row in export(client, study)["participants"]] == [stays.id]

    delete = ("study", "delete", study, "--database", settings.database)
    topple(*delete, "--participant", stays.id, typed="n\n", code=130)
    done = topple(*delete, "--participant", stays.id, "--yes")
    assert done.stdout == f"deleted participant {stays.id} and 1 attempts\n"
    topple(*delete, "--yes", "--json")
    assert client.get(f"/api/studies/{study}").status_code == 404
    topple_mistake(*delete, "--yes")


def test_agents_play_exactly_the_puzzles_of_a_study(
    client: TestClient, settings: Settings, tmp_path: Path
) -> None:
    study = create(client, attempt_limit=4, puzzles=TASKS[:2])
    for actions in ([MISS, WIN], [WIN]):
        person = Person(client, study)
        for action in actions:
            person.attempt(action)
    person.post("me/skip")
    runs = tmp_path / "runs"
    database = ("--database", settings.database)
    evaluate = ("evaluate", *database, "--runs", runs)
    topple_json(*evaluate, "--from-player", study)
    of_study = ("--tasks-of-study", study)
    [row] = topple_json(*evaluate, *of_study, "--agent", "rand")
    assert (row["study"], row["tasks"], row["missing"]) == (study, 2, 0)
    assert "--setup" in topple_mistake(*evaluate, *of_study, "--agent", "mem")
    topple_mistake(*evaluate, *of_study, "--agent", "rand", "--tasks", "3")
    records = {record.config.title: record for record in find_records(runs)}
    rand = records["rand"]
    assert [str(task) for task in rand.results.tasks] == TASKS[:2]
    assert (rand.config.attempts, rand.config.selection.study) == (4, study)
    people = [record for title, record in records.items() if title.startswith("human")]
    assert {record.kind for record in people} == {Kind.PEOPLE}
    assert rand.kind is Kind.LEARNED
    assert sorted(record.protocol["missing_tasks"] for record in people) == [0, 1]
    for source in (study, str(runs)):  # from the database, and from records
        few = ("--percepts", "8", "--candidates", "10", "--out", tmp_path / "figures")
        analysed = topple_json("analyse", "people", source, *few, *database)
        rows = analysed["tables"][0]["rows"]
        assert len(rows) == len(people) + 1
        assert rows[-1]["participant"] == "everybody"
        assert rows[-1]["puzzles"] == "2"
    assert (tmp_path / "figures" / "people_phyre.svg").read_text().startswith("<svg")
    topple("report", runs, "--out", tmp_path / "report", "--clips", "0")
    table = (tmp_path / "report" / "studies.csv").read_text().splitlines()
    assert table[1].startswith(f"{study},human,2,3,1,0,")
    assert " to " in table[1]  # an interval
    assert table[2].startswith(f"{study},rand,1,2,0,0,")


def test_a_database_of_the_second_version_is_upgraded(settings: Settings, tmp_path: Path) -> None:
    Store(settings.database).close()
    with sqlite3.connect(tmp_path / "player.sqlite") as old:
        old.executescript(TO_SECOND_VERSION)
        old.executescript("""
            INSERT INTO studies VALUES ('aaaaaaaaaaaa', 'Old', 'phyre', '["00002:007"]', 3, 10,
                                        'Agree.', false, '2026-01-01T00:00:00.000+00:00');
            INSERT INTO players VALUES
              (1, 'aaaaaaaaaaaaaaaaaaaaaa', 'P-AAAAAA', 'aaaaaaaaaaaa', 'Ann',
               '2026-01-01T00:00:00.000+00:00'),
              (2, 'bbbbbbbbbbbbbbbbbbbbbb', 'P-BBBBBB', 'aaaaaaaaaaaa', NULL,
               '2026-01-01T00:00:00.000+00:00');
            INSERT INTO attempts VALUES
              (1, 1, 'phyre', '00002:007', 1, true, true, true, '[0.82, 0.56, 0.53]', 611, NULL,
               false, NULL, '2026-01-01T00:00:00.000+00:00');
        """)
    old.close()
    store = Store(settings.database)
    with store.reading() as session:
        first, second = (results(session, session.get_one(Player, number)) for number in (1, 2))
        assert (first.state, first.score, first.at.design.ask_name) == ("finished", 1.0, True)
        assert second.state == "invited"
        assert [item.subject for item in second.at.items] == ["00002:007"]
    store.close()
    with sqlite3.connect(tmp_path / "player.sqlite") as new:
        assert new.execute("SELECT value FROM meta WHERE name = 'schema'").fetchone() == (
            str(SCHEMA),
        )
    new.close()
    Store(settings.database).close()
