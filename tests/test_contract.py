"""The contract of everything that is published: tasks, games, environments and configs.

Agents and commands have theirs in tests/agents and tests/cli. Recorded solutions of all tasks are
in tests/phyre/test_recorded_solutions.py.
"""

from __future__ import annotations

import json
import pickle
from collections.abc import Callable
from copy import deepcopy
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env, data_equivalence

from topple.envs import ENVIRONMENTS, register_all
from topple.iphyre import ALL, AT_60_HZ, Game, Plan, plan_from_ticks, play, watch
from topple.iphyre.game_file import game_to_json, load_games
from topple.iphyre.pictures import picture_game
from topple.iphyre.sampling import sample
from topple.phyre import Simulator, Tier, load_task, template_tasks
from topple.phyre.rows import SETUPS
from topple.phyre.scene.check import check_scene
from topple.phyre.scene.codec import scene_from_json, scene_to_json
from topple.phyre.selection import TaskSelection
from topple.phyre.templates import MODULES
from topple.runs.registry import create_agent
from topple.runs.spec import find_spec, load_spec

ROOT = Path(__file__).resolve().parents[1]
ORACLE = ROOT / "results" / "iphyre" / "oracle"
CONFIGS = sorted((ROOT / "configs").rglob("*.toml"))

register_all()
IDS = [name for name, *_ in ENVIRONMENTS]
KINDS = {"Phyre": ("image", "features"), "IPhyre": ("image", "symbolic")}
OBSERVATIONS = [
    (name, kind)
    for name in IDS
    for family, kinds in KINDS.items()
    if name.startswith(f"topple/{family}")
    for kind in kinds
]


# Tasks.


@pytest.mark.parametrize("template_id", MODULES)
def test_every_task_of_a_template_loads_and_is_valid(template_id: str) -> None:
    tasks = template_tasks(template_id)
    assert len(tasks) == 100
    for task in tasks:
        check_scene(task.scene)
        goal = task.scene.goal
        assert goal is not None
        assert min(goal.first, goal.second) >= 4  # the walls come first
        assert task.scene.bodies[goal.first].dynamic
        assert load_task(str(task.id)) == task
        assert task.description.endswith(".")
    for task in tasks[::10]:
        assert scene_from_json(scene_to_json(task.scene)) == task.scene
    assert Simulator(template_id).initial_images().any(axis=(1, 2)).all()


@pytest.mark.parametrize("tier", Tier)
def test_every_task_is_simulated_alike_each_time(tier: Tier) -> None:
    simulator = Simulator(tier)
    tasks = np.arange(len(simulator))
    actions = np.random.default_rng(0).random((len(tasks), tier.action_size))
    first, second = (simulator.attempts(tasks, actions) for _ in range(2))
    np.testing.assert_array_equal(first.outcome, second.outcome)
    np.testing.assert_array_equal(first.steps, second.steps)
    assert (first.outcome != 0).mean() > 0.2  # enough actions fit


# Games.


def solving_plan(game: Game) -> Plan:
    """From the records; of the unseen games, which have none, one drawn at random."""
    file = ORACLE / f"{game.name}.json"
    if file.exists():
        return plan_from_ticks(game, json.loads(file.read_text())["result"]["ticks"])
    return next(draw.plan for draw in sample(game, 1, 0)[0] if draw.score.solved)


@pytest.mark.parametrize("game", ALL, ids=lambda game: game.name)
def test_every_game_can_be_solved_drawn_and_written(game: Game, tmp_path: Path) -> None:
    plan = solving_plan(game)
    score = play(game, plan)
    assert score.solved
    assert score == play(game, plan)
    trace = watch(game, plan)
    assert trace.solved
    assert np.isfinite(trace.poses).all()
    never = play(game, Plan(()))
    assert never.removed == 0
    assert never.ticks <= AT_60_HZ.tick_limit + 1
    assert picture_game(game, 60).shape == (60, 60, 3)
    file = tmp_path / "game.json"
    file.write_text(json.dumps(game_to_json(game)))
    assert load_games(file) == (game,)


# Environments.


def test_every_environment_is_swept() -> None:
    assert [name for name, _ in OBSERVATIONS[::2]] == IDS


@pytest.mark.parametrize("twin_of", [deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
@pytest.mark.parametrize("vector", [False, True])
@pytest.mark.parametrize("name", IDS)
def test_a_copy_goes_on_as_the_environment_does(
    name: str, vector: bool, twin_of: Callable[[Any], Any]
) -> None:
    mode = gym.VectorizeMode.VECTOR_ENTRY_POINT
    environment: Any = (
        gym.make_vec(name, num_envs=3, vectorization_mode=mode) if vector else gym.make(name)
    )
    environment.action_space.seed(0)
    environment.reset(seed=0)
    twin = None
    for step in range(14):
        if step == 4:
            twin = twin_of(environment)
        action = environment.action_space.sample()
        told = environment.step(action)
        if twin is not None:
            assert data_equivalence(told, twin.step(action))
        if not vector and (told[2] or told[3]):
            seen, info = environment.reset()
            assert twin is None or data_equivalence((seen, info), twin.reset())


@pytest.mark.parametrize(("name", "kind"), OBSERVATIONS)
def test_gymnasium_finds_no_fault(name: str, kind: str) -> None:
    environment = gym.make(name, observation=kind, render_mode="rgb_array")
    check_env(environment.unwrapped)
    environment.close()


@pytest.mark.parametrize(("name", "kind"), OBSERVATIONS)
def test_seeds_decide_everything(name: str, kind: str) -> None:
    runs = []
    for _ in range(2):
        environment: Any = gym.make(name, observation=kind)
        environment.action_space.seed(5)
        seen, info = environment.reset(seed=3)
        run: list[Any] = [(seen.tobytes(), info)]
        for _ in range(6):
            assert seen in environment.observation_space
            seen, *rest = environment.step(environment.action_space.sample())
            run.append((seen.tobytes(), *rest))
            if rest[1] or rest[2]:
                seen, info = environment.reset()
                run.append((seen.tobytes(), info))
        runs.append(run)
    assert runs[0] == runs[1]


@pytest.mark.parametrize("name", IDS)
def test_batches_keep_to_their_spaces_and_seeds(name: str) -> None:
    runs = []
    for _ in range(2):
        batch: Any = gym.make_vec(name, num_envs=3)
        batch.action_space.seed(5)
        seen, _ = batch.reset(seed=3)
        run = [seen.tobytes()]
        for _ in range(4):
            assert seen in batch.observation_space
            seen, rewards, *ends, _ = batch.step(batch.action_space.sample())
            assert rewards.shape == (3,)
            run += [part.tobytes() for part in (seen, rewards, *ends)]
        runs.append(run)
        batch.close()
    assert runs[0] == runs[1]


# Configs.


@pytest.mark.parametrize("path", CONFIGS, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_every_config_makes_its_agent(path: Path) -> None:
    if path.parent.name == "phyre":
        for setup in SETUPS:
            config = find_spec(str(path), "phyre").config(TaskSelection(setup))
            assert create_agent("phyre", config.agent, config.settings).traits
    else:
        found = load_spec(path)
        assert found.label
        assert create_agent("iphyre", found.agent, found.settings).traits
