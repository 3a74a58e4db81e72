"""Replays, films and run records: an attempt again, from its link alone."""

from __future__ import annotations

import io
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from fastapi.testclient import TestClient
from PIL import Image

from support.narrowing import not_none
from support.player_client import MakeClient, new_player, poses_of, post
from support.records import record_attempts
from topple.iphyre import AT_10_HZ, AT_60_HZ, game_named, plan_from_ticks, play, watch
from topple.iphyre.results import GameResults, IPhyreRecord
from topple.iphyre.selection import GameSelection
from topple.phyre import Setup, Simulator
from topple.phyre.selection import TaskSelection
from topple.player.app import create_app
from topple.player.settings import Settings
from topple.runs import RunConfig, Runner, write_record
from topple.runs.record import RecordError

TASK = "00002:017"
MISS = [0.4, 0.8, 0.3]
WIN = [0.8172222002012158, 0.5552008115994623, 0.5296505783560065]


def text(action: list[float]) -> str:
    return ",".join(map(repr, action))


def test_a_link_holds_a_phyre_attempt(client: TestClient) -> None:
    replay = client.get(f"/api/replays/phyre/{TASK}", params={"action": text(WIN)}).json()
    expected = Simulator(TASK).attempt(TASK, WIN, stride=1, states=True)
    assert (replay["outcome"], replay["steps"]) == ("solved", expected.steps)
    moving = replay["trajectory"]["bodies"]
    states = not_none(expected.states)[:, moving, :3]
    assert np.array_equal(poses_of(replay["trajectory"])[1:], states)
    page, _, query = replay["link"].partition("?")
    assert page == f"/#/replay/phyre/{TASK}"
    assert query == f"action={text(WIN)}"


@pytest.mark.parametrize("hz", [60, 10])
def test_a_link_holds_a_game(client: TestClient, hz: int) -> None:
    game = game_named("support")
    replay = client.get("/api/replays/iphyre/support", params={"plan": "3:0,7:1", "hz": hz}).json()
    rules = AT_10_HZ if hz == 10 else AT_60_HZ
    plan = plan_from_ticks(game, [3, 7])
    score = play(game, plan, rules)
    assert (replay["reward"], replay["ticks"]) == (score.reward, score.ticks)
    expected = watch(game, plan, rules).poses[:, replay["trajectory"]["bodies"]]
    assert np.array_equal(poses_of(replay["trajectory"]), expected.astype("<f4"))
    assert replay["trajectory"]["fps"] == hz


@pytest.mark.parametrize("ending", ["gif", "mp4"])
def test_replays_can_be_downloaded_as_films(client: TestClient, ending: str) -> None:
    for path, query in (
        (f"phyre/{TASK}", f"action={text(WIN)}"),
        ("iphyre/support", "plan=0:0,1:1"),
    ):
        answer = client.get(f"/api/replays/{path}/film.{ending}?{query}&size=64")
        assert answer.status_code == 200
        assert answer.headers["content-disposition"].endswith(f'.{ending}"')
        if ending == "gif":
            with Image.open(io.BytesIO(answer.content)) as film:
                assert film.size == (64, 64)
                assert getattr(film, "n_frames", 1) > 10
        else:
            assert answer.content[4:8] == b"ftyp"


def test_films_are_large_unless_asked_otherwise(client: TestClient) -> None:
    answer = client.get("/api/replays/iphyre/support/film.gif?plan=0:0,1:1")
    with Image.open(io.BytesIO(answer.content)) as film:
        assert min(film.size) >= 512
    calls = client.get("/openapi.json").json()["paths"]
    options = calls["/api/replays/phyre/{task}/film.{kind}"]["get"]["parameters"]
    assert [one["schema"]["default"] for one in options if one["name"] == "size"] == [512]


@pytest.mark.parametrize(
    ("path", "status"),
    [
        (f"phyre/{TASK}", 422),
        (f"phyre/{TASK}?action=", 422),
        (f"phyre/{TASK}?action=a,b,c", 422),
        (f"phyre/{TASK}?action=0.1,0.2", 422),
        (f"phyre/{TASK}?action=nan,0.2,0.3", 422),
        (f"phyre/{TASK}?action=0,0,1", 422),
        (f"phyre/{TASK}?action=0.4,0.8,0.3&stride=0", 422),
        (f"phyre/{TASK}?action={'1,' * 500}", 422),
        (f"phyre/{TASK}/film.exe?action=0.4,0.8,0.3", 422),
        (f"phyre/{TASK}/film.gif?action=0.4,0.8,0.3&size=9999", 422),
        (f"phyre/{TASK}/film.gif?action=0,0,1", 422),
        ("phyre/00002:999?action=0.4,0.8,0.3", 404),
        ("iphyre/support?plan=1", 422),
        ("iphyre/support?plan=1:2", 422),
        ("iphyre/support?plan=5:0,1:1", 422),
        ("iphyre/support?plan=1:0,2:0", 422),
        ("iphyre/support?plan=1:0&hz=30", 422),
        ("iphyre/support/film.gif?plan=1:2", 422),
        ("iphyre/nothing", 404),
    ],
)
def test_bad_links_are_refused(client: TestClient, path: str, status: int) -> None:
    answer = client.get(f"/api/replays/{path}")
    assert answer.status_code == status, answer.text


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    """A folder with a record of each benchmark, one a folder deeper."""
    folder = tmp_path / "runs"
    config = RunConfig("mem", TaskSelection(Setup.BALL_WITHIN_TEMPLATE, 0), label="MEM")
    record_attempts(folder / "deeper", config, TASK, [MISS, WIN])
    games = RunConfig("random", GameSelection(("support", "hinder")), attempts=2)
    write_record(folder, Runner(tmp_path / "cache").run(games))
    return folder


