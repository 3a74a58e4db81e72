"""Every registered agent of I-PHYRE, through one contract."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from support.chat_server import ChatServer
from support.phases import game_training, play_games
from topple.iphyre import game_named
from topple.iphyre.benchmark import IPHYRE
from topple.iphyre.phases import Testing, Training
from topple.iphyre.play_log import Play
from topple.runs import Agent, Traits, create_agent

LEARNED = [game_named("hinder"), game_named("hole")]
PLAYED = [game_named("support"), game_named("noisy_hole")]
PLAYS = 2

ON_POLICY: dict[str, Any] = {"total_timesteps": 160, "n_envs": 2, "hidden_size": 8}
OFF_POLICY = {**ON_POLICY, "batch_size": 16, "learning_starts": 40, "gradient_steps": 1}
FUSION = {"n_epochs": 1, "samples_per_class": 2, "candidates": 10}
MODEL = {"samples_per_class": 2, "lstm_hidden_size": 8, "n_mixtures": 2, "model_epochs": 1}
#: Settings small enough for a second, by the first word of a name.
SMALL: dict[str, dict[str, Any]] = {
    "a2c": {**ON_POLICY, "n_steps": 20},
    "ppo": {**ON_POLICY, "n_steps": 20, "batch_size": 40, "n_epochs": 1},
    "sac": OFF_POLICY,
    "ddpg": OFF_POLICY,
    "dqn": OFF_POLICY,
    "fusion": FUSION,
    "world": {**MODEL, "total_timesteps": 80, "n_envs": 2},
    "decision": {
        "samples_per_class": 2,
        "embed_dim": 8,
        "n_layers": 1,
        "n_heads": 2,
        "n_epochs": 1,
    },
    "planner": {"calls": 20, "generations": 2},
    "imagine": {"imagined": 40, "generations": 2},
    "llm": {"model": "heuristic"},
}
SMALLER: dict[str, dict[str, Any]] = {
    "fusion-attention": {"embed_dim": 8, "n_layers": 1, "variants": 1, "scrambled": 2, "draws": 8},
    "world-model-ppo": {"n_steps": 40, "batch_size": 40, "n_epochs": 1},
    "world-model-sac": {"learning_starts": 40, "gradient_steps": 1, "batch_size": 16},
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
    agent.train(game_training(LEARNED, seed=3))
    return list(play_games(agent, PLAYED, PLAYS, seed=4).log)


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
