"""The contract of every PHYRE environment: checks, seeds, endings, and batches."""

from __future__ import annotations

from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode, SyncVectorEnv

from topple.envs import ENVIRONMENTS
from topple.phyre import Setup, Simulator, Task, Tier, load_fold, load_task
from topple.phyre.engine.result import Outcome
from topple.phyre.env import FEATURE_LIMIT
from topple.phyre.env_slots import MAX_OBJECTS
from topple.phyre.scene import Scene

IDS = [name for name, *_ in ENVIRONMENTS if "/Phyre" in name]
TASKS = {3: "00002:017", 6: "00102:028"}  # one of each tier, by the size of its actions
KINDS = ("image", "features")


def make(name: str, **options: Any) -> Any:
    return gym.make(name, **options)


def task_of(env: Any) -> Task:
    return load_task(TASKS[env.action_space.shape[-1]])


def solution_of(env: Any) -> Any:
    task = task_of(env)
    return Simulator(task).solutions(task)[0]


def invalid_action(env: Any) -> Any:
    return np.zeros(env.action_space.shape, np.float32)  # half outside the scene


def losing_action(env: Any) -> Any:
    simulator = Simulator(task_of(env))
    rng = np.random.default_rng(0)
    while True:
        action = rng.uniform(size=simulator.action_size)
        if simulator.attempt(0, action).outcome is Outcome.NOT_SOLVED:
            return action.astype(np.float32)


def test_both_tiers_are_registered() -> None:
    assert IDS == ["topple/PhyreBall-v0", "topple/PhyreTwoBalls-v0"]


@pytest.mark.parametrize("name", IDS)
def test_seeds_choose_tasks(name: str) -> None:
    env = make(name)
    assert len({env.reset(seed=seed)[1]["task"] for seed in range(8)}) > 4


@pytest.mark.parametrize("name", IDS)
def test_an_episode_is_solved(name: str) -> None:
    env = make(name, render_mode="rgb_array")
    seen, info = env.reset(options={"task": str(task_of(env).id)})
    assert info == {"task": str(task_of(env).id), "attempts": 0}
    before = env.render()
    again, reward, terminated, truncated, info = env.step(invalid_action(env))
    assert (reward, terminated, truncated) == (0.0, False, False)
    assert info["outcome"] == Outcome.INVALID
    assert not info["valid"]
    assert info["attempts"] == 0
    np.testing.assert_array_equal(again, seen)
    np.testing.assert_array_equal(env.render(), before)
    _, reward, terminated, truncated, info = env.step(solution_of(env).astype(np.float32))
    assert (reward, terminated, truncated) == (1.0, True, False)
    assert info["outcome"] == Outcome.SOLVED
    assert info["valid"]
    assert info["attempts"] == 1
    assert 179 <= info["steps"] < 1000
    after = env.render()
    assert after.shape == (256, 256, 3)
    assert (after == (243, 79, 70)).all(axis=-1).any()  # the ball that was placed
    assert not (before == (243, 79, 70)).all(axis=-1).any()


@pytest.mark.parametrize("name", IDS)
def test_a_hundred_attempts_in_vain(name: str) -> None:
    env = make(name)
    env.reset(options={"task": task_of(env)})
    action = losing_action(env)
    ends = []
    for attempt in range(100):
        if attempt % 10 == 0:
            assert env.step(invalid_action(env))[4]["attempts"] == attempt
        *_, terminated, truncated, info = env.step(action)
        assert not terminated
        ends.append(truncated)
    assert ends == [False] * 99 + [True]
    assert info["attempts"] == 100


@pytest.mark.parametrize("name", IDS)
def test_observations_are_the_simulators(name: str) -> None:
    for kind in KINDS:
        env = make(name, observation=kind)
        task = task_of(env)
        seen, _ = env.reset(options={"task": task})
        simulator = Simulator(task)
        if kind == "image":
            np.testing.assert_array_equal(seen, simulator.initial_images()[0])
        else:
            features = simulator.initial_features(0)
            np.testing.assert_array_equal(seen[: len(features)], features)
            assert not seen[len(features) :].any()


@pytest.mark.parametrize("tier", list(Tier))
def test_all_published_features_are_inside_the_space(tier: Tier) -> None:
    simulator = Simulator(tier)
    assert simulator.scenes.packed.object_counts().max() <= MAX_OBJECTS
    features = np.concatenate([simulator.initial_features(task) for task in range(len(simulator))])
    assert np.abs(features).max() < FEATURE_LIMIT