def test_agents_can_be_watched(make_client: MakeClient, runs: Path) -> None:
    client = make_client(runs=(runs,))
    cards = {card["benchmark"]: card for card in client.get("/api/runs").json()}
    assert cards["phyre"]["label"] == "MEM"
    assert cards["phyre"]["has_attempts"]
    detail = client.get(f"/api/runs/{cards['phyre']['id']}").json()
    [item] = detail["items"]
    assert item == {"subject": TASK, "attempts": 2, "first_solved": 2, "reward": None}
    attempts = client.get(f"/api/runs/{detail['id']}/items/{TASK}").json()
    assert [attempt["solved"] for attempt in attempts] == [False, True]
    assert client.get(attempts[1]["replay"]).json()["outcome"] == "solved"

    games = client.get(f"/api/runs/{cards['iphyre']['id']}").json()
    assert [(item["subject"], item["attempts"]) for item in games["items"]] == [
        ("support", 2),
        ("hinder", 2),
    ]
    plays = client.get(f"/api/runs/{games['id']}/items/support").json()
    for attempt in plays:
        replay = client.get(attempt["replay"]).json()
        assert (replay["reward"], replay["hz"]) == (attempt["reward"], 10)


def test_an_agents_solution_is_shown_and_named(make_client: MakeClient, runs: Path) -> None:
    client = make_client(runs=(runs,))
    shown = post(client, f"phyre/tasks/{TASK}/solution", new_player(client))
    assert (shown["action"], shown["source"]) == (WIN, "solved by MEM")


def test_unknown_runs_are_refused(make_client: MakeClient, runs: Path) -> None:
    client = make_client(runs=(runs,))
    known = client.get("/api/runs").json()[0]["id"]
    for path in ("0" * 16, f"{'0' * 16}/items/{TASK}", f"{known}/items/00001:000"):
        assert client.get(f"/api/runs/{path}").status_code == 404
    assert client.get("/api/runs/..%2f..%2fconfig.json").status_code == 404
    assert client.get(f"/api/runs/{known}/items/a.b").status_code == 422


