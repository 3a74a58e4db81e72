"""Every registered agent of PHYRE, through one contract."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from support.chat_server import ChatServer
from topple.phyre.fold import Setup, load_fold
from topple.runs import AGENTS, Agent, RunConfig, Runner, Traits, create_agent
from topple.runs.agent import Setting
from topple.runs.run import some_of

ATTEMPTS = 2
SMALL: dict[str, dict[str, Setting]] = {"mem": {"actions": 4}, "mem-o": {"actions": 4}}
SMALL["optimal"] = {"actions": 4}
SMALL["dqn"] = {
    "actions": 4,
    "rank": 4,
    "width": 8,
    "image_size": 64,
    "updates": 2,
    "batch": 8,
    "device": "cpu",
}
SMALL["llm"] = {"model": "heuristic"}
SMALL["dqn-o"] = {**SMALL["dqn"], "online_updates": 1}


@pytest.fixture(scope="module")
def laboratory(tmp_path_factory: pytest.TempPathFactory) -> Runner:
    return Runner(tmp_path_factory.mktemp("cache"))


@pytest.fixture(scope="module")
def server() -> Iterator[ChatServer]:
    with ChatServer() as server:
        yield server


def made(config: RunConfig, server: ChatServer, folder: Path) -> Agent:
    link = {"link": server.link(folder)} if config.agent == "llm" else {}
    return create_agent(config.agent, {**config.settings, **link})


@pytest.mark.parametrize("name", AGENTS)
def test_agents_play_by_the_rules(
    name: str, laboratory: Runner, server: ChatServer, tmp_path: Path
) -> None:
    setup = Setup.BALL_WITHIN_TEMPLATE
    few = {"llm": 40, "dqn-o": 150}.get(name)  # these go task by task
    config = RunConfig(name, setup, 0, SMALL.get(name, {}), attempts=ATTEMPTS, tasks=few)
    record = laboratory.run(config, made(config, server, tmp_path))
    test = load_fold(setup, 0).test
    assert record.tasks == (test if few is None else some_of(test, few))
    per_task = np.unique([str(attempt.task) for attempt in record.attempts], return_counts=True)[1]
    assert per_task.max() <= ATTEMPTS
    assert all(attempt.outcome.is_valid for attempt in record.attempts)
    assert all(len(attempt.action) == setup.tier.action_size for attempt in record.attempts)
    assert 0 < record.auccess < 1
    assert record.protocol["attempts"] == len(record.attempts)
    assert record.protocol["simulator_calls_in_testing"] >= len(record.attempts)
    assert record.protocol["privileged"] == (name == "optimal")
    ceiling = record.protocol["oracle_ceiling"]
    if ceiling is not None and not ceiling["undecided_tasks"]:
        assert record.curve[-1] <= ceiling["auccess"]


@pytest.mark.parametrize("name", AGENTS)
def test_agents_need_no_settings(name: str) -> None:
    assert isinstance(create_agent(name).traits, Traits)


@pytest.mark.parametrize("name", AGENTS)
def test_equal_runs_are_equal(
    name: str, laboratory: Runner, server: ChatServer, tmp_path: Path
) -> None:
    config = RunConfig(
        name, Setup.BALL_WITHIN_TEMPLATE, 0, SMALL.get(name, {}), attempts=1, tasks=5
    )
    first, second = (
        laboratory.run(config, made(config, server, tmp_path / number)) for number in "12"
    )
    assert first.attempts == second.attempts
    assert first.protocol == second.protocol


def test_optimal_is_no_worse_than_mem_on_the_same_candidates(laboratory: Runner) -> None:
    setup = Setup.BALL_WITHIN_TEMPLATE
    scores = {
        name: laboratory.run(RunConfig(name, setup, 0, SMALL[name], attempts=ATTEMPTS)).auccess
        for name in ("mem", "optimal")
    }
    assert scores["mem"] <= scores["optimal"]


def test_mistakes_are_named(tmp_path: Path) -> None:
    with pytest.raises(LookupError, match="unknown agent 'men': did you mean 'mem'"):
        create_agent("men")
    with pytest.raises(LookupError, match="'topple:Nobody' cannot be loaded"):
        create_agent("topple:Nobody")
    with pytest.raises(ValueError, match="'mem' has no setting 'acts': it has actions, weight"):
        create_agent("mem", {"acts": 1})
