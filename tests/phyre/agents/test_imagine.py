"""The agent that imagines: what it perceives, what it expects, and that it never peeks."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from support.host_device import HostDevice
from support.narrowing import not_none
from support.phases import task_testing
from topple.phyre.agents.imagine import Imagine
from topple.phyre.agents.minds import NativeMind, Perception, Percepts
from topple.phyre.cache import ActionCache
from topple.phyre.engine import backend
from topple.phyre.engine.cuda_device import CudaError
from topple.phyre.engine.native import SceneSet, simulate_batch
from topple.phyre.engine.physics import COARSE, Physics
from topple.phyre.engine.request import Request
from topple.phyre.engine.result import Outcome
from topple.phyre.fold import Setup
from topple.phyre.phases import Testing
from topple.phyre.results import PhyreConfig
from topple.phyre.selection import TaskSelection
from topple.phyre.task import Task, load_task, template_task_ids
from topple.phyre.tier import Tier
from topple.runs.agent import Kind
from topple.runs.runner import Runner

EASY = tuple(str(template_task_ids(name)[10]) for name in ("00000", "00001", "00003", "00006"))
QUICK: dict[str, Any] = {
    "percepts": 2,
    "listed": 300,
    "imagined": 400,
    "solutions": 5,
    "finalists": 10,
    "repeats": 2,
    "searches": 2,
}


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> ActionCache:
    return ActionCache(tmp_path_factory.mktemp("cache"), Tier.BALL)


def tasks(*names: str) -> list[Task]:
    return [load_task(name) for name in names]


def played(agent: Imagine, chosen: list[Task], cache: ActionCache, attempts: int = 20) -> Testing:
    testing = task_testing(chosen, cache, attempts, seed=3)
    agent.act(testing)
    return testing


def rows(testing: Testing) -> list[tuple[str, tuple[float, ...]]]:
    return [(str(attempt.task), tuple(attempt.action)) for attempt in testing.results().attempts]


# Perception.


def test_perfect_perception_changes_nothing() -> None:
    scene = load_task(template_task_ids("00002")[0]).scene
    assert Perception().is_perfect
    assert Perception().look(scene, np.random.default_rng(0)) == scene


def test_bodies_are_off_by_as_much_as_the_settings_say() -> None:
    scene = load_task("00000:000").scene
    perception = Perception(place=4.0, angle=0.0, size=10.0)
    rng = np.random.default_rng(0)
    seen = [perception.look(scene, rng) for _ in range(400)]
    assert all(one.bodies[:4] == scene.bodies[:4] for one in seen)  # the walls
    x = np.array([one.bodies[4].position[0] for one in seen])
    radius = np.array([one.bodies[4].shapes[0].radius for one in seen])  # type: ignore[union-attr]
    assert x.mean() == pytest.approx(scene.bodies[4].position[0], abs=0.7)
    assert x.std() == pytest.approx(4.0, rel=0.12)
    assert radius.std() / radius.mean() == pytest.approx(0.1, rel=0.12)


def test_balls_have_no_angle_to_mistake() -> None:
    scene = load_task(template_task_ids("00001")[0]).scene
    seen = Perception(angle=5.0).look(scene, np.random.default_rng(0))
    moved = [a.angle != b.angle for a, b in zip(scene.bodies[4:], seen.bodies[4:], strict=True)]
    kinds = [body.kind.name for body in scene.bodies[4:]]
    assert moved == [kind != "BALL" for kind in kinds]
    assert any(moved)


# Minds.


def test_the_exact_mind_expects_what_happens(cache: ActionCache) -> None:
    task = load_task("00000:000")
    actions = cache.actions(200)
    expected = NativeMind(task.scene, Physics()).imagine(actions, 0)
    request = Request(final_state=True)
    happened = simulate_batch(SceneSet([task.scene]), np.zeros(200, int), actions, request)
    np.testing.assert_array_equal(expected.solved, happened.outcome == Outcome.SOLVED)
    np.testing.assert_array_equal(expected.final, not_none(happened.final_state)[:, :-1, :2])
    # Solutions keep the goal's bodies nearer to each other than failures do.
    failed = happened.outcome == Outcome.NOT_SOLVED
    assert expected.distance[expected.solved].max() < np.median(expected.distance[failed])


def test_percepts_are_told_apart_by_what_is_seen(cache: ActionCache) -> None:
    task = load_task("00000:000")
    true, wrong = NativeMind(task.scene, Physics()), NativeMind(task.scene, Physics(gravity=-2.0))
    percepts = Percepts([wrong, true])
    np.testing.assert_allclose(percepts.weights, 0.5)
    action = cache.actions(50)[np.flatnonzero(true.imagine(cache.actions(50), 0).solved)[0]]
    percepts.update(action, true.imagine(action[None], 0).final[0], spread=4.0)
    assert percepts.weights[1] > 0.7


def test_chipmunk_is_a_mind_of_its_own(cache: ActionCache) -> None:
    pytest.importorskip("pymunk")
    task = load_task("00000:000")
    agent = Imagine(engine="chipmunk", percepts=1, constants_noise=0.0)
    (mind,) = agent.minds(task.scene, np.random.default_rng(0))
    imagined = mind.imagine(cache.actions(150), 0)
    real = NativeMind(task.scene, Physics()).imagine(cache.actions(150), 0)
    assert imagined.solved.any()
    assert (imagined.solved == real.solved).mean() > 0.9
    assert imagined.final.shape == real.final.shape
    assert (imagined.final != real.final).any()


# The agent.


def test_it_solves_easy_tasks_soon(cache: ActionCache) -> None:
    testing = played(Imagine(**QUICK), tasks(*EASY), cache)
    first = testing.results().first_solved
    assert (first > 0).all()
    assert np.median(first) <= 3


def test_every_call_of_the_engine_is_an_attempt(cache: ActionCache) -> None:
    testing = played(Imagine(**QUICK), tasks(*EASY), cache)
    assert testing.simulator_calls == len(testing.results().attempts)
    assert not testing.privileged


def test_what_it_does_depends_on_scene_settings_and_seed_alone(
    cache: ActionCache, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = rows(played(Imagine(**QUICK), tasks(*EASY), cache))
    other = rows(played(Imagine(**QUICK), tasks(*reversed(EASY)), cache))
    assert sorted(one) == sorted(other)
    monkeypatch.setattr("topple.phyre.agents.imagine.thread_count", lambda threads, work: 1)
    assert rows(played(Imagine(**QUICK), tasks(*EASY), cache)) == one


def test_remembered_attempts_are_made_again(cache: ActionCache) -> None:
    first = Imagine(**QUICK)
    one = rows(played(first, tasks(*EASY), cache))
    again = Imagine(**QUICK)
    again.remembered = first.remembered
    testing = played(again, tasks(*EASY[:2]), cache)
    assert rows(testing) == [row for row in one if row[0] in EASY[:2]]


def test_misperception_costs_attempts(cache: ActionCache) -> None:
    templates = ("00000", "00001", "00007", "00012")
    chosen = tasks(*(str(template_task_ids(name)[k]) for name in templates for k in (0, 20, 40)))
    noise: dict[str, Any] = {"place_noise": 16.0, "angle_noise": 16.0, "size_noise": 16.0}
    clear = played(Imagine(**QUICK), chosen, cache, 10).results()
    blurred = played(Imagine(**QUICK, **noise), chosen, cache, 10).results()
    assert blurred.auccess < clear.auccess


@pytest.mark.parametrize(
    ("settings", "kind"),
    [
        ({"engine": "exact", "constants_noise": 0.0}, Kind.ORACLE),
        ({"engine": "exact", "constants_noise": 0.0, "place_noise": 1.0}, Kind.IMAGINING),
        ({"engine": "exact", "constants_noise": 0.0, "friction": 0.3}, Kind.IMAGINING),
        ({}, Kind.IMAGINING),
    ],
)
def test_an_oracle_is_called_one(
    settings: dict[str, Any], kind: Kind, cache: ActionCache, tmp_path: Path
) -> None:
    selection = TaskSelection(Setup.BALL_WITHIN_TEMPLATE, 0, tasks=2)
    config = PhyreConfig("imagine", selection, settings={**QUICK, **settings}, attempts=2)
    record = Runner(tmp_path).run(config)
    assert record.kind is kind
    assert record.protocol["imagination"]["engine"] == settings.get("engine", "coarse")


@pytest.mark.parametrize(
    "wrong",
    [
        {"engine": "dream"},
        {"place_noise": -1.0},
        {"percepts": 0},
        {"gravity": 0.0},
        {"searches": 0},
    ],
)
def test_wrong_settings_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=next(iter(wrong))):
        Imagine(**wrong)


def test_coarse_is_less_careful() -> None:
    assert COARSE.time_step > Physics().time_step
    assert COARSE.velocity_passes < Physics().velocity_passes


# Being watched.


@pytest.mark.parametrize("engine", ["coarse", "chipmunk"])
def test_thoughts_are_those_behind_the_attempts(cache: ActionCache, engine: str) -> None:
    if engine == "chipmunk":
        pytest.importorskip("pymunk", reason="needs the extra pymunk")
    few = {**QUICK, "listed": 60, "imagined": 60} if engine == "chipmunk" else QUICK
    agent = Imagine(engine=engine, **few)
    [task] = tasks(EASY[0])
    before = played(agent, [task], cache, attempts=4)
    testing = task_testing([task], cache, attempts=4, seed=3)
    thoughts = list(agent.think(testing, shown=3))
    assert rows(testing) == rows(before)
    assert [tuple(thought.action) for thought in thoughts] == [action for _, action in rows(before)]
    for thought in thoughts:
        assert 1 <= len(thought.best) <= 3
        assert np.array_equal(thought.best[0], thought.action)
        assert thought.solutions <= thought.imagined <= 2 * few["imagined"]
    first = thoughts[0]
    motion = not_none(first.mind.motion(first.action, 0))
    expected = first.mind.imagine(first.action[None], 0)
    assert motion.solved == expected.solved[0]
    bodies = len(task.scene.bodies)
    assert motion.poses.shape[1:] == (bodies + 1, 3)
    assert np.allclose(motion.poses[0, bodies, :2], motion.balls[0, :2])
    # The last frame is at most a tenth of a second from the end.
    assert np.abs(motion.poses[-1, :bodies, :2] - expected.final[0]).max() < 30


def test_ghosts_move_in_time_with_what_happens() -> None:
    [task] = tasks(EASY[0])
    action = np.array([0.5, 0.9, 0.3])
    motion = not_none(NativeMind(task.scene, Physics()).motion(action, 0))
    real = simulate_batch(SceneSet([task.scene]), [0], action[None], Request(stride=1, states=True))
    states = not_none(real.states)[0, 5 : real.frame_count[0] : 6, :, :3]
    assert np.array_equal(motion.poses[1:], states)
    assert NativeMind(task.scene, COARSE).motion(np.array([0.0, 0.0, 1.0]), 0) is None


# On a GPU.


@pytest.mark.parametrize("noise", [0.0, 0.1])
def test_a_gpu_imagines_the_same(
    noise: float,
    cache: ActionCache,
    tmp_path: Path,
    imagining_device: HostDevice,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    launches: list[str] = []
    launch = imagining_device.launch

    def watched(kernel: str, *arguments: Any) -> None:
        launches.append(kernel)
        launch(kernel, *arguments)

    monkeypatch.setattr(imagining_device, "launch", watched)
    monkeypatch.setattr(backend, "cuda_device", lambda **_: imagining_device)
    settings = {**QUICK, "place_noise": 2.0, "motion_noise": noise}
    chosen = tasks(*EASY)
    here = played(Imagine(**settings), chosen, cache)
    assert not launches
    device_cache = ActionCache(tmp_path, Tier.BALL, backend="cuda")
    there = played(Imagine(**settings), chosen, device_cache)
    assert rows(there) == rows(here)
    # Tasks wait for each other, so there are not many more batches than a task has by itself.
    assert 0 < launches.count("attempts") < 20


def test_an_error_on_a_gpu_ends_all_tasks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Broken:
        lanes = 1
        xp = np

        def queue(self) -> None:
            raise CudaError("it fell off the bus")

    monkeypatch.setattr(backend, "cuda_device", lambda **_: Broken())
    broken = ActionCache(tmp_path, Tier.BALL, backend="cuda")
    with pytest.raises(CudaError, match="it fell off the bus"):
        played(Imagine(**QUICK), tasks(*EASY), broken)
