"""The adapter to stable-baselines3: the same episodes as single environments, and resumable."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from gymnasium.wrappers import TimeLimit

pytest.importorskip("stable_baselines3")

from stable_baselines3.common.vec_env import DummyVecEnv, VecCheckNan, VecMonitor

from topple.iphyre.agents.vec_env import GameVecEnv, to_times
from topple.iphyre.env import IPhyreEnv
from topple.iphyre.games import game_named
from topple.iphyre.split import Split
from topple.iphyre.strategy import Strategy

SLOTS = 3
STEPS = {Strategy.IN_ADVANCE: 20, Strategy.ON_THE_FLY: 320, Strategy.COMBINED: 30}


def drawn(env: GameVecEnv, rng: np.random.Generator) -> np.ndarray[Any, Any]:
    if env.action_space.shape == ():
        # Mostly nothing, so that episodes last.
        return np.where(rng.random(SLOTS) < 0.9, 0, rng.integers(7, size=SLOTS))
    return rng.uniform(-1.2, 1.2, (SLOTS, 6)).astype(np.float32)


@pytest.mark.parametrize("strategy", Strategy)
def test_it_plays_like_single_environments(strategy: Strategy) -> None:
    game = game_named("support")
    ours = GameVecEnv([game], SLOTS, strategy, reward_scale=0.5)
    theirs = DummyVecEnv([lambda: IPhyreEnv(strategy, game=game)] * SLOTS)
    assert ours.observation_space == theirs.observation_space
    np.testing.assert_array_equal(ours.reset(), theirs.reset())
    rng = np.random.default_rng(0)
    ended = 0
    for _ in range(STEPS[strategy]):
        actions = drawn(ours, rng)
        plain = actions
        if strategy is not Strategy.ON_THE_FLY:
            plain = to_times(actions, np.empty_like(actions))
        seen, rewards, over, infos = ours.step(actions)
        expected, their_rewards, their_over, their_infos = theirs.step(plain)
        np.testing.assert_array_equal(seen, expected)
        np.testing.assert_array_equal(over, their_over)
        np.testing.assert_allclose(rewards, 0.5 * their_rewards, rtol=1e-6)
        for slot in np.flatnonzero(over):
            last = their_infos[slot]["terminal_observation"]
            np.testing.assert_array_equal(infos[slot]["terminal_observation"], last)
            ended += 1
    assert ended == len(ours.finished) > SLOTS
    assert any(each.solved for each in ours.finished)
    assert max(each.reward for each in ours.finished) > 900


def test_the_observations_of_the_last_step_stay() -> None:
    env = GameVecEnv(Split.BASIC.games, SLOTS, Strategy.ON_THE_FLY)
    before = env.reset()
    kept = before.copy()
    after, *_ = env.step(np.ones(SLOTS, np.int64))
    assert isinstance(after, np.ndarray)
    np.testing.assert_array_equal(before, kept)
    assert not np.array_equal(before, after)


@pytest.mark.parametrize("strategy", Strategy)
def test_it_passes_the_checks_of_the_library(strategy: Strategy) -> None:
    env = VecMonitor(
        VecCheckNan(GameVecEnv(Split.BASIC.games, SLOTS, strategy), raise_exception=True)
    )
    seen = env.reset()
    assert isinstance(seen, np.ndarray)
    episodes = []
    for _ in range(STEPS[strategy]):
        actions = np.array([env.action_space.sample() for _ in range(SLOTS)])
        seen, _, over, infos = env.step(actions)
        assert all(env.observation_space.contains(row) for row in seen)
        episodes += [infos[slot]["episode"]["r"] for slot in np.flatnonzero(over)]
    assert episodes
    assert env.env_is_wrapped(TimeLimit) == [False] * SLOTS
    with pytest.raises(AttributeError, match="single episodes"):
        env.env_method("step")


@pytest.mark.parametrize("strategy", Strategy)
def test_a_state_comes_back(strategy: Strategy) -> None:
    env = GameVecEnv(Split.BASIC.games, SLOTS, strategy, seed=3)
    env.reset()
    rng = np.random.default_rng(1)
    for _ in range(STEPS[strategy] // 2 + 7):
        seen, *_ = env.step(drawn(env, rng))
    state = env.state()
    twin = GameVecEnv(Split.BASIC.games, SLOTS, strategy, seed=99)
    np.testing.assert_array_equal(twin.restore(state), seen)
    for _ in range(STEPS[strategy]):
        actions = drawn(env, rng)
        for ours, theirs in zip(env.step(actions)[:3], twin.step(actions)[:3], strict=True):
            np.testing.assert_array_equal(ours, theirs)