def test_a_damaged_record_is_left_out(make_client: MakeClient, runs: Path) -> None:
    [damaged] = (runs / "deeper").glob("*.run.json")
    whole = damaged.read_text()
    for text in ("{", "{}", whole[: len(whole) // 2], whole.replace('"metrics"', '"measures"')):
        damaged.write_text(text)
        client = make_client(runs=(runs,))
        assert [card["benchmark"] for card in client.get("/api/runs").json()] == ["iphyre"]


def test_a_folder_that_is_not_there_stops_the_start(settings: Settings, tmp_path: Path) -> None:
    with pytest.raises(RecordError, match="does not exist"):
        create_app(Settings(settings.database, runs=(tmp_path / "nowhere",)))


@pytest.mark.parametrize("kept", [True, False])
def test_what_an_agent_imagined_is_shown(
    make_client: MakeClient, tmp_path: Path, kept: bool
) -> None:
    settings = {"percepts": 2, "listed": 200, "imagined": 200, "searches": 1}
    chosen = TaskSelection(Setup.BALL_WITHIN_TEMPLATE, 0, tasks=("00000:021",))
    config = RunConfig("imagine", chosen, settings=settings, attempts=3)
    record = Runner(tmp_path / "cache").run(config)
    write_record(tmp_path, record, attempts=kept)
    client = make_client(runs=(tmp_path,))
    [card] = client.get("/api/runs").json()
    assert card["imagines"]
    assert card["has_attempts"]
    [item] = client.get(f"/api/runs/{card['id']}").json()["items"]
    path = f"/api/runs/{card['id']}/items/{item['subject']}"
    attempts = client.get(path).json()
    assert [each["action"] for each in attempts] == [
        list(attempt.action) for attempt in record.results.attempts
    ]
    for number, attempt in enumerate(attempts, start=1):
        thought = client.get(f"{path}/imagined", params={"attempt": number}).json()
        assert thought["attempt"] == number
        assert thought["imagined"] >= 200
        assert 1 <= len(thought["attempts"]) <= 5
        ghost = thought["attempts"][0]
        assert ghost["action"] == attempt["action"]
        assert ghost["trajectory"]["frames"] > 10
    assert client.get(f"{path}/imagined", params={"attempt": 9}).status_code == 404
    assert client.get(f"/api/runs/{card['id']}/items/00001:000/imagined").status_code == 404


@pytest.fixture
def games_run(tmp_path: Path) -> IPhyreRecord:
    """A run of games by the agent that imagines, which lies in the folder."""
    settings = {"percepts": 2, "imagined": 60, "generations": 3, "place_noise": 40.0}
    games = GameSelection(("hinder", "hole", "support"), hz=60)
    config = RunConfig("imagine", games, settings=settings, attempts=3)
    record: IPhyreRecord = Runner(tmp_path / "cache").run(config)
    write_record(tmp_path, record)
    return record


def test_what_an_agent_imagined_of_a_game_is_shown(
    make_client: MakeClient, tmp_path: Path, games_run: IPhyreRecord
) -> None:
    client = make_client(runs=(tmp_path,))
    [card] = client.get("/api/runs").json()
    assert card["imagines"]
    # The last game first: the agent has to think about the others before it.
    for name in reversed(games_run.config.selection.games):
        path = f"/api/runs/{card['id']}/items/{name}"
        plays = client.get(path).json()
        for number, made in enumerate(plays, start=1):
            thought = client.get(f"{path}/imagined", params={"attempt": number}).json()
            assert thought["attempt"] == number
            assert 0 < thought["imagined"] <= 60
            assert 0 <= thought["solutions"] <= thought["imagined"]
            assert 1 <= len(thought["attempts"]) <= 5
            ghost = thought["attempts"][0]
            # What it means to do is what its hand does, if a little earlier or later.
            removed = [sorted(each["body"] for each in one["plan"]) for one in (ghost, made)]
            assert removed[0] == removed[1]
            game = game_named(name)
            balls = [body for body, is_ball in enumerate(game.scene.is_ball) if is_ball]
            assert ghost["trajectory"]["bodies"] == balls
            assert ghost["trajectory"]["fps"] == 10
            first = poses_of(ghost["trajectory"])[0, 0, :2]
            off = np.hypot(*(first - np.array(game.scene.ends)[balls[0], :2]))
            assert 0 < off < 200  # it sees the ball somewhere else
        assert client.get(f"{path}/imagined", params={"attempt": 4}).status_code == 404
    path = f"/api/runs/{card['id']}/items/fill/imagined"
    assert client.get(path).json()["detail"] == "the agent made 0 attempts at fill"


def test_a_run_of_games_by_another_version_is_not_explained(
    make_client: MakeClient, tmp_path: Path, games_run: IPhyreRecord
) -> None:
    first, *others = games_run.results.plays
    other = plan_from_ticks(game_named(first.game), [1], AT_60_HZ)
    results = GameResults((first._replace(plan=other), *others))
    write_record(tmp_path, replace(games_run, results=results))
    client = make_client(runs=(tmp_path,))
    [card] = client.get("/api/runs").json()
    for _ in range(2):
        answer = client.get(f"/api/runs/{card['id']}/items/hinder/imagined")
        assert answer.status_code == 404
        assert "another version of the agent" in answer.json()["detail"]


def test_an_agent_that_thinks_too_long_goes_on_when_asked_again(
    make_client: MakeClient,
    tmp_path: Path,
    games_run: IPhyreRecord,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("topple.player.imagined.THINK_SECONDS", 1e-9)
    client = make_client(runs=(tmp_path,))
    [card] = client.get("/api/runs").json()
    path = f"/api/runs/{card['id']}/items/support/imagined"
    answer = client.get(path)
    assert answer.status_code == 404
    assert "open it again" in answer.json()["detail"]
    monkeypatch.setattr("topple.player.imagined.THINK_SECONDS", 60.0)
    assert client.get(path).status_code == 200


def test_a_run_of_another_agent_imagines_nothing(make_client: MakeClient, tmp_path: Path) -> None:
    chosen = TaskSelection(Setup.BALL_WITHIN_TEMPLATE, 0, tasks=1)
    write_record(tmp_path, Runner(tmp_path / "cache").run(RunConfig("rand", chosen, attempts=2)))
    client = make_client(runs=(tmp_path,))
    [card] = client.get("/api/runs").json()
    assert not card["imagines"]
    answer = client.get(f"/api/runs/{card['id']}/items/{TASK}/imagined")
    assert (answer.status_code, "imagines nothing" in answer.json()["detail"]) == (404, True)


def test_a_record_of_another_version_is_not_explained(
    make_client: MakeClient, tmp_path: Path
) -> None:
    settings = {"percepts": 1, "listed": 5, "imagined": 5, "searches": 1}
    chosen = TaskSelection(None, None, tasks=(TASK,))
    config = RunConfig("imagine", chosen, settings=settings, attempts=1, seed=5)
    record_attempts(tmp_path, config, TASK, [WIN])
    client = make_client(runs=(tmp_path,))
    [card] = client.get("/api/runs").json()
    answer = client.get(f"/api/runs/{card['id']}/items/{TASK}/imagined")
    assert answer.status_code == 404
    assert "another version of the agent" in answer.json()["detail"]
