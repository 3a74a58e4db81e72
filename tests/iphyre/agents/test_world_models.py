"""Controllers with foresight, and the planner that imagines."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from support.narrowing import not_none
from support.phases import game_training, play_games
from support.training import same_weights, stop_after
from topple.iphyre.agents.learned_planner import LearnedPlanner, model_evaluation
from topple.iphyre.agents.mdrnn import (
    Foresight,
    Mdrnn,
    MdrnnNetwork,
    removal_rows,
    train_mdrnn,
)
from topple.iphyre.agents.outcome_data import first_table
from topple.iphyre.agents.planner import Evaluated
from topple.iphyre.agents.world_model import (
    ForesightVecEnv,
    WithForesight,
    WorldModelA2c,
    WorldModelPpo,
    WorldModelSac,
)
from topple.iphyre.games import game_named
from topple.iphyre.rules import AT_10_HZ
from topple.runs.agent import TrainingOptions

CONFIGS = Path(__file__).resolve().parents[3] / "configs" / "iphyre_models"
GAMES = (game_named("support"), game_named("hinder"))
TINY = {"samples_per_class": 3, "lstm_hidden_size": 16, "n_mixtures": 2, "model_epochs": 2}
MODELS = {
    WorldModelPpo: {
        "total_timesteps": 600,
        "n_envs": 4,
        "n_steps": 75,
        "batch_size": 100,
        "n_epochs": 2,
    },
    WorldModelA2c: {"total_timesteps": 600, "n_envs": 4},
    WorldModelSac: {
        "total_timesteps": 600,
        "n_envs": 4,
        "learning_starts": 100,
        "gradient_steps": 1,
        "batch_size": 32,
    },
}


@pytest.fixture(autouse=True)
def _own_cache(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOPPLE_CACHE", str(tmp_path_factory.getbasetemp() / "world-models"))


def agent_of(made: type[WithForesight], **more: Any) -> WithForesight:
    return made(**{**TINY, **MODELS[made], **more})


def network(seed: int = 0) -> MdrnnNetwork:
    torch.manual_seed(seed)
    return MdrnnNetwork(16, 2)


def test_models_are_kept_in_the_cache() -> None:
    first, second = Mdrnn(8, 2, 2), Mdrnn(8, 2, 2)
    assert len(list(train_mdrnn(first, GAMES, 2, 0))) == 2
    assert not list(train_mdrnn(second, GAMES, 2, 0))
    assert same_weights(second.network, first.network)


def test_foresight_remembers_what_the_network_would() -> None:
    rng = np.random.default_rng(0)
    states = rng.random((2, 5, 108)).astype(np.float32)
    removed = (rng.random((2, 5, 12)) < 0.1).astype(np.float32)
    model = network()
    with torch.no_grad():
        whole, _ = model(torch.from_numpy(states), torch.from_numpy(removed))
    foresight = Foresight(model, 2)
    for step in range(5):
        expected, _ = foresight.remember(states[:, step].copy(), removed[:, step].copy())
        assert expected == pytest.approx(whole.likeliest()[:, step].numpy(), abs=1e-5)
    kept = foresight.memory.copy()
    foresight.forget(np.array([1]))
    assert not foresight.memory[:, 1].any()
    assert (foresight.memory[:, 0] == kept[:, 0]).all()


def test_choices_remove_bodies_that_are_there() -> None:
    states = np.stack([first_table(game).reshape(-1) for game in GAMES])
    rows = removal_rows(GAMES, np.array([2, 6]), states)
    assert np.flatnonzero(rows[0]).tolist() == [GAMES[0].eliminable[1]]
    assert not rows[1].any()  # there is no sixth block
    assert not removal_rows(GAMES[:1], np.array([2]), np.zeros((1, 108), np.float32)).any()


def test_observations_end_with_what_is_expected() -> None:
    model = network()
    env = ForesightVecEnv(model, GAMES, 3, AT_10_HZ, seed=0, reward_scale=1.0)
    seen = env.reset()
    assert seen.shape == (3, 122 + 108)
    assert env.observation_space.contains(seen[0])
    wanted = Foresight(model, 3).expect(seen[:, :108].copy())
    assert seen[:, 122:] == pytest.approx(wanted, abs=1e-6)
    for _ in range(40):
        env.step_async(np.array([0, 1, 2]))
        found, *_ = env.step_wait()
        assert isinstance(found, np.ndarray)
        seen = found
    state = env.state()
    other = ForesightVecEnv(model, GAMES, 3, AT_10_HZ, seed=9, reward_scale=1.0)
    assert (other.restore(state) == seen).all()


@pytest.mark.parametrize("made", MODELS)
def test_controllers_train_and_play(made: type[WithForesight], tmp_path: Path) -> None:
    agent = agent_of(made)
    path = tmp_path / "c.pt"
    *_, last = agent.learn(game_training(GAMES), TrainingOptions(path))
    assert last.done >= 600
    loaded = made()
    loaded.load(path)
    assert list(play_games(loaded, GAMES).log) == list(play_games(agent, GAMES).log)
    assert loaded.settings == agent.settings


def test_a_resumed_controller_equals_an_uninterrupted_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("topple.iphyre.agents.rl.SAVE_SECONDS", 0.0)
    whole, resumed = agent_of(WorldModelA2c), agent_of(WorldModelA2c)
    list(whole.learn(game_training(GAMES)))
    saved = TrainingOptions(tmp_path / "c.pt")
    stop_after(2, agent_of(WorldModelA2c).learn(game_training(GAMES), saved))
    list(resumed.learn(game_training(GAMES), saved))
    assert same_weights(not_none(resumed._model).policy, not_none(whole._model).policy)


def test_a_controller_learns_two_games_better_than_chance() -> None:
    agent = agent_of(
        WorldModelPpo,
        total_timesteps=12_000,
        n_envs=8,
        n_steps=125,
        batch_size=250,
        n_epochs=4,
        learning_rate=1e-3,
        reward_scale=1e-3,
        gamma=0.999,
        gae_lambda=0.95,
        ent_coef=0.003,
        noop_bias=3.0,
    )
    *_, last = agent.learn(game_training(GAMES))
    assert last.solved is not None
    assert last.solved > 0.9  # seven of ten at first


def test_the_learned_planner_keeps_to_plays_and_needs_no_simulator() -> None:
    agent = LearnedPlanner(plans=60, generations=3, **TINY)
    agent.train(game_training(GAMES))
    playing = play_games(agent, GAMES, plays=3)
    assert playing.simulator_calls == 0
    assert {play.game for play in playing.log} == {game.name for game in GAMES}


def test_imagined_rewards_follow_the_model(monkeypatch: pytest.MonkeyPatch) -> None:
    class Sure(Foresight):
        """Says that all is solved in the eleventh step."""

        def remember(self, states: Any, removed: Any) -> tuple[Any, Any]:
            self.steps = getattr(self, "steps", 0) + 1
            return states, np.full(len(states), float(self.steps == 11))

    monkeypatch.setattr("topple.iphyre.agents.learned_planner.Foresight", Sure)
    game = GAMES[0]
    rows = np.array([[-1, -1], [3, -1], [3, 50]], np.int32)
    judged: Evaluated = model_evaluation(network(), game, AT_10_HZ)(rows)
    assert judged.values == pytest.approx([998.9, 988.9, 988.9])
    assert (judged.rows == rows).all()


def test_a_planner_without_model_is_refused() -> None:
    with pytest.raises(ValueError, match="no model"):
        play_games(LearnedPlanner(), GAMES)
