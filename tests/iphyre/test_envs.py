from __future__ import annotations

from dataclasses import replace
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.error import ResetNeeded
from gymnasium.vector import AutoresetMode

from topple.envs import register_all
from topple.iphyre import (
    ALL,
    AT_10_HZ,
    Ball,
    Game,
    GameError,
    PlanError,
    Rules,
    Split,
    Strategy,
    game_named,
)
from topple.iphyre.engine.batch import Engine
from topple.iphyre.env import IPhyreCombinedEnv, IPhyreEnv, IPhyreInAdvanceEnv, IPhyreOnTheFlyEnv
from topple.iphyre.env_reference import ReferenceStage
from topple.iphyre.env_slots import NativeStage, Stage, step_arrays
from topple.iphyre.game import gray
from topple.iphyre.vector_env import IPhyreVectorEnv

register_all()

IDS = ("topple/IPhyreInAdvance-v0", "topple/IPhyreOnTheFly-v0", "topple/IPhyreCombined-v0")
KINDS: dict[str, Any] = {
    "in_advance": IPhyreInAdvanceEnv,
    "on_the_fly": IPhyreOnTheFlyEnv,
    "combined": IPhyreCombinedEnv,
}


def test_spaces_are_the_published_ones() -> None:
    sizes = {name: gym.make(name).observation_space.shape for name in IDS}
    assert list(sizes.values()) == [(120,), (122,), (120,)]
    assert isinstance(gym.make(IDS[1]).action_space, gym.spaces.Discrete)
    assert gym.make(IDS[0]).action_space.shape == (6,)
    image = gym.make(IDS[0], observation="image").observation_space
    assert image == gym.spaces.Box(0, 255, (600, 600, 3), np.uint8)


def test_episodes_of_the_original(golden: Any) -> None:
    episodes = golden("iphyre_envs.json")["episodes"]
    assert sum(episode["ticks"] == 151 for episode in episodes) >= 5
    for episode in episodes:
        environment = KINDS[episode["strategy"]](game=episode["game"])
        environment.reset()
        rewards: list[float] = []
        seen: Any = None
        solved, info = False, {}
        for action in episode["actions"]:
            seen, reward, solved, _, info = environment.step(action)
            rewards.append(reward)
        if episode["strategy"] == "on_the_fly":
            rewards = [sum(rewards)]
        np.testing.assert_allclose(rewards, episode["rewards"], rtol=0, atol=1e-6)
        assert (solved, info["tick"]) == (episode["solved"], episode["ticks"])
        np.testing.assert_allclose(seen[:108], episode["last"], rtol=0, atol=2e-7)


def test_in_advance_agrees_with_the_golden_plans(golden: Any) -> None:
    for name, rows in golden("iphyre_plans.json")["games"].items():
        environment = IPhyreInAdvanceEnv(game=name)
        for times, _, (solved, ticks, removed, reward) in rows:
            environment.reset()
            action = np.zeros(6, dtype=np.float32)
            action[: len(times)] = [(time or 0.0) / 15 for time in times]
            _, total, done, late, info = environment.step(action)
            assert (done, info["tick"], info["removed"]) == (solved, ticks, removed)
            assert late == (not done)
            assert total == pytest.approx(reward, abs=1e-6)


def scaled(*px: float) -> np.ndarray:
    return np.array(px, dtype=np.float32) / np.float32(600)


def test_the_first_observation() -> None:
    environment = IPhyreOnTheFlyEnv(game="support")
    seen, info = environment.reset()
    table = seen[:108].reshape(12, 9)
    np.testing.assert_array_equal(table[0, :7], scaled(200, 400, 300, 400, 10, 600, 0))
    assert not table[3:].any()
    np.testing.assert_allclose(seen[108:114], scaled(0, 0, 250, 400, 250, 500))
    assert not seen[114:].any()
    assert info == {"game": "support", "tick": 0, "removed": 0, "solved": False}
    after, reward, *_ = environment.step(1)
    assert reward == pytest.approx(-10.1)
    assert not after[:9].any()
    _, reward, *_ = environment.step(1)  # gone already: no charge
    assert reward == pytest.approx(-0.1)
    _, reward, *_ = environment.step(6)  # padding
    assert reward == pytest.approx(-0.1)


def test_games_are_sampled_by_seed() -> None:
    environment = IPhyreOnTheFlyEnv(split="noisy")

    def names() -> list[str]:
        environment.reset(seed=7)
        return [environment.reset()[1]["game"] for _ in range(30)]

    first = names()
    assert first == names()
    assert set(first) <= {game.name for game in Split.NOISY.games}
    assert len(set(first)) > 5


