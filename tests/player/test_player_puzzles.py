"""Puzzles made in the player: checked, kept, played, and loaded by the Python API."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from support.player_client import blank, live, new_player, post
from topple.iphyre import plan_from_ticks, play
from topple.iphyre.game_file import load_games
from topple.phyre import Simulator
from topple.phyre.scene.codec import scene_from_json

BENCHMARKS = ("phyre", "iphyre")


def keep(client: TestClient, player: dict[str, str], puzzle: dict[str, Any]) -> dict[str, Any]:
    return post(client, "puzzles", player, **puzzle)


@pytest.mark.parametrize("benchmark", BENCHMARKS)
def test_a_blank_puzzle_keeps_the_rules(client: TestClient, benchmark: str) -> None:
    check = client.post("/api/puzzles/check", json=blank(client, benchmark)).json()
    assert check == {"ok": True, "error": None, "body": None}


def test_a_scene_is_kept_played_and_loaded(
    client: TestClient, player: dict[str, str], tmp_path: Path
) -> None:
    puzzle = keep(client, player, blank(client, "phyre"))
    file = client.get(f"/api/puzzles/{puzzle['id']}/file.json").text
    scene = scene_from_json(file)
    answer = client.post(f"/api/puzzles/{puzzle['id']}/solvability", json={"seconds": 5}).json()
    assert answer["verdict"] == "solvable"
    assert Simulator(scene).attempt(0, answer["solution"]).outcome.is_solved
    attempts = f"phyre/tasks/{puzzle['subject']}/attempts"
    assert post(client, attempts, player, action=answer["solution"])["outcome"] == "solved"
    assert client.get(puzzle["thumbnail"]).headers["content-type"] == "image/png"
    shown = client.get(f"/api/phyre/tasks/{puzzle['subject']}").json()
    assert shown["name"] == "My puzzle"
    assert shown["description"] == "Make sure the green ball is touching the purple bar."
    # It is no published task, so no score of the tier rests on it.
    assert client.get("/api/phyre/standing", headers=player).json()["tasks"] == 0


def test_a_game_is_kept_played_and_loaded(
    client: TestClient, player: dict[str, str], tmp_path: Path
) -> None:
    puzzle = keep(client, player, blank(client, "iphyre"))
    path = tmp_path / "game.json"
    path.write_text(client.get(f"/api/puzzles/{puzzle['id']}/file.json").text)
    [game] = load_games(path)
    answer = client.post(f"/api/puzzles/{puzzle['id']}/solvability", json={"seconds": 5}).json()
    assert answer["verdict"] == "solvable"
    ticks = [row["tick"] for row in answer["plan"]]
    assert play(game, plan_from_ticks(game, ticks)).solved
    with live(client, player, puzzle["subject"]) as page:
        page.start()
        page.send("click", x=300, y=400)
        assert page.until("ended")["attempt"]["solved"]


TOUCH = {"first": 0, "second": 1}
BALL = {"dynamic": True, "position": [100, 100], "shapes": [{"circle": 5}]}


@pytest.mark.parametrize(
    ("benchmark", "data", "words", "body"),
    [
        ("phyre", {}, "bodies", None),
        ("phyre", {"bodies": []}, "no goal", None),
        ("phyre", {"bodies": [BALL], "goal": {"first": 0, "second": 9}}, "no body 9", 9),
        ("phyre", {"bodies": [BALL, {**BALL, "shapes": []}]}, "at least one shape", 1),
        ("phyre", {"bodies": [{**BALL, "shapes": [{"circle": -1}]}]}, "radius", 0),
        ("phyre", {"bodies": [{**BALL, "position": [1e300, 0]}] * 2}, "", None),
        ("phyre", {"bodies": [BALL] * 2, "goal": TOUCH, "width": 9}, "256", None),
        ("phyre", {"bodies": [BALL] * 500, "goal": TOUCH}, "", None),
        ("phyre", {"bodies": [{**BALL, "position": [10**400, 0]}]}, "", None),
        ("phyre", {"bodies": BALL}, "list", None),
        ("phyre", {"bodies": [BALL], "magic": 1}, "magic", None),
        ("iphyre", {}, "name", None),
        ("iphyre", {"name": "a b"}, "letters", None),
        ("iphyre", {"name": "a", "blocks": [], "balls": []}, "ball", None),
        ("iphyre", {"name": "a", "balls": [{"centre": [1, 900]}]}, "below", 0),
        ("iphyre", {"name": "a", "blocks": [{"kind": "pink", "ends": [0, 0, 1, 1]}]}, "pink", 0),
        ("iphyre", {"name": "a", "balls": [{"centre": [10**400, 1]}]}, "", None),
        ("iphyre", {"name": "a", "balls": [{"centre": [1, 1]}] * 100}, "at most", None),
    ],
)
def test_a_puzzle_that_breaks_a_rule_is_explained_and_not_kept(
    client: TestClient,
    player: dict[str, str],
    benchmark: str,
    data: dict[str, Any],
    words: str,
    body: int | None,
) -> None:
    puzzle = {"name": "x", "benchmark": benchmark, "data": data}
    check = client.post("/api/puzzles/check", json=puzzle).json()
    assert not check["ok"]
    assert words in check["error"]
    if body is not None:
        assert check["body"] == body
    refused = client.post("/api/puzzles", json=puzzle, headers=player)
    assert refused.status_code == 422
    assert refused.json()["detail"] == check["error"]
    assert client.get("/api/puzzles").json() == []


def test_what_cannot_be_solved_is_not_called_solvable(
    client: TestClient, player: dict[str, str]
) -> None:
    game = blank(client, "iphyre")
    game["data"]["blocks"] = [{"kind": "black", "ends": [0, 400, 600, 400]}]
    puzzle = keep(client, player, game)
    answer = client.post(f"/api/puzzles/{puzzle['id']}/solvability", json={"seconds": 0.2}).json()
    assert (answer["verdict"], answer["solved"]) == ("unsolvable", 0)
    game["data"]["blocks"].append({"kind": "gray", "ends": [0, 500, 100, 500]})
    puzzle = keep(client, player, game)
    answer = client.post(f"/api/puzzles/{puzzle['id']}/solvability", json={"seconds": 0.2}).json()
    assert (answer["verdict"], answer["solved"]) == ("open", 0)

    scene = blank(client, "phyre")
    # A lid over everything keeps the ball where it is.
    lid = {"dynamic": False, "position": [128, 200]}
    shapes = [{"polygon": [[128, 40], [-128, 40], [-128, -40], [128, -40]]}]
    scene["data"]["bodies"].append({**lid, "shapes": shapes})
    puzzle = keep(client, player, scene)
    answer = client.post(f"/api/puzzles/{puzzle['id']}/solvability", json={"seconds": 0.5}).json()
    assert answer["verdict"] in ("open", "solvable")
    assert (answer["verdict"] == "solvable") == (answer["stable"] > 0)
    for seconds in (0, -1, 21, "long"):
        bad = client.post(f"/api/puzzles/{puzzle['id']}/solvability", json={"seconds": seconds})
        assert bad.status_code == 422


@pytest.mark.parametrize("benchmark", BENCHMARKS)
def test_only_the_maker_changes_a_puzzle(
    client: TestClient, player: dict[str, str], benchmark: str
) -> None:
    puzzle = keep(client, player, blank(client, benchmark))
    path = f"/api/puzzles/{puzzle['id']}"
    stranger = new_player(client)
    changed = {**blank(client, benchmark), "name": "Better"}
    assert client.put(path, json=changed).status_code == 401
    assert client.put(path, json=changed, headers=stranger).status_code == 403
    assert client.delete(path, headers=stranger).status_code == 403
    assert client.put(path, json=changed, headers=player).json()["name"] == "Better"
    assert client.get(path, headers=player).json()["mine"]
    assert not client.get(path, headers=stranger).json()["mine"]
    other = {**changed, "benchmark": BENCHMARKS[benchmark == "phyre"]}
    assert client.put(path, json=other, headers=player).status_code == 422
    listed = client.get("/api/puzzles", params={"benchmark": benchmark}).json()
    assert [row["id"] for row in listed] == [puzzle["id"]]
    assert client.delete(path, headers=player).status_code == 200
    assert client.get(path).status_code == 404
    assert client.delete(path, headers=player).status_code == 404


def test_what_others_played_stays_as_it_is(client: TestClient, player: dict[str, str]) -> None:
    puzzle = keep(client, player, blank(client, "phyre"))
    attempts = f"/api/phyre/tasks/{puzzle['subject']}/attempts"
    action = {"action": [0.2, 0.9, 0.1]}
    path = f"/api/puzzles/{puzzle['id']}"
    assert client.post(attempts, json=action, headers=player).json()["number"] == 1
    # A changed puzzle is another one: the maker begins anew.
    assert client.put(path, json=blank(client, "phyre"), headers=player).status_code == 200
    assert client.get(attempts, headers=player).json() == []
    stranger = new_player(client)
    assert client.post(attempts, json=action, headers=stranger).status_code == 200
    assert client.put(path, json=blank(client, "phyre"), headers=player).status_code == 409
    assert client.delete(path, headers=player).status_code == 409


def test_a_study_can_use_puzzles_and_then_keeps_them(
    client: TestClient, player: dict[str, str]
) -> None:
    puzzle = keep(client, player, blank(client, "iphyre"))
    study = {"name": "own", "benchmark": "iphyre", "puzzles": [puzzle["subject"]]}
    made = client.post("/api/studies", json=study)
    assert made.json()["puzzles"] == [puzzle["subject"]]
    assert client.delete(f"/api/puzzles/{puzzle['id']}", headers=player).status_code == 409


def test_numbers_that_are_none_are_refused(client: TestClient) -> None:
    text = '{"name": "x", "benchmark": "phyre", "data": {"bodies": [NaN, Infinity]}}'
    answer = client.post(
        "/api/puzzles/check", content=text, headers={"Content-Type": "application/json"}
    )
    assert answer.status_code in (200, 422)
    assert answer.status_code == 422 or not answer.json()["ok"]
