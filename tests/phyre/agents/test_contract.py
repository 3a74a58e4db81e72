"""Every registered agent of PHYRE, through one contract."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from support.chat_server import ChatServer
from topple.phyre.benchmark import PHYRE
from topple.phyre.fold import Setup
from topple.phyre.phases import Testing, Training
from topple.phyre.results import PhyreConfig
from topple.phyre.selection import TaskSelection
from topple.runs import Agent, RunConfig, Runner, Traits, create_agent
from topple.runs.agent import Setting

ATTEMPTS = 2
SMALL: dict[str, dict[str, Setting]] = {"mem": {"actions": 4}, "mem-o": {"actions": 4}}
SMALL["optimal"] = {"actions": 4}
SMALL["neighbours"] = {"actions": 100, "candidates": 20, "ways": 0}
SMALL["rehearse"] = {"actions": 100, "candidates": 4, "nearest": 3, "ways": 1, "mined": 2}
SMALL["neighbours-o"] = {"actions": 100}
SMALL["adaptive"] = {"candidates": 20}
SMALL["dqn"] = {
    "actions": 4,
    "rank_size": 4,
    "width": 8,
    "image_size": 64,
    "updates": 2,
    "batch_size": 8,
    "device": "cpu",
}
SMALL["imagine"] = {"percepts": 1, "listed": 200, "imagined": 200, "searches": 1, "repeats": 1}
SMALL["transformer"] = {
    "actions": 50,
    "tasks": 10,
    "scrambled": 0,
    "watched": 0,
    "rank_size": 4,
    "width": 16,
    "layers": 1,
    "heads": 2,
    "updates": 2,
    "batch_size": 16,
    "device": "cpu",
}
SMALL["transformer-o"] = {**SMALL["transformer"], "online_updates": 1}
SMALL["llm"] = {"model": "heuristic"}
SMALL["dqn-o"] = {**SMALL["dqn"], "online_updates": 1}


@pytest.fixture(scope="module")
def runner(tmp_path_factory: pytest.TempPathFactory) -> Runner:
    return Runner(tmp_path_factory.mktemp("cache"))


@pytest.fixture(scope="module")
def server() -> Iterator[ChatServer]:
    with ChatServer() as server:
        yield server


def made(config: PhyreConfig, server: ChatServer, folder: Path) -> Agent[Training, Testing]:
    link = {"link": server.link(folder)} if config.agent == "llm" else {}
    return create_agent("phyre", config.agent, {**config.settings, **link})


@pytest.mark.parametrize("name", PHYRE.agents)
def test_agents_play_by_the_rules(
    name: str, runner: Runner, server: ChatServer, tmp_path: Path
) -> None:
    setup = Setup.BALL_WITHIN_TEMPLATE
    # These go task by task.
    few = {
        "llm": 40,
        "dqn-o": 150,
        "imagine": 25,
        "transformer": 100,
        "transformer-o": 100,
        "rehearse": 50,
    }
    selection = TaskSelection(setup, 0, tasks=few.get(name))
    config = RunConfig(name, selection, SMALL.get(name, {}), attempts=ATTEMPTS)
    record = runner.run(config, made(config, server, tmp_path))
    results = record.results
    assert results.tasks == selection.scored()
    per_task = np.unique([str(attempt.task) for attempt in results.attempts], return_counts=True)[1]
    assert per_task.max() <= ATTEMPTS
    assert all(attempt.outcome.is_valid for attempt in results.attempts)
    assert all(len(attempt.action) == setup.tier.action_size for attempt in results.attempts)
    assert 0 < results.auccess < 1
    assert record.protocol["attempts"] == len(results.attempts)
    assert record.protocol["simulator_calls_in_testing"] >= len(results.attempts)
    assert record.protocol["privileged"] == (name == "optimal")
    ceiling = record.protocol["oracle_ceiling"]
    if ceiling is not None and not ceiling["undecided_tasks"]:
        assert results.curve[-1] <= ceiling["auccess"]


@pytest.mark.parametrize("name", PHYRE.agents)
def test_agents_need_no_settings(name: str) -> None:
    assert isinstance(create_agent("phyre", name).traits, Traits)


@pytest.mark.parametrize("name", PHYRE.agents)
def test_equal_runs_are_equal(
    name: str, runner: Runner, server: ChatServer, tmp_path: Path
) -> None:
    selection = TaskSelection(Setup.BALL_WITHIN_TEMPLATE, 0, tasks=5)
    config = RunConfig(name, selection, SMALL.get(name, {}), attempts=1)
    first, second = (runner.run(config, made(config, server, tmp_path / number)) for number in "12")
    assert first.results.attempts == second.results.attempts
    assert first.protocol == second.protocol


def test_optimal_is_no_worse_than_mem_on_the_same_candidates(runner: Runner) -> None:
    selection = TaskSelection(Setup.BALL_WITHIN_TEMPLATE, 0)
    scores = {
        name: runner.run(RunConfig(name, selection, SMALL[name], attempts=ATTEMPTS)).results.auccess
        for name in ("mem", "optimal")
    }
    assert scores["mem"] <= scores["optimal"]


def test_mistakes_are_named(tmp_path: Path) -> None:
    with pytest.raises(LookupError, match="unknown agent 'men': did you mean 'mem'"):
        create_agent("phyre", "men")
    with pytest.raises(LookupError, match="'topple:Nobody' cannot be loaded"):
        create_agent("phyre", "topple:Nobody")
    with pytest.raises(ValueError, match="'mem' has no setting 'acts': it has actions, weight"):
        create_agent("phyre", "mem", {"acts": 1})
