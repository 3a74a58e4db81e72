"""Agents that learn by reinforcement: they build, learn, resume exactly, and play by the rules."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("stable_baselines3")

import torch

from support.narrowing import not_none
from support.phases import game_training, play_games
from support.training import same_weights
from topple.iphyre.agents import rl
from topple.iphyre.agents.rl import RlAgent
from topple.iphyre.agents.vec_env import GameVecEnv
from topple.iphyre.benchmark import IPHYRE
from topple.iphyre.episode import play
from topple.iphyre.games import game_named
from topple.iphyre.plan import Plan
from topple.iphyre.play_log import Play
from topple.iphyre.published import IPHYRE_TABLE_A4_PLAYERS, iphyre_table_a4_means
from topple.iphyre.rules import AT_10_HZ
from topple.runs.agent import Learner, TrainingOptions
from topple.runs.checkpoint import CheckpointError
from topple.runs.registry import create_agent
from topple.runs.spec import load_spec

CONFIGS = Path(__file__).resolve().parents[3] / "configs" / "iphyre"
ELEVEN = [name.lower() for name in IPHYRE_TABLE_A4_PLAYERS if name not in ("Human", "Random")]
TOY = [game_named("hinder"), game_named("hole")]

# Small enough for a second.
TINY_ON: dict[str, Any] = {"total_timesteps": 800, "n_envs": 4, "n_steps": 20, "hidden_size": 8}
TINY_OFF: dict[str, Any] = {
    "total_timesteps": 300,
    "n_envs": 4,
    "hidden_size": 8,
    "batch_size": 16,
    "learning_starts": 40,
    "gradient_steps": 1,
}


def tiny(name: str, **more: Any) -> RlAgent:
    settings = {**TINY_ON, "learning_rate": 1e-2} if name[:3] in ("ppo", "a2c") else TINY_OFF
    if name.startswith("ppo"):
        settings = {**settings, "batch_size": 40, "n_epochs": 2}
    if name.endswith("-o"):
        settings = {**settings, "total_timesteps": 2_400}  # four episodes in each environment
    made = create_agent("iphyre", name, {**settings, **more})
    assert isinstance(made, RlAgent)
    return made


def test_the_papers_eleven_agents_are_there() -> None:
    assert len(ELEVEN) == 11
    assert set(ELEVEN) <= set(IPHYRE.agents)
    assert all(isinstance(create_agent("iphyre", name), Learner) for name in ELEVEN)


@pytest.mark.parametrize("name", ELEVEN)
def test_every_agent_trains_and_plays(name: str, tmp_path: Path) -> None:
    agent = tiny(name)
    before = torch.get_rng_state()
    threads = torch.get_num_threads()
    options = TrainingOptions(tmp_path / "c.pt", {"for": "a test"})
    reports = list(agent.learn(game_training(TOY), options))
    assert torch.equal(torch.get_rng_state(), before)
    assert torch.get_num_threads() == threads
    assert reports[-1].done >= agent.total_timesteps
    assert reports == agent.history

    # What a loaded agent plays is what its plans earn, and what the trained one plays.
    loaded = create_agent("iphyre", name)
    assert isinstance(loaded, RlAgent)
    assert loaded.load(tmp_path / "c.pt") == {"for": "a test"}
    assert loaded.settings == agent.settings
    games = [*TOY, game_named("noisy_hole")]
    logs: list[list[Play]] = []
    for stochastic in (False, True):
        for player in (agent, loaded):
            player.stochastic = stochastic
            logs.append(list(play_games(player, games, plays=2).log))
    assert logs[0] == logs[1]
    assert logs[2] == logs[3]
    assert [each.game for each in logs[0]] == [game.name for game in games] * 2
    assert logs[0][:3] == logs[0][3:]  # the best actions are always the same
    for log in logs:
        for each in log:
            if not name.endswith("-c") or each.score.ticks <= AT_10_HZ.tick_limit:
                assert play(game_named(each.game), Plan(each.plan.eliminations), AT_10_HZ) == (
                    each.score
                )


@pytest.mark.parametrize("name", ["ppo-c", "a2c-o", "sac-i", "sac-o", "ddpg-i", "dqn-o"])
def test_resumed_equals_uninterrupted(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = tiny(name)
    whole.train(game_training(TOY, 5))
    monkeypatch.setattr(rl, "SAVE_SECONDS", 0.0)
    path = tmp_path / "c.pt"
    for stop in (30, 55):
        part = tiny(name)
        for report in part.learn(game_training(TOY, 5), TrainingOptions(path)):
            if report.done >= part.total_timesteps * stop // 100:
                break
        np.random.default_rng().random()  # others draw in between
        torch.rand(3)
    with pytest.raises(CheckpointError, match="finish it with"):
        tiny(name).load(path)
    rest = tiny(name)
    reports = list(rest.learn(game_training(TOY, 5), TrainingOptions(path)))
    assert 0 < len(reports) < len(whole.history)
    assert same_weights(not_none(rest._model).policy, not_none(whole._model).policy)
    untimed = [point._replace(rate=0.0) for point in rest.history]
    assert untimed == [point._replace(rate=0.0) for point in whole.history]


def test_logs_for_tensorboard(tmp_path: Path) -> None:
    reports = tiny("a2c-i").learn(game_training(TOY), TrainingOptions(tensorboard=tmp_path))
    if find_spec("tensorboard") is None:
        with pytest.raises(ValueError, match="pip install tensorboard"):
            next(reports)
    else:
        list(reports)
        assert list(tmp_path.rglob("events.out.*"))


def test_variants_are_trained_on() -> None:
    plain, varied = tiny("a2c-i"), tiny("a2c-i", variants=5)
    for agent in (plain, varied):
        agent.train(game_training(TOY))
    assert [p.reward for p in plain.history] != [p.reward for p in varied.history]


def test_checkpoints_of_other_trainings_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "c.pt"
    list(tiny("a2c-i").learn(game_training(TOY), TrainingOptions(path)))
    for other, games, seed, message in (
        (tiny("a2c-i", gamma=0.5), TOY, 0, "trained with gamma = 0.99, not 0.5"),
        (tiny("a2c-i"), TOY[:1], 0, "other games or another seed"),
        (tiny("a2c-i"), TOY, 1, "other games or another seed"),
        (tiny("a2c-c"), TOY, 0, "is of agent A2cI, not A2cC"),
    ):
        with pytest.raises(CheckpointError, match=message):
            list(other.learn(game_training(games, seed), TrainingOptions(path)))
    path.write_bytes(path.read_bytes()[:1000])
    with pytest.raises(CheckpointError, match="damaged"):
        tiny("a2c-i").load(path)
    with pytest.raises(ValueError, match="no weights"):
        play_games(tiny("a2c-i"), TOY)


LEARNERS: dict[str, dict[str, Any]] = {
    "ppo-i": {
        "total_timesteps": 8_000,
        "n_envs": 20,
        "n_steps": 10,
        "batch_size": 50,
        "n_epochs": 4,
        "clip_range": 0.2,
        "std_init": 0.5,
    },
    "a2c-c": {
        "total_timesteps": 16_000,
        "n_envs": 20,
        "n_steps": 4,
        "gamma": 1.0,
        "ent_coef": 0.0,
        "std_init": 0.5,
        "max_grad_norm": 0.5,
    },
    "sac-i": {
        "total_timesteps": 2_000,
        "n_envs": 10,
        "batch_size": 64,
        "gradient_steps": 3,
        "learning_starts": 300,
        "ent_coef": 0.1,
        "reward_scale": 1e-2,
    },
    "dqn-o": {
        "total_timesteps": 20_000,
        "n_envs": 16,
        "batch_size": 64,
        "gradient_steps": 2,
        "learning_starts": 500,
        "learning_rate": 5e-4,
        "hidden_size": 64,
        "gamma": 0.95,
        "n_steps": 50,
        "target_update_interval": 1_000,
        "exploration_fraction": 0.4,
        "exploration_final_eps": 0.1,
        "max_grad_norm": 1.0,
    },
}
SHARED: dict[str, Any] = {"hidden_size": 32, "reward_scale": 1e-3, "learning_rate": 2e-3}


def random_reward(agent: RlAgent) -> float:
    env = GameVecEnv(TOY, 20, agent.strategy)
    env.action_space.seed(0)
    env.reset()
    while len(env.finished) < 300:
        env.step(np.array([env.action_space.sample() for _ in range(20)]))
    return float(np.mean([each.reward for each in env.finished]))


@pytest.mark.parametrize("name", LEARNERS)
def test_algorithms_learn_two_games(name: str) -> None:
    agent = create_agent("iphyre", name, {**SHARED, **LEARNERS[name]})
    assert isinstance(agent, RlAgent)
    agent.train(game_training(TOY, 1))
    earned = np.mean([each.score.reward for each in play_games(agent, TOY).log])
    assert earned > random_reward(agent) + 200


@pytest.mark.parametrize("path", sorted(CONFIGS.glob("*.toml")), ids=lambda path: path.stem)
def test_configs_load(path: Path) -> None:
    found = load_spec(path)
    agent = create_agent("iphyre", found.agent, found.settings)
    assert isinstance(agent, RlAgent)
    *name, kind = path.stem.split("-")
    if len(name) == 1:  # as published
        name, kind = [*name, kind], ""
    player = "-".join(name).upper()
    assert player in iphyre_table_a4_means()
    assert (found.label, found.variant) == (player, kind)
    assert agent.traits.strategy[0] == {"I": "i", "O": "o", "C": "c"}[player[-1]]
    if not kind:
        assert agent.hidden_size == 256
        assert agent.settings == create_agent("iphyre", found.agent).settings  # type: ignore[attr-defined]


def test_there_is_a_config_for_every_agent() -> None:
    stems = {path.stem for path in CONFIGS.glob("*.toml")}
    assert {*ELEVEN, *(f"{name}-tuned" for name in ELEVEN), "ppo-i-varied", "sac-i-varied"} <= stems


@pytest.mark.parametrize(
    ("name", "settings", "message"),
    [
        ("ppo-i", {"total_timesteps": 0}, "total_timesteps is 0; it has to be 1 or more"),
        (
            "ppo-i",
            {"batch_size": 33},
            "batch_size is 33, which does not divide n_steps x n_envs = 4000",
        ),
        ("ppo-i", {"learning_rate": 0.0}, "learning_rate is 0.0; it has to be above 0"),
        ("ppo-i", {"learning_rate": "fast"}, "'learning_rate' of agent 'ppo-i' is 'fast'"),
        ("ppo-i", {"buffer_size": 3}, "agent 'ppo-i' has no setting 'buffer_size'"),
        ("a2c-o", {"gae_lambda": 2.0}, "gae_lambda is 2.0; it has to be from 0 to 1"),
        ("a2c-c", {"gamma": 1.5}, "gamma is 1.5"),
        ("sac-o", {"target_entropy": -1.0}, "on the fly it is a fraction from 0 to 1"),
        ("sac-i", {"tau": 0.0}, "tau is 0.0"),
        ("ddpg-i", {"exploration_noise": -1.0}, "exploration_noise is -1.0"),
        (
            "dqn-o",
            {"exploration_final_eps": 2.0},
            "exploration_final_eps is 2.0; it has to be from 0 to 1",
        ),
    ],
)
def test_bad_settings_are_named(name: str, settings: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        create_agent("iphyre", name, settings)
