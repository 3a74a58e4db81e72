"""A model on PHYRE: attempts, re-asks, memory, grids, tools, order of answers."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from support.chat_server import ChatServer, call_reply, calls, says
from support.phases import task_testing
from topple.llm.exchanges import read_exchanges
from topple.llm.messages import text_of
from topple.llm.phyre.agent import PhyreLlm
from topple.llm.scripted.server import Response, failure
from topple.llm.turns import read_turns
from topple.phyre import Simulator
from topple.phyre.cache import ActionCache
from topple.phyre.engine.result import Outcome
from topple.phyre.grid import Grid, grid_ceiling
from topple.phyre.phases import Testing
from topple.phyre.task import TaskId, load_task
from topple.phyre.tier import Tier

TASKS = ("00000:000", "00001:000", "00006:003", "00022:004")
MISS = {"balls": [{"x": 0.9, "y": 0.9, "r": 0.0}], "note": "a miss"}  # fits, and solves nothing
MISFIT = {"balls": [{"x": 0.0, "y": 0.0, "r": 1.0}]}


def a_testing(folder: Path, tasks: tuple[str, ...] = TASKS, attempts: int = 3) -> Testing:
    found = [load_task(task) for task in tasks]
    return task_testing(found, ActionCache(folder / "cache", found[0].tier), attempts)


def play(
    server: ChatServer,
    folder: Path,
    tasks: tuple[str, ...] = TASKS,
    attempts: int = 3,
    concurrency: int = 1,
    **settings: Any,
) -> Testing:
    testing = a_testing(folder, tasks, attempts)
    link = server.link(folder / "llm", concurrency=concurrency)
    PhyreLlm(**{"model": "heuristic", **settings}, link=link).act(testing)
    return testing


def test_every_attempt_is_logged(tmp_path: Path) -> None:
    with ChatServer(says(MISS)) as server:
        testing = play(server, tmp_path, TASKS[:1])
    assert [attempt.action for attempt in testing.log] == [(0.9, 0.9, 0.0)] * 3
    assert testing.log.invalid == 0
    assert server.requests == 3
    (turns,) = read_turns(tmp_path / "llm").values()
    assert [turn.result for turn in turns] == [f"attempt {k}: not solved" for k in (1, 2, 3)]


def test_a_solution_ends_the_task(tmp_path: Path) -> None:
    x, y, r = Simulator(TASKS[0]).solutions(TASKS[0])[0].tolist()
    with ChatServer(says({"balls": [{"x": x, "y": y, "r": r}]})) as server:
        testing = play(server, tmp_path, TASKS[:1])
    assert testing.log.first_solved().tolist() == [1]
    assert server.requests == 1


def test_misfits_cost_reasks_and_no_attempts(tmp_path: Path) -> None:
    with ChatServer(says(*[MISFIT, MISFIT, MISS] * 2)) as server:
        testing = play(server, tmp_path, TASKS[:1], attempts=2, reasks=2)
    assert len(testing.log) == 2
    assert testing.log.invalid == 4
    assert server.requests == 6
    asked = server.bodies[2]["messages"]
    assert [message["role"] for message in asked] == ["system", "user"] + ["assistant", "user"] * 2
    assert "centre (0, 0), radius 32 px" in asked[-1]["content"]


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("I'm sorry, but I can't help with that.", "no JSON object"),
        ('{"balls": [{"x": 2, "y": 0, "r": 0}]}', "from 0 to 1"),
        (json.dumps(MISFIT), "does not fit"),
        ("", "empty"),
    ],
    ids=["refusing", "malformed", "misfit", "silent"],
)
def test_a_model_without_answers_is_left(tmp_path: Path, text: str, wrong: str) -> None:
    with ChatServer(says(text)) as server:
        testing = play(server, tmp_path, TASKS[:2], attempts=10, reasks=1, patience=2)
    assert len(testing.log) == 0
    assert server.requests == 2 * 2 * (1 + 1)  # tasks, turns, replies
    for turns in read_turns(tmp_path / "llm").values():
        assert [turn.answer for turn in turns] == [None, None]
        assert all(wrong in failure for turn in turns for failure in turn.failures)


def test_passed_turns_use_up_turns_but_not_attempts(tmp_path: Path) -> None:
    with ChatServer(says(*["no", MISS] * 2)) as server:
        testing = play(server, tmp_path, TASKS[:1], attempts=4, reasks=0, patience=2)
    assert server.requests == 4
    assert len(testing.log) == 2


def test_huge_replies_are_turned_away(tmp_path: Path) -> None:
    with ChatServer(says("x" * 50_000)) as server:
        testing = a_testing(tmp_path, TASKS[:1])
        link = server.link(tmp_path / "llm", max_bytes=10_000)
        PhyreLlm(reasks=0, patience=1, model="random", link=link).act(testing)
    assert len(testing.log) == 0
    (turn,) = read_turns(tmp_path / "llm")[TASKS[0]]
    assert turn.failures == ("the response is longer than 10000 bytes",)
    assert sum(path.stat().st_size for path in (tmp_path / "llm").iterdir()) < 20_000


def test_memory_is_told_and_bounded(tmp_path: Path) -> None:
    with ChatServer(says(MISS)) as server:
        play(server, tmp_path, TASKS[:1], attempts=4, history_size=2)
    told = [text_of(body["messages"][1]) for body in server.bodies]
    assert "Earlier attempts" not in told[0]
    assert "Earlier attempts (all so far)" in told[2]
    assert "Earlier attempts (your last 2)" in told[3]
    assert "Attempt 1:" not in told[3]
    assert "Attempt 3:" in told[3]
    assert '"note": "a miss"' in told[3]
    assert "Not solved" in told[3]
    assert "meets" in told[3]
    assert told[3].count("At the end:") == 1


def test_without_memory_every_attempt_looks_the_same(tmp_path: Path) -> None:
    with ChatServer(says(MISS)) as server:
        play(server, tmp_path, TASKS[:1], history_size=0)
    told = [text_of(body["messages"][1]) for body in server.bodies]
    assert [text.replace(f"attempt {k} of", "") for k, text in enumerate(told, start=1)] == [
        told[0].replace("attempt 1 of", "")
    ] * 3


def test_pictures_go_along(tmp_path: Path) -> None:
    with ChatServer(says(MISS)) as server:
        play(server, tmp_path, TASKS[:1], attempts=2, images=True, keyframes=3)
    counts = [
        sum(part["type"] == "image_url" for part in body["messages"][1]["content"])
        for body in server.bodies
    ]
    assert counts == [1, 1 + 3]


def test_the_record_does_not_depend_on_the_order_of_answers(tmp_path: Path) -> None:
    def hasty(number: int, body: Mapping[str, Any]) -> None:
        time.sleep(0.03 if number % 3 == 0 else 0)

    logs, notes = [], []
    for concurrency in (1, 4):
        folder = tmp_path / str(concurrency)
        with ChatServer(hasty) as server:
            testing = play(server, folder, concurrency=concurrency, model="random")
        logs.append(list(testing.log))
        notes.append((folder / "llm" / "turns.json").read_bytes())
    assert logs[0] == logs[1]
    assert notes[0] == notes[1]
    order = [str(attempt.task) for attempt in logs[0]]
    assert order == sorted(order)


def test_a_dying_server_ends_the_run_and_a_new_one_goes_on(tmp_path: Path) -> None:
    def dying(number: int, body: Mapping[str, Any]) -> Response | None:
        return failure(500, "dying") if number >= 5 else None

    testing = a_testing(tmp_path / "a")
    with ChatServer(dying) as server:
        agent = PhyreLlm(model="heuristic", link=server.link(tmp_path / "a" / "llm", retries=0))
        with pytest.raises(OSError, match="dying"):
            agent.act(testing)
    assert len(read_exchanges(tmp_path / "a" / "llm")) == 5
    with ChatServer() as second:
        resumed = play(second, tmp_path / "a")
    with ChatServer() as third:
        fresh = play(third, tmp_path / "b")
    assert second.requests == third.requests - 5
    assert list(resumed.log) == list(fresh.log)


def test_grids_limit_what_can_be_solved(tmp_path: Path) -> None:
    tasks = [load_task(TaskId("00001", number)) for number in (0, 1)]
    grid = Grid.parse("3x4x2")
    actions = grid.actions(Tier.BALL)
    assert actions.shape == (24, 3)
    outcomes = Simulator(tasks).outcomes(actions)
    expected = float((outcomes == Outcome.SOLVED).any(axis=1).mean())
    seen: list[tuple[int, int]] = []
    ceiling = grid_ceiling(grid, tasks, lambda done, total: seen.append((done, total)))
    assert ceiling == {"auccess": expected, "undecided_tasks": 0}
    assert seen == [(1, 2), (2, 2)]
    fine = grid_ceiling(Grid(32, 32, 2), tasks)
    assert fine["auccess"] == 1.0 > grid_ceiling(Grid(1, 1, 1), tasks)["auccess"]


def test_a_model_on_a_grid_plays_cells(tmp_path: Path) -> None:
    with ChatServer(says({"balls": [{"x": 4, "y": 4, "r": 0}]})) as server:
        testing = play(server, tmp_path, TASKS[:1], grid="5x5x5")
    assert testing.log[0].action == pytest.approx((0.9, 0.9, 0.1))
    assert "x from 0 to 4, y from 0 to 4 and r from 0 to 4" in text_of(
        server.bodies[0]["messages"][0]
    )


@pytest.mark.parametrize("text", ["5x5", "0x5x5", "axbxc", "5x5x65", "5x5x5x5"])
def test_bad_grids_are_named(text: str) -> None:
    with pytest.raises(ValueError, match="three numbers from 1 to 64, like 5x5x5"):
        PhyreLlm(grid=text)


def test_too_fine_a_grid_has_no_ceiling() -> None:
    with pytest.raises(ValueError, match="68,719,476,736 actions"):
        Grid(64, 64, 64).actions(Tier.TWO_BALLS)


def test_tools_are_called_and_counted(tmp_path: Path) -> None:
    steps = [
        ("inspect", {"attempt": 0}),
        ("simulate", MISS),
        ("simulate", MISS),
        ("propose", MISS),
        ("inspect", {"attempt": 1, "second": 1.0}),
        ("inspect", {"attempt": 7}),
        ("propose", MISS),
    ]

    with ChatServer(calls(*steps)) as server:
        testing = play(server, tmp_path, TASKS[:1], attempts=2, tools=True, simulations=1)
    assert len(testing.log) == 2
    assert testing.privileged
    assert testing.simulator_calls == 3
    first, second = read_turns(tmp_path / "llm")[TASKS[0]]
    assert first.calls == {"inspect": 1, "simulate": 2, "propose": 1}
    assert first.failures == ("all 1 simulations of this task are used",)
    assert second.failures == ("there is no attempt 7; 1 were made",)
    names = [tool["function"]["name"] for tool in server.bodies[0]["tools"]]
    assert names == ["inspect", "contacts", "simulate", "propose"]
    results = [message for message in server.bodies[3]["messages"] if message["role"] == "tool"]
    assert '"name": "green ball"' in results[0]["content"]
    assert "0 simulations are left" in results[1]["content"]
    assert "Not accepted" in results[2]["content"]
    assert "red ball" in server.bodies[5]["messages"][-1]["content"]


def test_simulate_is_not_on_offer_unless_allowed(tmp_path: Path) -> None:
    with ChatServer(calls(*[("simulate", MISS)] * 2)) as server:
        testing = play(server, tmp_path, TASKS[:1], tools=True, patience=1, reasks=1)
    assert not testing.privileged
    assert testing.simulator_calls == 0
    (turn,) = read_turns(tmp_path / "llm")[TASKS[0]]
    assert (
        turn.failures == ("there is no tool 'simulate'; there are inspect, contacts, propose",) * 2
    )


def test_tool_calls_are_bounded(tmp_path: Path) -> None:
    def endless(number: int, body: Mapping[str, Any]) -> Response:
        return call_reply(body, *[("inspect", {"attempt": 0})] * 50)

    with ChatServer(endless) as server:
        play(server, tmp_path, TASKS[:1], tools=True, max_tool_calls=3, patience=1, reasks=0)
    assert server.requests == 1
    (turn,) = read_turns(tmp_path / "llm")[TASKS[0]]
    assert turn.calls == {"inspect": 3}
    assert "all 3 tool calls of this turn are used" in turn.failures[0]


def test_the_schema_is_sent_if_wanted(tmp_path: Path) -> None:
    with ChatServer(says(MISS)) as server:
        options: dict[str, Any] = {"structured_outputs": True, "extra_body": '{"seed": 7}'}
        play(server, tmp_path, TASKS[:1], attempts=1, **options)
    form = server.bodies[0]["response_format"]
    assert form["type"] == "json_schema"
    assert form["json_schema"]["schema"]["required"] == ["balls"]
    assert server.bodies[0]["seed"] == 7


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"keyframes": 2}, "set images"),
        ({"simulations": 2}, "set tools"),
        ({"reasks": 11}, "0 to 10"),
        ({"temperature": 3.0}, "0 to 2"),
        ({"extra_body": "{"}, "no JSON"),
        ({"extra_body": "[]"}, "JSON object"),
        ({"extra_body": '{"messages": []}'}, "writes itself"),
        ({"model": ""}, "model is empty"),
    ],
)
def test_bad_settings_are_named(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        PhyreLlm(**settings)


def test_without_a_link_there_is_nobody_to_ask(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="give --base-url"):
        PhyreLlm().act(a_testing(tmp_path))