def test_folds_and_tasks_to_sample_from() -> None:
    fold = load_fold(Setup.BALL_CROSS_TEMPLATE, 4)
    env = make(IDS[0], setup="ball_cross_template", fold=4, part="test").unwrapped
    assert env.tasks.names == tuple(map(str, fold.test))
    assert make(IDS[0], tasks="00003").reset(seed=1)[1]["task"].startswith("00003:")
    scene = load_task("00003:009").scene._replace(name="mine")
    assert make(IDS[0], tasks=scene).reset()[1]["task"] == "mine"
    assert make(IDS[0]).reset(options={"task": scene})[1]["task"] == "mine"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"observation": "pixels"}, "observation is 'pixels'; it has to be 'image' or 'features'"),
        ({"setup": "ball"}, "unknown setup 'ball'"),
        ({"setup": "two_balls_within_template"}, "is of tier 'two_balls', not 'ball'"),
        ({"part": "val"}, "part is 'val'; it has to be 'train', 'dev' or 'test'"),
        ({"fold": 10}, "seeds 0 to 9, not 10"),
        ({"tasks": "00000", "part": "dev"}, "give tasks, or a part of a fold"),
        ({"max_attempts": 0}, "max_attempts is 0; it has to be at least 1"),
    ],
)
def test_bad_options(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make(IDS[0], **options)


def test_bad_resets() -> None:
    env = make(IDS[0]).unwrapped
    with pytest.raises(RuntimeError, match="call reset"):
        env.step(np.full(3, 0.5, np.float32))
    with pytest.raises(ValueError, match=r"options has \['taks'\]; only 'task' is known"):
        env.reset(options={"taks": "00000:001"})
    crowded = load_task("00003:009").scene
    crowded = Scene(crowded.bodies[:4] + crowded.bodies[5:6] * 65, name="crowd")
    with pytest.raises(ValueError, match=r"crowd has 65 objects; feature .* hold 64"):
        make(IDS[0], observation="features").unwrapped.reset(options={"task": crowded})


def equal(a: Any, b: Any) -> bool:
    """Whether two infos hold the same, arrays included."""
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(equal(a[key], b[key]) for key in a)
    if isinstance(a, np.ndarray) and a.dtype == object:
        return len(a) == len(b) and all(equal(x, y) for x, y in zip(a, b, strict=True))
    if isinstance(a, np.ndarray):
        return a.dtype == b.dtype and bool(np.array_equal(a, b))
    return bool(a == b)


@pytest.mark.parametrize("mode", [AutoresetMode.NEXT_STEP, AutoresetMode.SAME_STEP])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", IDS)
def test_a_batch_equals_single_environments(name: str, kind: str, mode: AutoresetMode) -> None:
    options: dict[str, Any] = {"observation": kind, "max_attempts": 3}
    batch: Any = gym.make_vec(name, 4, autoreset_mode=mode, **options)
    singles: Any = SyncVectorEnv(
        [lambda: make(name, **options).unwrapped for _ in range(4)], autoreset_mode=mode
    )
    assert batch.metadata["autoreset_mode"] is mode
    assert batch.observation_space == singles.observation_space
    assert batch.action_space == singles.action_space
    task, solution = task_of(batch), solution_of(batch)
    batch.action_space.seed(1)
    ended = np.zeros(2, np.int64)  # by solving, by running out of attempts
    for reset in ({"seed": 7}, {"options": {"task": task}}):
        (seen, info), (expected, expected_info) = batch.reset(**reset), singles.reset(**reset)
        np.testing.assert_array_equal(seen, expected)
        assert equal(info, expected_info)
        for step in range(9):
            actions = batch.action_space.sample()
            if step == 1:
                actions[2] = solution  # solves only the chosen task
            result, wanted = batch.step(actions), singles.step(actions)
            for a, b in zip(result, wanted, strict=True):
                assert equal(a, b)
            ended += result[2].sum(), result[3].sum()
    assert (ended > 0).all()
    batch.close()
    singles.close()


def test_a_task_for_each_slot() -> None:
    batch: Any = gym.make_vec(IDS[0], 2, render_mode="rgb_array")
    tasks = ["00001:001", "00002:017"]
    assert batch.reset(seed=[4, None], options={"tasks": tasks})[1]["task"].tolist() == tasks
    assert [picture.shape for picture in batch.render()] == [(256, 256, 3)] * 2
    with pytest.raises(ValueError, match=r"options has 1 tasks .* list of 2 tasks"):
        batch.reset(options={"tasks": tasks[:1]})
    with pytest.raises(ValueError, match="there are 3 seeds for 2 slots"):
        batch.reset(seed=[1, 2, 3])
    with pytest.raises(ValueError, match="use NEXT_STEP or SAME_STEP"):
        gym.make_vec(IDS[0], 2, autoreset_mode=AutoresetMode.DISABLED)
