"""Every registered agent of I-PHYRE, through one contract."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from support.chat_server import ChatServer
from topple.iphyre import AT_10_HZ, game_named
from topple.iphyre.benchmark import IPHYRE
from topple.iphyre.phases import Testing, Training
from topple.iphyre.play_log import Play
from topple.runs import Agent, Traits, create_agent

LEARNED = [game_named("hinder"), game_named("hole")]
PLAYED = [game_named("support"), game_named("noisy_hole")]
PLAYS = 2

ON_POLICY: dict[str, Any] = {"steps": 160, "envs": 2, "hidden": 8}
OFF_POLICY = {**ON_POLICY, "batch": 16, "warm_up": 40, "updates": 1}
FUSION = {"epochs": 1, "each": 2, "candidates": 10}
MODEL = {"each": 2, "memory": 8, "mixtures": 2, "model_epochs": 1}
#: Settings small enough for a second, by the first word of a name.
SMALL: dict[str, dict[str, Any]] = {
    "a2c": {**ON_POLICY, "rollout": 20},
    "ppo": {**ON_POLICY, "rollout": 20, "batch": 40, "epochs": 1},
    "sac": OFF_POLICY,
    "ddpg": OFF_POLICY,
    "dqn": OFF_POLICY,
    "fusion": FUSION,
    "world": {**MODEL, "steps": 80, "envs": 2},
    "decision": {"each": 2, "width": 8, "layers": 1, "heads": 2, "epochs": 1},
    "planner": {"calls": 20, "generations": 2},
    "llm": {"model": "heuristic"},
}
SMALLER: dict[str, dict[str, Any]] = {
    "fusion-attention": {"width": 8, "layers": 1, "variants": 1, "scrambled": 2, "draws": 8},
    "world-model-ppo": {"rollout": 40, "batch": 40, "epochs": 1},
    "world-model-sac": {"warm_up": 40, "updates": 1, "batch": 16},
    "planner-learned": {**MODEL, "plans": 20, "generations": 2},
}


@pytest.fixture(scope="module")
def server() -> Iterator[ChatServer]:
    with ChatServer() as server:
        yield server


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOPPLE_CACHE", str(tmp_path / "cache"))


def small(name: str, server: ChatServer, folder: Path) -> Agent[Training, Testing]:
    settings = SMALL.get(name.split("-")[0], {})
    if name == "planner-learned":
        settings = {}
    if name == "llm":
        settings = {**settings, "link": server.link(folder)}
    return create_agent("iphyre", name, {**settings, **SMALLER.get(name, {})})


def run(agent: Agent[Training, Testing]) -> list[Play]:
    agent.train(Training(LEARNED, AT_10_HZ, np.random.default_rng(3)))
    playing = Testing(PLAYED, AT_10_HZ, np.random.default_rng(4), PLAYS)
    agent.act(playing)
    return list(playing.log)


@pytest.mark.parametrize("name", IPHYRE.agents)
def test_game_agents_play_by_the_rules(name: str, server: ChatServer, tmp_path: Path) -> None:
    log, again = (run(small(name, server, tmp_path / folder)) for folder in ("one", "two"))
    assert log == again, "the same seeds gave other plays"
    for game in PLAYED:
        plays = [play for play in log if play.game == game.name]
        assert 1 <= len(plays) <= PLAYS
        for play in plays:
            bodies = [elimination.body for elimination in play.plan.eliminations]
            assert len(set(bodies)) == len(bodies)
            assert set(bodies) <= set(game.eliminable)
            assert play.score.removed <= len(game.eliminable)
            assert np.isfinite(play.score.reward)


@pytest.mark.parametrize("name", IPHYRE.agents)
def test_game_agents_need_no_settings(name: str) -> None:
    assert isinstance(create_agent("iphyre", name).traits, Traits)
