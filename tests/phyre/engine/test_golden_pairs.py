"""Outcomes of the original simulator: 200,000 (task, action) pairs, 2,734 complete runs."""

from __future__ import annotations

import lzma
from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from support.narrowing import not_none
from support.shared_data import PHYRE, TIERS, arrays, bits, needs_phyre_data, published_scenes
from support.tally import Tally
from topple.phyre.engine.backend import Backend
from topple.phyre.engine.native import SceneSet, Simulation, simulate_batch
from topple.phyre.engine.request import MAX_STEPS, Request
from topple.phyre.engine.result import BatchResult
from topple.phyre.scene import Body, Circle, Goal, Polygon, Scene, Shape

pytestmark = needs_phyre_data


@pytest.mark.parametrize("tier", TIERS)
def test_status_and_steps_of_all_pairs(tier: str, backend: Backend, tally: Tally) -> None:
    golden = arrays(f"golden_{tier}.npz")
    ids, actions = golden["task_ids"], golden["actions"]
    scenes = SceneSet([published_scenes()[task] for task in ids])
    index = np.repeat(np.arange(len(ids)), len(actions))
    result = simulate_batch(scenes, index, np.tile(actions, (len(ids), 1)), backend=backend)
    outcome = result.outcome.reshape(golden["statuses"].shape)
    steps = result.steps.reshape(golden["steps"].shape)
    wrong = (outcome != golden["statuses"]) | (steps != golden["steps"])
    tally("golden pairs (status and steps)", wrong.sum(), wrong.size)
    assert not wrong.any(), f"first at task {ids[np.argwhere(wrong)[0][0]]}"


def compare_trajectories(
    result: BatchResult, golden: dict[str, npt.NDArray[Any]], prefix: str
) -> None:
    """Compare the frames of all runs; `prefix` is that of the names of the golden arrays."""
    np.testing.assert_array_equal(result.frame_count, golden[f"{prefix}nframes"])
    for k, states in enumerate(not_none(result.states)):
        frames, bodies = golden[f"{prefix}nframes"][k], golden[f"{prefix}nbodies"][k]
        start, end = golden[f"{prefix}offset"][k : k + 2]
        expected = golden[f"{prefix}xya"][start:end].reshape(frames, bodies, 3)
        np.testing.assert_array_equal(
            bits(states[:frames, :bodies, :3]), bits(expected), err_msg=f"run {k}"
        )


@pytest.mark.parametrize("tier", TIERS)
def test_sampled_trajectories(tier: str, backend: Backend) -> None:
    golden = arrays(f"golden_{tier}.npz")
    ids = golden["task_ids"]
    scenes = SceneSet([published_scenes()[task] for task in ids])
    result = simulate_batch(
        scenes,
        golden["traj_task"],
        golden["actions"][golden["traj_action"]],
        Request(states=True, final_state=True),
        backend=backend,
    )
    compare_trajectories(result, golden, "traj_")
    for k, final in enumerate(not_none(result.final_state)):
        start, end = golden["last_offset"][k : k + 2]
        np.testing.assert_array_equal(
            bits(final[: golden["traj_nbodies"][k], :3]),
            bits(golden["last_xya"][start:end]),
            err_msg=f"last state of run {k}",
        )


@pytest.mark.parametrize("tier", TIERS)
def test_every_step_of_some_trajectories(tier: str, backend: Backend) -> None:
    golden = arrays(f"golden_traj1_{tier}.npz")
    scenes = SceneSet([published_scenes()[task] for task in golden["task_ids"]])
    result = simulate_batch(
        scenes,
        np.arange(len(scenes)),
        golden["actions"],
        Request(states=True, stride=1),
        backend=backend,
    )
    np.testing.assert_array_equal(result.outcome, golden["statuses"])
    compare_trajectories(result, golden, "")


def test_goal_state_of_every_step() -> None:
    golden = arrays("golden_traj1_ball.npz")
    for k in range(0, len(golden["task_ids"]), 12):
        scenes = SceneSet([published_scenes()[golden["task_ids"][k]]])
        simulation = Simulation(scenes, 0, golden["user_input"][k])
        start, end = golden["solved_offset"][k : k + 2]
        states = []
        for _ in range(end - start):
            simulation.step()
            states.append(simulation.holds_goal())
        np.testing.assert_array_equal(states, golden["solved_state"][start:end])


def _with_shape(body: Body, shape: Shape) -> Body:
    return body._replace(shapes=(*body.shapes, shape))


def _outcome_scenes(name: str) -> Iterator[Scene]:
    bodies: list[Body] = []
    title, goal = "", Goal(0, 1)
    with lzma.open(PHYRE / "outcomes" / f"{name}.scenes.txt.xz", "rt") as lines:
        for line in lines:
            word, *rest = line.split()
            if word == "task":
                bodies, title, goal = [], rest[0], Goal(int(rest[1]), int(rest[2]))
            elif word == "body":
                x, y, angle, vx, vy, w = map(float, rest[1:])
                body = Body((), rest[0] == "dynamic", (x, y), angle)
                bodies.append(body._replace(velocity=(vx, vy), angular_velocity=w))
            elif word == "circle":
                bodies[-1] = _with_shape(bodies[-1], Circle(float(rest[0])))
            elif word == "poly":
                numbers = list(map(float, rest[1:]))
                polygon = Polygon(tuple(zip(numbers[::2], numbers[1::2], strict=True)))
                bodies[-1] = _with_shape(bodies[-1], polygon)
            elif word == "end":
                yield Scene(tuple(bodies), goal, name=title)


def _complete_runs(name: str) -> tuple[SceneSet, list[list[str]]]:
    """Scenes, and the words that say what became of each."""
    with lzma.open(PHYRE / "outcomes" / f"{name}.expected.txt.xz", "rt") as lines:
        return SceneSet(list(_outcome_scenes(name))), [line.split() for line in lines]


def _pose_hash(poses: npt.NDArray[np.float32]) -> int:
    value = 0
    for word in bits(poses).ravel().tolist():
        value = (value * 1000003 + word) & 0xFFFFFFFF
    return value


@pytest.mark.parametrize(("name", "count"), [("known_734", 734), ("random_2000", 2000)])
def test_complete_runs(name: str, count: int, backend: Backend, tally: Tally) -> None:
    scenes, expected = _complete_runs(name)
    assert len(scenes) == len(expected) == count
    result = simulate_batch(scenes, np.arange(count), np.zeros((count, 0)), backend=backend)
    solved = np.array([row[1] == "1" for row in expected])
    steps = np.array([int(row[2]) for row in expected])
    wrong = ((result.outcome == 1) != solved) | (result.steps != steps)
    tally("outcomes of complete runs", wrong.sum(), count)
    assert not wrong.any()


@pytest.mark.parametrize("name", ["known_734", "random_2000"])
def test_final_poses_and_first_sleep(name: str) -> None:
    """Every tenth run, step by step, to its last bit."""
    scenes, expected = _complete_runs(name)
    for k in range(0, len(scenes), 10):
        simulation = Simulation(scenes, k)
        asleep = -1
        last = min(int(expected[k][2]), MAX_STEPS - 1)
        for step in range(last + 1):
            simulation.step()
            if asleep < 0 and simulation.sleeps():
                asleep = step
        assert f"asleep@{asleep}" == expected[k][3], expected[k][0]
        assert f"hash={_pose_hash(simulation.bodies()[:, :3]):08x}" == expected[k][5]
