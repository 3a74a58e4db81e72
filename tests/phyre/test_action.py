from __future__ import annotations

import numpy as np
import pytest

from support.shared_data import TIERS, arrays, needs_phyre_data
from topple.phyre.action import discrete_actions, fits, sample_actions
from topple.phyre.engine.native import SceneSet, map_actions, valid_actions
from topple.phyre.task import load_task, template_task_ids
from topple.phyre.tier import Tier


def one_by_one(tier: Tier, count: int, rng: np.random.RandomState) -> np.ndarray:
    """The slow, obvious way: draw until it fits."""
    kept: list[np.ndarray] = []
    while len(kept) < count:
        action = rng.uniform(size=tier.action_size)
        if fits([action])[0]:
            kept.append(action)
    return np.array(kept)


@pytest.mark.parametrize("tier", list(Tier))
def test_sampling_equals_drawing_one_by_one(tier: Tier) -> None:
    fast, slow = np.random.RandomState(7), np.random.RandomState(7)
    for count in (1, 5, 40):
        np.testing.assert_array_equal(
            sample_actions(tier, count, fast), one_by_one(tier, count, slow)
        )
    assert fast.uniform() == slow.uniform()


def test_lists_begin_alike() -> None:
    longer, shorter = discrete_actions(Tier.BALL, 300), discrete_actions(Tier.BALL, 100)
    np.testing.assert_array_equal(longer[:100], shorter)


@pytest.mark.parametrize(
    ("action", "expected"),
    [
        ((0.5, 0.5, 0.5), True),
        ((0.0, 0.5, 0.0), False),  # half of the ball is left of the scene
        ((2 / 255, 0.5, 0.0), True),  # touches the left edge
        ((1.1, 0.5, 0.5), False),
        ((0.5, 0.5, 0.0, 0.5, 0.5, 0.0), False),  # one ball in the other
        ((0.3, 0.5, 0.0, 0.7, 0.5, 0.0), True),
    ],
)
def test_what_fits(action: tuple[float, ...], expected: bool) -> None:
    assert fits([action])[0] == expected


def test_no_actions() -> None:
    assert discrete_actions(Tier.TWO_BALLS, 0).shape == (0, 6)
    with pytest.raises(ValueError, match="count is -1"):
        discrete_actions(Tier.BALL, -1)


@needs_phyre_data
@pytest.mark.parametrize("tier", TIERS)
def test_lists_of_the_original(tier: str) -> None:
    golden = arrays("golden_observations.npz")[f"{tier}_actions"]
    listed = discrete_actions(Tier.parse(tier), 400, seed=11)
    for action in golden:
        assert (listed == action).all(axis=1).any()


def test_valid_actions_agree_with_those_that_are_mapped_one_by_one() -> None:
    for tier in Tier:
        tasks = [load_task(template_task_ids(name)[7]) for name in tier.template_ids]
        scenes = SceneSet([task.scene for task in tasks])
        drawn = np.random.default_rng(0).uniform(size=(2000, tier.action_size))
        actions = np.concatenate([discrete_actions(tier, 7000), drawn])  # most of these do not fit
        index = np.repeat(np.arange(len(tasks)), len(actions))
        mapped, _ = map_actions(scenes, index, np.tile(actions, (len(tasks), 1)))
        for threads in (1, 3, None):
            assert np.array_equal(valid_actions(scenes, actions, threads).ravel(), mapped)
        few = valid_actions(scenes, actions[:3000])
        assert np.array_equal(few, mapped.reshape(len(tasks), -1)[:, :3000])
