"""PHYRE in the player: the gallery, attempts as the simulator sees them, and scores."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from fastapi.testclient import TestClient
from PIL import Image

from support.player_client import poses_of, post
from topple.phyre import Simulator, Tier, load_task, template_task_ids
from topple.phyre.auccess import auccess, success_curve
from topple.phyre.benchmark import PHYRE
from topple.phyre.templates import MODULES
from topple.player import standing as standing_module
from topple.player.puzzles import published_task
from topple.runs.runner import Runner

TASK = "00002:017"
MISS = [0.4, 0.8, 0.3]
WIN = [0.8172222002012158, 0.5552008115994623, 0.5296505783560065]


def attempt(
    client: TestClient, player: dict[str, str], action: list[float], task: str = TASK
) -> dict[str, Any]:
    return post(client, f"phyre/tasks/{task}/attempts", player, action=action, stride=6)


def test_the_gallery_has_all_templates_and_filters_by_tier(client: TestClient) -> None:
    cards = client.get("/api/phyre/templates").json()
    assert [card["id"] for card in cards] == list(MODULES)
    assert {card["tasks"] for card in cards} == {100}
    pairs = client.get("/api/phyre/templates", params={"tier": "two_balls"}).json()
    assert [card["id"] for card in pairs] == list(Tier.TWO_BALLS.template_ids)
    assert len(cards[0]["scene"]["bodies"]) == len(published_task("00000:000").scene.bodies)


def test_tasks_can_be_filtered_by_what_one_solved(
    client: TestClient, player: dict[str, str]
) -> None:
    attempt(client, player, WIN)
    path = "/api/phyre/templates/00002/tasks"
    listed = client.get(path, headers=player).json()
    assert [card["id"] for card in listed] == [str(task) for task in template_task_ids("00002")]
    solved, rest = (
        client.get(path, params={"solved": solved}, headers=player).json()
        for solved in (True, False)
    )
    assert [card["id"] for card in solved] == [TASK]
    assert len(rest) == 99
    cards = client.get("/api/phyre/templates", headers=player).json()
    [card] = (card for card in cards if card["id"] == "00002")
    assert (card["tried"], card["solved"]) == (1, 1)


def test_thumbnails_are_pictures_that_browsers_may_keep(client: TestClient) -> None:
    path = f"/api/phyre/tasks/{TASK}/thumbnail.png?size=64"
    answer = client.get(path)
    with Image.open(io.BytesIO(answer.content)) as image:
        assert image.size == (64, 64)
    again = client.get(path, headers={"If-None-Match": answer.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")


def test_a_task_comes_with_its_geometry_and_neighbours(client: TestClient) -> None:
    task = client.get(f"/api/phyre/tasks/{TASK}").json()
    names = [str(name) for name in template_task_ids("00002")]
    place = names.index(TASK)
    assert (task["previous"], task["next"]) == (names[place - 1], names[place + 1])
    scene = published_task(TASK).scene
    assert scene.goal is not None
    assert task["scene"]["goal"] == [scene.goal.first, scene.goal.second]
    for body, drawn in zip(scene.bodies, task["scene"]["bodies"], strict=True):
        assert tuple(drawn["position"]) == body.position
        assert drawn["dynamic"] == body.dynamic
    assert client.get(f"/api/phyre/tasks/{names[0]}").json()["previous"] is None


@pytest.mark.parametrize("tier", list(Tier))
def test_validity_is_the_simulators(client: TestClient, tier: Tier) -> None:
    task = str(template_task_ids(tier.template_ids[3])[5])
    simulator = Simulator(task)
    rng = np.random.default_rng(1)
    reasons = set()
    for action in rng.uniform(size=(150, tier.action_size)).tolist():
        answer = client.post(f"/api/phyre/tasks/{task}/validate", json={"action": action}).json()
        assert answer["valid"] == bool(simulator.valid(task, action)[0])
        if answer["valid"]:
            assert answer["balls"] == simulator.balls(task, action)[0].tolist()
        else:
            reasons.add(answer["reason"])
    assert any("inside" in reason for reason in reasons)
    assert any("covers" in reason for reason in reasons)
    assert "the balls do not fit" not in reasons  # every refusal has its own words


def test_an_attempt_is_what_the_simulator_makes_of_it(
    client: TestClient, player: dict[str, str]
) -> None:
    result = attempt(client, player, WIN)
    expected = Simulator(TASK).attempt(TASK, WIN, stride=6, states=True)
    assert (result["outcome"], result["steps"]) == ("solved", expected.steps)
    assert expected.states is not None
    moving = result["trajectory"]["bodies"]
    poses = poses_of(result["trajectory"])
    assert np.array_equal(poses[1:], expected.states[:, moving, :3])
    assert result["trajectory"]["balls"] == expected.balls.tolist()
    assert poses[0, -1, :2].tolist() == expected.balls[0, :2].tolist()
    assert result["trajectory"]["fps"] == 10


def test_invalid_actions_are_no_attempts(client: TestClient, player: dict[str, str]) -> None:
    result = attempt(client, player, [0.0, 0.0, 1.0])
    assert (result["outcome"], result["id"], result["counted"]) == ("invalid", None, False)
    assert result["reason"] == "the ball does not lie inside the scene"
    assert result["progress"]["attempts"] == 0
    assert client.get(f"/api/phyre/tasks/{TASK}/attempts", headers=player).json() == []


def test_attempts_are_numbered_and_listed(client: TestClient, player: dict[str, str]) -> None:
    attempt(client, player, MISS)
    result = attempt(client, player, WIN)
    assert result["number"] == 2
    assert result["progress"] == {
        "attempts": 2,
        "limit": 100,
        "solved": True,
        "solved_at": 2,
        "shown": False,
    }
    listed = client.get(f"/api/phyre/tasks/{TASK}/attempts", headers=player).json()
    assert [row["action"] for row in listed] == [MISS, WIN]
    assert [row["outcome"] for row in listed] == ["not_solved", "solved"]


def test_after_a_shown_solution_nothing_counts(client: TestClient, player: dict[str, str]) -> None:
    attempt(client, player, MISS)
    shown = client.post(f"/api/phyre/tasks/{TASK}/solution", headers=player).json()
    assert shown["source"] == "from the known solutions"
    assert Simulator(TASK).attempt(TASK, shown["action"]).outcome.is_solved
    result = attempt(client, player, shown["action"])
    assert result["outcome"] == "solved"
    assert not result["counted"]
    assert result["progress"]["shown"]
    assert not result["progress"]["solved"]
    assert result["progress"]["attempts"] == 1


def test_the_first_known_solution_is_shown(
    client: TestClient, player: dict[str, str], tmp_path: Path
) -> None:
    cache = PHYRE.action_cache(Tier.BALL, Runner(tmp_path / "cache"))
    outcomes = cache.outcomes([load_task(TASK)], 1000)[0]
    expected = cache.actions(1000)[outcomes == 1][0].tolist()
    shown = client.post(f"/api/phyre/tasks/{TASK}/solution", headers=player).json()
    assert (shown["action"], shown["source"]) == (expected, "from the known solutions")


def test_the_hundredth_attempt_is_the_last_that_counts(
    client: TestClient, player: dict[str, str]
) -> None:
    for number in range(1, 102):
        result = attempt(client, player, MISS)
        assert result["counted"] == (number <= 100)
    assert result["progress"]["attempts"] == 100


def test_standing_is_scored_by_the_evaluation(client: TestClient, player: dict[str, str]) -> None:
    empty = client.get("/api/phyre/standing", headers=player).json()
    assert (empty["tasks"], empty["auccess"]) == (0, None)
    attempt(client, player, MISS)
    attempt(client, player, WIN)
    attempt(client, player, MISS, task="00001:042")
    result = client.get("/api/phyre/standing", params={"tier": "ball"}, headers=player).json()
    first_solved = np.array([0, 2])
    assert result["auccess"] == auccess(first_solved)
    assert result["curve"] == success_curve(first_solved).tolist()
    rand, *others = result["others"]
    # RAND played the same two tasks when the attempts were answered.
    runs = [standing_module.play_rand(published_task(name)) for name in ("00001:042", TASK)]
    assert rand["auccess"] == auccess(np.array(runs).ravel())
    names = {(curve["name"], curve["note"].split(", ")[1]) for curve in others}
    assert ("DQN", "within template") in names
    assert ("RAND", "cross template") in names
    dqn = next(curve for curve in others if curve["name"] == "DQN")
    assert dqn["auccess"] == pytest.approx(0.7763, abs=5e-4)


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/api/phyre/tasks/00002:999", 404),
        ("/api/phyre/tasks/00099:000", 404),
        ("/api/phyre/tasks/..%2f..%2fetc", 404),
        ("/api/phyre/tasks/00002-017", 422),
        ("/api/phyre/templates/00099/tasks", 404),
        ("/api/phyre/templates/abc/tasks", 422),
        ("/api/phyre/tasks/00002:017/thumbnail.png?size=100000", 422),
        ("/api/phyre/tasks/own:aaaaaaaaaaaa", 404),
    ],
)
def test_unknown_names_are_refused(client: TestClient, path: str, status: int) -> None:
    answer = client.get(path)
    assert answer.status_code == status
    assert answer.json()["detail"]


@pytest.mark.parametrize(
    "action",
    [*([0.1] * count for count in (0, 1, 2, 4, 6, 7)), [-0.1, 0.5, 0.5], [2, 0, 0], "x", None],
)
def test_malformed_actions_are_refused(
    client: TestClient, player: dict[str, str], action: object
) -> None:
    for call in ("validate", "attempts"):
        answer = client.post(
            f"/api/phyre/tasks/{TASK}/{call}", json={"action": action}, headers=player
        )
        assert answer.status_code == 422


def test_playing_needs_a_known_player(client: TestClient) -> None:
    body = {"action": MISS}
    path = f"/api/phyre/tasks/{TASK}/attempts"
    assert client.post(path, json=body).status_code == 401
    unknown = {"X-Player": "A" * 22}
    assert client.post(path, json=body, headers=unknown).status_code == 401
    assert client.post(path, json=body, headers={"X-Player": "short"}).status_code == 422


def test_hints_are_graded_and_make_attempts_practice(
    client: TestClient, player: dict[str, str]
) -> None:
    path = f"/api/phyre/tasks/{TASK}"
    hints = [
        client.post(f"{path}/hints", json={"level": level}, headers=player).json()
        for level in (1, 2, 3)
    ]
    assert hints[0]["text"].startswith("Look at the ")
    scene = client.get(path, headers=player).json()["scene"]
    assert scene["bodies"][hints[1]["body"]]["color"] != "black"
    [(x, y, radius)] = hints[2]["regions"]
    solution = client.post(f"{path}/solution", headers=player).json()
    [(ball_x, ball_y, _)] = solution["trajectory"]["balls"]
    assert (ball_x - x) ** 2 + (ball_y - y) ** 2 < radius**2
    made = client.post(f"{path}/attempts", json={"action": WIN}, headers=player).json()
    assert (made["outcome"], made["counted"]) == ("solved", False)
    [done] = client.get("/api/me/progress", headers=player).json()
    assert done == {
        "benchmark": "phyre",
        "subject": TASK,
        "attempts": 1,
        "solved_at": None,
        "practised": True,
    }
    assert client.post(f"{path}/hints", json={"level": 4}, headers=player).status_code == 422
