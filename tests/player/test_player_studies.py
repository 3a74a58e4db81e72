"""Studies: the same puzzles in the same order, kept, resumed, exported and scored as agents."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from fastapi.testclient import TestClient

from support.command_line import topple, topple_json, topple_mistake
from support.player_client import MakeClient, join, live, post, without_cookies
from topple.iphyre import Split, game_named, play
from topple.iphyre.plan import Elimination, Plan
from topple.phyre import Setup, Simulator, load_fold
from topple.phyre.auccess import auccess
from topple.phyre.selection import Part
from topple.player.settings import Settings
from topple.runs.record import find_records

EASY = [
    str(task) for task in load_fold(Setup.BALL_WITHIN_TEMPLATE, 0).test if task.template == "00002"
][:3]


@pytest.fixture
def client(client: TestClient) -> TestClient:
    """Researchers and participants who call from this machine, each without a browser."""
    return without_cookies(client)


def create(client: TestClient, **fields: object) -> dict[str, Any]:
    study = {"name": "Pilot", "benchmark": "phyre", "puzzles": EASY, "shuffle": False}
    return post(client, "studies", **{**study, **fields})


def attempt(client: TestClient, key: str, task: str, action: list[float]) -> Any:
    return client.post(
        f"/api/phyre/tasks/{task}/attempts",
        json={"action": action, "stride": 60},
        headers={"X-Player": key},
    )


def solve(client: TestClient, key: str, task: str, misses: int = 0) -> None:
    simulator = Simulator(task)
    rng = np.random.default_rng(0)
    while misses:
        action = rng.uniform(size=3).tolist()
        if simulator.attempt(task, action).outcome == -1:
            assert attempt(client, key, task, action).json()["outcome"] == "not_solved"
            misses -= 1
    [win] = simulator.solutions(task).tolist()
    assert attempt(client, key, task, win).json()["outcome"] == "solved"


def play_game(client: TestClient, key: str, game: str, clicks: bool) -> dict[str, Any]:
    with live(client, {"X-Player": key}, game) as page:
        page.send("start")
        for body in game_named(game).eliminable if clicks else ():
            page.send("remove", body=body)
        return page.until("ended", "error")


def evaluate(study: str, settings: Settings, runs: Path) -> Any:
    database = ("--database", settings.database)
    return topple_json("evaluate", "--from-player", study, *database, "--runs", runs)


def test_the_seed_fixes_the_puzzles_and_their_order(client: TestClient) -> None:
    first, same, other = (
        create(client, puzzles=[], pools=["ball_within/0"], seed=seed, count=20, shuffle=True)[
            "puzzles"
        ]
        for seed in (1, 1, 2)
    )
    assert first == same
    assert first != other
    test = {str(task) for task in load_fold(Setup.BALL_WITHIN_TEMPLATE, 0).test}
    assert set(first) <= test
    listed = create(client, puzzles=["00003:000", "00001:042"])
    assert listed["puzzles"] == ["00003:000", "00001:042"]


@pytest.mark.parametrize(
    ("fields", "status"),
    [
        ({"pools": ["nonsense"]}, 422),
        ({"pools": ["ball_within/77"]}, 422),
        ({"pools": []}, 422),
        ({"pools": ["ball"], "count": None}, 422),
        ({"pools": [], "puzzles": ["support"]}, 404),
        ({"benchmark": "iphyre"}, 422),
        ({"benchmark": "iphyre", "pools": [], "puzzles": ["no_such_game"]}, 404),
        ({"attempt_limit": 0}, 422),
        ({"name": ""}, 422),
        ({"name": "x" * 81}, 422),
        ({"consent": "x" * 10_001}, 422),
    ],
)
def test_a_study_that_cannot_be_is_refused(
    client: TestClient, fields: dict[str, object], status: int
) -> None:
    study = {"name": "Pilot", "benchmark": "phyre", "pools": ["ball_within/0"], "count": 3}
    assert client.post("/api/studies", json={**study, **fields}).status_code == status


def test_limits_are_the_papers_unless_said_otherwise(client: TestClient) -> None:
    assert create(client)["attempt_limit"] == 100
    assert create(client, benchmark="iphyre", puzzles=[], pools=["basic"])["attempt_limit"] == 5
    assert create(client, attempt_limit=7)["attempt_limit"] == 7


def test_taking_part_needs_consent(client: TestClient) -> None:
    study = create(client, consent="Your clicks are kept.")
    public = client.get(f"/api/studies/{study['id']}").json()
    assert public["consent"] == "Your clicks are kept."
    assert "puzzles" not in public
    path = f"/api/studies/{study['id']}/participants"
    assert client.post(path, json={"consent": False}).status_code == 403
    assert client.post(path, json={}).status_code == 422
    assert client.get("/api/studies/aaaaaaaaaaaa").status_code == 404


def test_a_participant_goes_through_the_items_in_order(client: TestClient) -> None:
    study = create(client, attempt_limit=2)
    first, second, third = study["puzzles"]
    key = join(client, study["id"])["key"]
    task = client.get(f"/api/phyre/tasks/{first}", headers={"X-Player": key}).json()
    assert (task["idea"], task["progress"]["limit"]) == ("", 2)
    refused = attempt(client, key, second, [0.5, 0.5, 0.1])
    assert refused.status_code == 403
    assert attempt(client, key, "00001:042", [0.5, 0.5, 0.1]).status_code == 403
    shown = client.post(f"/api/phyre/tasks/{first}/solution", headers={"X-Player": key})
    assert shown.status_code == 403
    solve(client, key, first)
    me = client.get("/api/me", headers={"X-Player": key}).json()["study"]
    assert me["current"] == 1
    assert me["items"][0]["subject"] == first
    assert [item["subject"] for item in me["items"]] == [first, second, None]
    assert [item["done"] for item in me["items"]] == [True, False, False]
    assert attempt(client, key, first, [0.5, 0.5, 0.1]).status_code == 409
    skipped = client.post("/api/me/skip", headers={"X-Player": key}).json()["study"]
    assert skipped["current"] == 2
    simulator = Simulator(third)
    misses = [
        action
        for action in np.random.default_rng(5).uniform(size=(60, 3)).tolist()
        if simulator.attempt(third, action).outcome == -1
    ][:3]
    assert [attempt(client, key, third, action).status_code for action in misses] == [200, 200, 409]
    assert client.get("/api/me", headers={"X-Player": key}).json()["study"]["current"] is None
    assert client.post("/api/me/skip", headers={"X-Player": key}).status_code == 409


def test_a_name_leads_back_if_the_study_allows_it_and_ids_are_anonymous(client: TestClient) -> None:
    study = create(client, resume_by_name=True)
    ann = join(client, study["id"], name="Ann")
    solve(client, ann["key"], study["puzzles"][0])
    again = join(client, study["id"], name="Ann")
    assert again["resumed"]
    assert again["key"] == ann["key"]
    assert again["study"]["current"] == 1
    other = join(client, create(client, ask_name=True)["id"], name="Ann")
    assert other["key"] != ann["key"]
    nameless = [join(client, study["id"]) for _ in range(2)]
    assert len({person["anonymous_id"] for person in (ann, *nameless)}) == 3
    detail = client.get(f"/api/studies/{study['id']}/detail").json()
    link = next(row for row in detail["participants"] if row["name"] == "Ann")["link"]
    assert link == f"/#/study/{study['id']}?key={ann['key']}"
    for ending in ("csv", "json"):
        export = client.get(f"/api/studies/{study['id']}/export.{ending}").text
        assert "Ann" not in export
        assert ann["key"] not in export


def test_exports_hold_every_attempt(client: TestClient) -> None:
    study = create(client)
    people = [join(client, study["id"]) for _ in range(2)]
    for misses, person in enumerate(people):
        solve(client, person["key"], study["puzzles"][0], misses)
    path = f"/api/studies/{study['id']}/export"
    rows = list(csv.DictReader(io.StringIO(client.get(f"{path}.csv").text)))
    data = client.get(f"{path}.json").json()
    made = [row for row in rows if row["attempt"]]
    assert len(rows) == len(data["attempts"]) == 3 + 2 * 2  # with the puzzles that were not solved
    assert [row["participant"] for row in made] == [
        people[0]["anonymous_id"],
        *[people[1]["anonymous_id"]] * 2,
    ]
    assert [row["outcome"] for row in made] == ["solved", "not_solved", "solved"]
    for row, attempt_data in zip(rows, data["attempts"], strict=True):
        if not row["attempt"]:
            assert row["outcome"] in ("unfinished", "not_reached")
            continue
        action = [float(number) for number in row["action"].split()]
        assert action == attempt_data["action"]
        outcome = Simulator(row["puzzle"]).attempt(row["puzzle"], action).outcome
        assert outcome.is_solved == (attempt_data["outcome"] == "solved")


def test_people_are_scored_like_agents(
    client: TestClient, settings: Settings, tmp_path: Path
) -> None:
    study = create(client)
    person = join(client, study["id"])
    solve(client, person["key"], study["puzzles"][0], misses=2)
    solve(client, person["key"], study["puzzles"][1])
    runs = tmp_path / "runs"
    result = evaluate(study["id"], settings, runs)
    [record] = find_records(runs)
    assert [str(task) for task in record.results.tasks] == study["puzzles"][:2]
    assert record.results.first_solved.tolist() == [3, 1]
    assert (record.protocol["scored_tasks"], record.protocol["missing_tasks"]) == (2, 1)
    selection = record.config.selection
    assert (selection.setup, selection.part, selection.study) == (None, Part.STUDY, study["id"])
    assert len(record.results.attempts) == 4
    [row] = result
    assert row["AUCCESS"] == auccess(np.array([3, 1]))
    assert (row["tasks"], row["missing"]) == (2, 1)
    [listed] = client.get(f"/api/studies/{study['id']}/detail").json()["participants"]
    assert listed["score"] == row["AUCCESS"]


def test_a_study_of_games(client: TestClient, settings: Settings, tmp_path: Path) -> None:
    games = {"benchmark": "iphyre", "puzzles": [], "pools": ["basic"], "shuffle": True}
    study = create(client, **games, count=2, attempt_limit=2)
    first, second = study["puzzles"]
    assert {first, second} <= {game.name for game in Split.BASIC.games}
    person = join(client, study["id"])
    refused = play_game(client, person["key"], second, clicks=False)
    assert refused["code"] == "refused"
    ended = [play_game(client, person["key"], first, clicks) for clicks in (False, True)]
    used = play_game(client, person["key"], first, clicks=True)
    assert used["code"] == "limit"
    evaluate(study["id"], settings, tmp_path / "runs")
    [record] = find_records(tmp_path / "runs")
    rewards = [message["attempt"]["reward"] for message in ended]
    assert [entry.score.reward for entry in record.results.plays] == rewards
    assert record.results.scores[first].reward == max(rewards)
    for entry in record.results.plays:
        assert entry.score == play(game_named(first), entry.plan)
    rows = client.get(f"/api/studies/{study['id']}/export.json").json()["attempts"]
    rows = [row for row in rows if row["attempt"]]
    plans = [Plan(tuple(Elimination(t, b) for t, b, _ in row["action"])) for row in rows]
    assert plans == [entry.plan for entry in record.results.plays]


def test_only_the_owner_may_create_and_export(make_client: MakeClient) -> None:
    client = make_client(address="192.168.1.7", owner_key="sesame")
    body = {"name": "Pilot", "benchmark": "iphyre", "pools": ["basic"]}
    owner = {"X-Owner": "sesame"}
    assert client.post("/api/studies", json=body).status_code == 403
    assert client.post("/api/studies", json=body, headers={"X-Owner": "x"}).status_code == 403
    study = client.post("/api/studies", json=body, headers=owner).json()["id"]
    for path in ("", f"/{study}/detail", f"/{study}/export.csv", f"/{study}/export.json"):
        assert client.get(f"/api/studies{path}").status_code == 403
        assert client.get(f"/api/studies{path}", headers=owner).status_code == 200
    assert client.get(f"/api/studies/{study}").status_code == 200
    join(client, study)
    assert client.get("/api/health").json()["owner"] is False
    # The link for the owner makes the page the owner's.
    assert client.get("/api/owner", params={"key": "guess"}).status_code == 403
    welcome = client.get("/api/owner", params={"key": "sesame"}, follow_redirects=False)
    assert welcome.headers["location"] == "/#/study"
    cookie = welcome.headers["set-cookie"].lower()
    assert "httponly" in cookie
    assert "samesite=strict" in cookie
    assert client.get("/api/health").json()["owner"] is True
    assert client.get(f"/api/studies/{study}/export.csv").status_code == 200


def test_without_a_key_only_this_machine_owns(make_client: MakeClient) -> None:
    assert make_client().get("/api/owner", params={"key": ""}).status_code == 403
    assert make_client().get("/api/studies").status_code == 200
    assert make_client(address="192.168.1.7").get("/api/studies").status_code == 403


def test_studies_from_the_command_line(
    client: TestClient, settings: Settings, tmp_path: Path
) -> None:
    consent = tmp_path / "consent.txt"
    consent.write_text("Please agree.")
    database = ("--database", settings.database)

    def study(*arguments: str | Path) -> Any:
        return topple_json("study", *arguments, *database)

    detail = study(
        *("create", "Lab", "--benchmark", "phyre", "--pool", "00001", "--count", "4"),
        *("--seed", "5", "--attempts", "9", "--consent", consent, "--resume-by-name"),
    )
    assert (detail["attempt_limit"], detail["resume_by_name"]) == (9, True)
    assert client.get(f"/api/studies/{detail['id']}").json()["consent"] == "Please agree."
    invited = study("invite", detail["id"], "P1", "P2")
    key = invited[0]["link"].partition("key=")[2]
    assert attempt(client, key, detail["puzzles"][0], [0.5, 0.5, 0.1]).status_code == 403
    agreed = client.post("/api/me/consent", json={"consent": True}, headers={"X-Player": key})
    assert agreed.json()["study"]["step"]["kind"] == "puzzle"
    solve(client, key, detail["puzzles"][0])
    [row] = study("list")
    assert (row["participants"], row["attempts"]) == (2, 1)
    shown = study("show", detail["id"])
    assert [person["name"] for person in shown["participants"]] == ["P1", "P2"]
    for name in ("out.csv", "out.json", "out.zip"):
        topple("study", "export", detail["id"], "--out", tmp_path / name, *database)
    exported = json.loads((tmp_path / "out.json").read_text())["attempts"]
    assert exported[0]["outcome"] == "solved"
    assert len(exported) == 8
    assert (tmp_path / "out.csv").read_text().count("\n") == 1 + 8
    for wrong in (
        ("study", "export", detail["id"], "--out", tmp_path / "out.xls", *database),
        ("study", "export", "aaaaaaaaaaaa", "--out", tmp_path / "out.csv", *database),
        ("study", "create", "Lab", "--benchmark", "chess", "--pool", "00001", *database),
        ("study", "create", "Lab", "--benchmark", "phyre", "--pool", "queens", *database),
        ("evaluate", "--from-player", "aaaaaaaaaaaa", *database),
        ("evaluate",),
        ("study", "list", "--database", "no url"),
    ):
        topple_mistake(*wrong)
