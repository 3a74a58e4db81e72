"""The MCP server, talked to by the official client."""

from __future__ import annotations

import json
import shlex
import socket
import sys
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import anyio
import pytest

from support.lesson import free_port, serving
from topple.iphyre.selection import GameSelection
from topple.llm.answers import AnswerError
from topple.llm.evaluation import Evaluation, run_config, task_selection
from topple.llm.turns import read_turns
from topple.phyre import Simulator
from topple.runs.agent import Setting
from topple.runs.record import conversation_folder, find_records, record_path

pytest.importorskip("mcp", reason="the extra mcp is not installed")

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client
from mcp.types import CallToolResult

from topple.llm.mcp_server import Puzzles

TASK = "00000:000"
MISS = {"x": 0.95, "y": 0.95, "r": 0.0}
Talk = Callable[[ClientSession], Awaitable[None]]


def arguments(folder: Path, *more: str) -> list[str]:
    folders = ["--runs", str(folder / "runs"), "--cache", str(folder / "cache")]
    return ["-m", "topple", "mcp", *folders, *more]


def over_stdio(talk: Talk, args: list[str]) -> None:
    async def run() -> None:
        parameters = StdioServerParameters(command=sys.executable, args=args)
        async with (
            stdio_client(parameters) as (read, write),
            ClientSession(read, write) as session,
        ):
            await session.initialize()
            await talk(session)

    anyio.run(run)


def wait_for(port: int) -> None:
    for _ in range(200):
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.05)
    raise TimeoutError(f"nothing listens at {port}")


def text(result: CallToolResult) -> str:
    return "\n".join(part.text for part in result.content if part.type == "text")


def test_an_assistant_plays_within_its_budget_and_is_recorded(tmp_path: Path) -> None:
    solution = Simulator(TASK).solutions(TASK)[0].tolist()
    miss = {"balls": [MISS], "note": "a miss"}

    async def first(session: ClientSession) -> None:
        tools = {tool.name: tool for tool in (await session.list_tools()).tools}
        assert set(tools) == {
            *("list_puzzles", "open_puzzle", "try_action", "try_plan"),
            *("inspect", "contacts", "look"),
        }
        rows = json.loads(text(await session.call_tool("list_puzzles", {})))
        assert rows[0] == {"puzzle": TASK, "attempts_left": 2, "solved": False}
        opened = await session.call_tool("open_puzzle", {"puzzle": TASK})
        assert "Make the green ball touch the blue ball" in text(opened)
        assert [part.type for part in opened.content] == ["text", "text", "image"]
        tried = await session.call_tool("try_action", {"puzzle": TASK, **miss})
        assert "Not solved: the green ball and the blue ball" in text(tried)
        assert "The red ball first touched" in text(tried)
        assert "This is attempt 2 of 2" in text(tried)
        contacts = await session.call_tool("contacts", {"puzzle": TASK, "attempt": 1})
        assert "red ball meets" in text(contacts)
        seen = await session.call_tool("look", {"puzzle": TASK, "attempt": 1, "second": 1})
        assert seen.content[-1].type == "image"
        there = await session.call_tool("inspect", {"puzzle": TASK, "attempt": 1})
        assert '"name": "red ball"' in text(there)

    args = arguments(
        *(tmp_path, "--setup", "ball_within", "--tasks", TASK, "--games", "support"),
        *("--attempts", "2"),
    )
    over_stdio(first, args)
    (record,) = find_records(tmp_path / "runs")
    assert record.protocol["attempts"] == 1
    assert record.results.metrics()["auccess"] == 0.0

    async def second(session: ClientSession) -> None:
        rows = json.loads(text(await session.call_tool("list_puzzles", {})))
        assert rows[0]["attempts_left"] == 1  # a new process has no new budget
        x, y, r = solution
        balls = {"puzzle": TASK, "balls": [{"x": x, "y": y, "r": r}]}
        assert text(await session.call_tool("try_action", balls)).endswith("Solved.")
        again = await session.call_tool("try_action", balls)
        assert again.isError
        assert "is over" in text(again)
        for wrong in ({"puzzle": "nowhere"}, {"puzzle": TASK, "attempt": 9}):
            assert (await session.call_tool("inspect", wrong)).isError
        played = await session.call_tool("try_plan", {"puzzle": "support", "times": [0.5, None]})
        assert "gray block 1 is removed" in text(played)
        short = await session.call_tool("try_plan", {"puzzle": "support", "times": [0.5]})
        assert short.isError
        assert "it has to have 2 to 2" in text(short)

    over_stdio(second, args)
    records = {record.config.benchmark: record for record in find_records(tmp_path / "runs")}
    assert records["phyre"].results.first_solved.tolist() == [2]
    assert not records["phyre"].protocol["privileged"]
    assert len(records["iphyre"].results.plays) == 1


def test_it_serves_over_http_on_loopback_alone(tmp_path: Path) -> None:
    port = free_port()
    args = arguments(tmp_path, "--games", "support", "--http", "--port", port)
    command = shlex.join([sys.executable, *args])
    found: list[Any] = []

    async def talk() -> None:
        async with (
            streamable_http_client(f"http://127.0.0.1:{port}/mcp") as (read, write, _),
            ClientSession(read, write) as session,
        ):
            await session.initialize()
            found.append(json.loads(text(await session.call_tool("list_puzzles", {}))))

    with serving(command, port) as ready:
        assert ready.startswith(f"http://127.0.0.1:{port}/mcp")
        wait_for(int(port))
        anyio.run(talk)
    assert found == [[{"puzzle": "support", "attempts_left": 10, "solved": False}]]


@pytest.mark.parametrize(
    ("selection", "name", "proposal"),
    [
        (task_selection("ball_within", tasks=(TASK,)), TASK, {"balls": [MISS]}),
        (GameSelection(("support",)), "support", {"times": [0.5, None]}),
    ],
)
def test_simulations_of_an_open_turn_outlive_the_server(
    selection: Any, name: str, proposal: dict[str, Any], tmp_path: Path
) -> None:
    settings: dict[str, Setting] = {
        "model": "test",
        "tools": True,
        "simulations": 2,
        "dialogue": True,
    }

    def started_again() -> Puzzles:
        config = run_config(selection, settings, attempts=2)
        return Puzzles([Evaluation(config, tmp_path / "cache")], tmp_path / "runs")

    trial = {"puzzle": name, **proposal}
    said = started_again().call("simulate", trial).text
    assert said.endswith("1 simulations are left.")
    second = started_again()
    second.call("inspect", {"puzzle": name, "attempt": 0})
    assert second.call("simulate", trial).text.endswith("0 simulations are left.")
    third = started_again()
    with pytest.raises(AnswerError, match="all 2 simulations"):
        third.call("simulate", trial)
    third.call("try_action" if "balls" in proposal else "try_plan", trial)
    started_again().call("try_action" if "balls" in proposal else "try_plan", trial)
    (record,) = find_records(tmp_path / "runs")
    assert record.protocol["privileged"]
    first, *_ = read_turns(conversation_folder(record_path(tmp_path / "runs", record.config)))[name]
    assert first.calls == {"inspect": 1, "simulate": 2}
    assert first.finished
    with pytest.raises(AnswerError, match="all 2 simulations"):
        started_again().call("simulate", trial)
