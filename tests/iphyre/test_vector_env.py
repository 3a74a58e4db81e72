from __future__ import annotations

from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode

from support.iphyre_reference import actions_for
from topple.envs import register_all
from topple.iphyre import (
    GameError,
    PlanError,
    Split,
    Strategy,
)
from topple.iphyre.env import IPhyreEnv, IPhyreOnTheFlyEnv
from topple.iphyre.env_slots import step_arrays
from topple.iphyre.vector_env import IPhyreVectorEnv

register_all()

IDS = ("topple/IPhyreInAdvance-v0", "topple/IPhyreOnTheFly-v0", "topple/IPhyreCombined-v0")


@pytest.mark.parametrize("strategy", Strategy)
def test_vectors_equal_single_environments(strategy: Strategy) -> None:
    """In the default mode: the step after an end starts anew."""
    rng = np.random.default_rng(1)
    game = "fill"
    batch = IPhyreVectorEnv(3, strategy, game=game)
    singles = [IPhyreEnv(strategy, game=game) for _ in range(3)]
    seen, _ = batch.reset(seed=0)
    for single, row in zip(singles, seen, strict=True):
        np.testing.assert_array_equal(single.reset()[0], row)
    ended = [False] * 3
    for _ in range(200):
        actions = actions_for(strategy, rng, 3)
        seen, rewards, done, late, info = batch.step(actions)
        for k, single in enumerate(singles):
            if ended[k]:
                row, reward, ended[k] = single.reset()[0], 0.0, False
            else:
                row, reward, solved, cut, single_info = single.step(actions[k])
                assert (solved, cut) == (done[k], late[k])
                assert {key: info[key][k] for key in single_info} == single_info
                ended[k] = solved or cut
            np.testing.assert_array_equal(seen[k], row)
            assert rewards[k] == reward
    batch.close()


def test_vectors_that_restart_at_once() -> None:
    batch = IPhyreVectorEnv(4, Strategy.IN_ADVANCE, autoreset_mode=AutoresetMode.SAME_STEP)
    seen, info = batch.reset(seed=3)
    played = info["game"].tolist()
    seen, rewards, done, late, info = batch.step(np.full((4, 6), 0.1, np.float32))
    assert (done | late).all()
    assert info["final_info"]["game"].tolist() == played
    assert info["tick"].tolist() == [0] * 4
    assert not np.array_equal(np.stack(info["final_obs"]), seen)
    assert rewards.shape == (4,)


def test_vectors_are_made_by_name() -> None:
    for name in IDS:
        batch: Any = gym.make_vec(name, 2, vectorization_mode="vector_entry_point", split="noisy")
        seen, _ = batch.reset(seed=1)
        again, _ = batch.reset(seed=1)
        np.testing.assert_array_equal(seen, again)
        assert seen in batch.observation_space
        seen, rewards, *_ = batch.step(batch.action_space.sample())
        assert seen in batch.observation_space
        assert rewards.shape == (2,)
        assert batch.render() is None
        batch.close()


def test_vectors_of_images() -> None:
    batch = IPhyreVectorEnv(2, Strategy.ON_THE_FLY, observation="image", render_mode="rgb_array")
    seen, _ = batch.reset(seed=0)
    assert seen.shape == (2, 600, 600, 3)
    frames = batch.render()
    assert frames is not None
    assert len(frames) == 2
    _, info = batch.reset(options={"game": "fill"})
    assert info["game"].tolist() == ["fill", "fill"]
    with pytest.raises(GameError, match="does not play 'noisy_fill', only support, hinder"):
        batch.reset(options={"game": "noisy_fill"})
    with pytest.raises(ValueError, match="give one seed"):
        batch.reset(seed=[1, 2])
    with pytest.raises(ValueError, match="use NEXT_STEP or SAME_STEP"):
        IPhyreVectorEnv(2, Strategy.ON_THE_FLY, autoreset_mode=AutoresetMode.DISABLED)


def test_different_games_in_one_batch() -> None:
    """Games with and without turning blocks, observed together."""
    batch = IPhyreVectorEnv(12, Strategy.ON_THE_FLY, split=Split.COMPOSITIONAL)
    _, info = batch.reset(seed=5)
    names = info["game"].tolist()
    assert len(set(names)) > 3
    singles = [IPhyreOnTheFlyEnv(game=name) for name in names]
    for single in singles:
        single.reset()
    rng = np.random.default_rng(5)
    for _ in range(60):
        actions = actions_for(Strategy.ON_THE_FLY, rng, 12)
        seen, *_ = batch.step(actions)
        rows = [single.step(action)[0] for single, action in zip(singles, actions, strict=True)]
        np.testing.assert_array_equal(seen, np.stack(rows))


def test_games_of_a_batch_are_sampled_as_one_by_one() -> None:
    many, single = np.random.default_rng(4), np.random.default_rng(4)
    assert many.integers(10, size=100).tolist() == [int(single.integers(10)) for _ in range(100)]


@pytest.mark.parametrize("mode", [AutoresetMode.NEXT_STEP, AutoresetMode.SAME_STEP])
def test_steps_into_arrays_of_the_caller(mode: AutoresetMode) -> None:
    batch, other = (IPhyreVectorEnv(5, Strategy.ON_THE_FLY, autoreset_mode=mode) for _ in range(2))
    batch.reset(seed=3)
    other.reset(seed=3)
    into = step_arrays(5, Strategy.ON_THE_FLY)
    rng = np.random.default_rng(0)
    for _ in range(200):
        actions = actions_for(Strategy.ON_THE_FLY, rng, 5)
        final = other.step_into(actions, into)
        seen, rewards, done, late, info = batch.step(actions)
        for ours, theirs in zip(into, (seen, rewards, done, late), strict=True):
            np.testing.assert_array_equal(ours, theirs)
        assert ("final_obs" in final) == ("final_obs" in info)


def test_a_bad_action_changes_nothing() -> None:
    batch = IPhyreVectorEnv(2, Strategy.ON_THE_FLY, game="support")
    batch.reset(seed=0)
    with pytest.raises(PlanError, match="action 9; it must be 0, for nothing, to 6"):
        batch.step(np.array([1, 9]))
    assert batch.step(np.array([0, 0]))[4]["tick"].tolist() == [1, 1]
    advance = IPhyreVectorEnv(2, Strategy.IN_ADVANCE, game="support")
    advance.reset(seed=0)
    with pytest.raises(PlanError, match="it must be 6 numbers from 0 to 1"):
        advance.step(np.full((2, 6), np.nan))
    with pytest.raises(PlanError, match="of shape"):
        advance.step(np.zeros((2, 5)))
