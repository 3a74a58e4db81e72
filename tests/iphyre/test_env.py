from __future__ import annotations

from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.error import ResetNeeded

from topple.envs import register_all
from topple.iphyre import (
    AT_10_HZ,
    Ball,
    Game,
    GameError,
    PlanError,
    Split,
    Strategy,
    game_named,
)
from topple.iphyre.env import IPhyreCombinedEnv, IPhyreEnv, IPhyreInAdvanceEnv, IPhyreOnTheFlyEnv
from topple.iphyre.game import gray

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


def test_clean_rules_in_an_environment() -> None:
    environment = IPhyreInAdvanceEnv(game=game_named("support"), rules=AT_10_HZ.clean())
    environment.reset()
    assert environment.step(np.zeros(6, np.float32))[4]["removed"] == 2