def test_games_are_chosen_by_option() -> None:
    environment = IPhyreInAdvanceEnv()
    assert environment.reset(options={"game": "hole"})[1]["game"] == "hole"
    assert environment.reset(options={"game": "multi_ball_stack"})[1]["game"] == "multi_ball_stack"
    own = Game("own", "", (gray(200, 400, 300, 400),), (Ball(250, 340),))
    seen, info = environment.reset(options={"game": own})
    assert info["game"] == "own"
    assert environment.step(np.full(6, 0.1, np.float32))[2]
    assert seen in environment.observation_space
    with pytest.raises(GameError, match="no game is named 'nix'"):
        environment.reset(options={"game": "nix"})


def test_bad_arguments() -> None:
    with pytest.raises(ValueError, match="observation is 'text'"):
        IPhyreInAdvanceEnv(observation="text")
    with pytest.raises(ValueError, match="render_mode is 'human'"):
        IPhyreInAdvanceEnv(render_mode="human")
    with pytest.raises(GameError, match="not both"):
        IPhyreInAdvanceEnv(game="hole", split="noisy")


@pytest.mark.parametrize("strategy", Strategy)
def test_steps_after_the_end_are_refused(strategy: Strategy) -> None:
    environment = IPhyreEnv(strategy, game="hole")
    environment.reset()
    action: Any = 0 if strategy is Strategy.ON_THE_FLY else np.zeros(6, np.float32)
    while not any(environment.step(action)[2:4]):
        pass
    with pytest.raises(ResetNeeded, match=r"'hole' is over; call reset\(\)"):
        environment.step(action)
    environment.reset()
    with pytest.raises(PlanError):
        environment.step(7 if strategy is Strategy.ON_THE_FLY else np.full(6, 2.0))


def test_render() -> None:
    environment = IPhyreOnTheFlyEnv(game="support", render_mode="rgb_array")
    environment.reset()
    frame = environment.render()
    assert frame is not None
    assert frame.shape == (600, 600, 3)
    assert frame.dtype == np.uint8
    assert frame[345, 245].tolist() == [255, 0, 0]
    assert frame[400, 250].tolist() == [164, 164, 164]
    environment.step(1)
    after = environment.render()
    assert after is not None
    assert after[400, 250].tolist() == [255, 255, 255]
    assert IPhyreOnTheFlyEnv(game="support").render() is None


def actions_for(strategy: Strategy, rng: np.random.Generator, count: int) -> Any:
    if strategy is Strategy.ON_THE_FLY:
        return rng.integers(0, 7, count) * (rng.random(count) < 0.2)
    return rng.random((count, 6), dtype=np.float32)


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


def test_clean_rules_in_an_environment() -> None:
    environment = IPhyreInAdvanceEnv(game=game_named("support"), rules=AT_10_HZ.clean())
    environment.reset()
    assert environment.step(np.zeros(6, np.float32))[4]["removed"] == 2


@pytest.mark.parametrize("strategy", Strategy)
@pytest.mark.parametrize("rules", [AT_10_HZ, AT_10_HZ.clean()], ids=["published", "clean"])
def test_native_slots_equal_the_rules_in_python(strategy: Strategy, rules: Rules) -> None:
    """Every game by both implementations of the strategies, on one engine and on both."""
    pytest.importorskip("pymunk")
    rng = np.random.default_rng(11)
    stages: tuple[Stage, ...] = (
        NativeStage(ALL, len(ALL), strategy, rules),
        ReferenceStage(ALL, len(ALL), strategy, rules),
        ReferenceStage(ALL, len(ALL), strategy, replace(rules, engine=Engine.PYMUNK)),
    )
    room = [stage.room() for stage in stages]
    numbers = np.arange(len(ALL))
    for stage, into in zip(stages, room, strict=True):
        stage.start(numbers, numbers, into)
    ends, ended = 0, np.zeros(len(ALL), np.bool_)
    for _ in range(160 if strategy is Strategy.ON_THE_FLY else 8):
        actions = actions_for(strategy, rng, len(ALL))
        if strategy is not Strategy.ON_THE_FLY:
            actions[rng.random(actions.shape) < 0.1] = 0.0
            actions[:, 1] = np.where(rng.random(len(ALL)) < 0.3, actions[:, 0], actions[:, 1])
        restart = np.where(ended, rng.permutation(len(ALL)), -1).astype(np.int32)
        for stage, into in zip(stages, room, strict=True):
            stage.step(actions, into, restart)
        for other, stage in zip(room[1:], stages[1:], strict=True):
            for ours, theirs in zip(room[0], other, strict=True):
                np.testing.assert_array_equal(ours, theirs)
            for ours, theirs in zip(stages[0].status(), stage.status(), strict=True):
                np.testing.assert_array_equal(ours, theirs)
        ended = room[0].terminated | room[0].truncated
        ends += int(ended.sum())
    assert ends >= len(ALL)


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
