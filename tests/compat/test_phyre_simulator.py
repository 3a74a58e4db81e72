"""The original's simulator, used as its first example notebook uses it."""

from __future__ import annotations

import pickle
import random
from typing import Any

import numpy as np
import pytest

import topple.compat.phyre as phyre
from support.narrowing import not_none
from support.shared_data import TIERS, arrays, bits, needs_phyre_data
from support.tally import Tally
from topple.phyre import SceneBuilder, Tier, enumerate_tasks, template

SETUP = "ball_cross_template"


@pytest.fixture(scope="module")
def simulator() -> phyre.ActionSimulator:
    return phyre.initialize_simulator(phyre.get_fold(SETUP, 0)[1][:5], "ball")


def test_constants() -> None:
    assert phyre.ACTION_TIERS == ("ball", "two_balls")
    assert (phyre.NUM_COLORS, phyre.SCENE_WIDTH, phyre.SCENE_HEIGHT) == (7, 256, 256)
    assert phyre.MAX_TEST_ATTEMPTS == 100


def test_what_a_simulator_tells(simulator: phyre.ActionSimulator) -> None:
    assert simulator.task_ids == phyre.get_fold(SETUP, 0)[1][:5]
    assert simulator.tier == "ball"
    assert simulator.action_space_dim == 3
    assert simulator.goals is None
    assert simulator.initial_scenes.shape == (5, 256, 256)
    assert simulator.initial_scenes.dtype == np.int64
    objects = simulator.initial_featurized_objects[0]
    assert objects.features.shape == (1, objects.num_objects, 14)
    assert objects.features.dtype == np.float32
    assert objects.num_user_inputs == 0


def test_the_flow_of_the_first_notebook(simulator: phyre.ActionSimulator) -> None:
    actions = simulator.build_discrete_action_space(max_actions=100)
    assert len(actions) == 100
    action = random.Random(0).choice(actions)
    simulation = simulator.simulate_action(
        0, action, need_images=True, need_featurized_objects=True
    )
    assert not not_none(simulation.status).is_invalid()
    images, objects = not_none(simulation.images), not_none(simulation.featurized_objects)
    frames, count = len(images), objects.num_objects
    assert objects.num_user_inputs == 1
    assert objects.num_scene_objects == count - 1
    assert objects.features.shape == (frames, count, 14)
    assert objects.xs.shape == objects.ys.shape == objects.angles.shape == (frames, count)
    assert objects.states.shape == (frames, count, 3)
    assert objects.diameters.shape == (count,)
    assert objects.shapes_one_hot.shape == (count, 4)
    assert objects.colors_one_hot.shape == (count, 6)
    assert objects.shapes[-1] == "BALL"
    assert objects.colors[-1] == "RED"
    assert set(objects.shapes) <= {"BALL", "BAR", "JAR", "STANDINGSTICKS"}
    picture = phyre.observations_to_float_rgb(images[0])
    assert picture.shape == (256, 256, 3)
    assert picture.dtype == np.float64
    assert 0 <= picture.min() <= picture.max() == 1
    raster = phyre.featurized_objects_vector_to_raster(objects.features[-1])
    np.testing.assert_array_equal(raster, images[-1])


def test_forms_of_a_simulation(simulator: phyre.ActionSimulator) -> None:
    action = simulator.build_discrete_action_space(1)[0]
    status, images = simulator.simulate_single(0, action)
    assert status is phyre.SimulationStatus.NOT_SOLVED
    assert not_none(images).shape == (17, 256, 256)
    assert simulator.simulate_single(0, action, need_images=False) == (status, None)
    _, none = simulator.simulate_single(0, action, stride=-1)
    assert not_none(none).shape == (0, 256, 256)
    bare = simulator.simulate_action(0, action, need_images=False)
    assert bare.images is None
    assert bare.featurized_objects is None
    last = simulator.simulate_action(np.int64(-1), list(action), need_images=False)
    assert last.status == simulator.simulate_action(4, action, need_images=False).status
    for bad in ([0.0, 0.5, 0.5], [0.5, 0.5, 1.5], [0.5, 0.5, float("nan")]):
        invalid = simulator.simulate_action(0, bad, need_featurized_objects=True)
        assert invalid.status is phyre.SimulationStatus.INVALID_INPUT
        assert invalid.images is None
        assert invalid.featurized_objects is None


def test_statuses() -> None:
    status = phyre.SimulationStatus
    assert [s.is_solved() for s in status] == [False, False, True, True, True]
    assert [s.is_not_solved() for s in status] == [True, False, False, False, False]
    assert [s.is_invalid() for s in status] == [False, True, False, False, False]
    assert [s.is_stably_solved() for s in status] == [False] * 4 + [True]
    assert [int(s) for s in status] == [-1, 0, 1, 2, 3]
    assert phyre.simulation_cache.SOLVED == status.SOLVED
    # The same text on every Python: names in logs, numbers in formatted lines.
    assert str(status.SOLVED) == "SimulationStatus.SOLVED"
    assert f"{status.SOLVED} {status.NOT_SOLVED:3d}" == "1  -1"
    assert repr(status.SOLVED) == "<SimulationStatus.SOLVED: 1>"


def test_samples(simulator: phyre.ActionSimulator) -> None:
    rng = np.random.RandomState(1)
    listed = simulator.build_discrete_action_space(20, seed=1)
    for action in listed:
        np.testing.assert_array_equal(simulator.sample(rng=rng), action)
    again = np.random.RandomState(3)
    expected = np.random.RandomState(3).uniform(size=3)
    np.testing.assert_array_equal(simulator.sample(valid_only=False, rng=again), expected)
    assert simulator.sample().shape == (3,)


def test_goals_and_own_tasks() -> None:
    @template("mine", Tier.BALL)
    def mine(s: SceneBuilder) -> None:
        """Let it fall."""
        s.goal(s.dynamic.ball(0.1, center_x=128, bottom=100), s.static.bar(0.5, bottom=0, left=64))

    task = next(enumerate_tasks(mine))
    tasks: dict[str, Any] = {"mine:000": task, "00001:001": "00001:001"}
    simulator = phyre.ActionSimulator(tasks, "ball", no_goals=False)
    assert simulator.task_ids == ("mine:000", "00001:001")
    goals = not_none(simulator.goals)
    assert goals.dtype == np.uint8
    assert goals.tolist() == [[4, 6, 4]] * 2
    assert simulator.simulate_action(0, [0.9, 0.9, 0.0]).status is phyre.SimulationStatus.SOLVED


def test_simulators_go_to_other_processes(simulator: phyre.ActionSimulator) -> None:
    copy = pickle.loads(pickle.dumps(simulator))
    action = simulator.build_discrete_action_space(1)[0]
    expected = simulator.simulate_action(0, action, need_images=False).status
    assert copy.simulate_action(0, action, need_images=False).status is expected


def test_unknown_tasks_are_listed() -> None:
    with pytest.raises(RuntimeError, match="unknown task ids: '00000:999', 'x'"):
        phyre.initialize_simulator(["00000:001", "00000:999", "x"], "ball")
    with pytest.raises(ValueError, match="unknown tier 'ramp'"):
        phyre.initialize_simulator(["00000:001"], "ramp")


def test_pictures() -> None:
    scene = np.zeros((20, 30), np.int64)
    scene[0, 3] = 6
    picture = phyre.observations_to_uint8_rgb(scene, user_input=((4, 1), (99, 0)))
    assert picture.shape == (20, 30, 3)
    assert picture[19, 3].tolist() == [0, 0, 0]
    assert picture[18, 4].tolist() == [255, 0, 0]
    for solved, rgb in ((True, [11, 102, 35]), (False, [121, 6, 4])):
        barred = phyre.vis.observations_to_uint8_rgb(scene, is_solved=solved)
        assert barred.shape == (25, 30, 3)
        assert barred[4, 5].tolist() == barred[0, 24].tolist() == rgb
        assert (barred[:5, :5] == 255).all()
        assert (barred[:5, -5:] == 255).all()


def test_features_of_a_wrong_shape() -> None:
    with pytest.raises(AssertionError, match=r"\(3, 14\); it has to be \(frames, objects, 14\)"):
        phyre.FeaturizedObjects(np.zeros((3, 14), np.float32))
    red_bar = np.zeros((1, 14))
    red_bar[0, [5, 8]] = 1
    with pytest.raises(AssertionError, match="a red object is a BAR"):
        phyre.featurized_objects_vector_to_raster(red_bar)


@needs_phyre_data
@pytest.mark.parametrize("tier", TIERS)
def test_observations_of_the_original(tier: str) -> None:
    golden = {
        key.removeprefix(f"{tier}_"): value
        for key, value in arrays("golden_observations.npz").items()
    }
    simulator = phyre.initialize_simulator(golden["ids"].tolist(), tier)
    np.testing.assert_array_equal(simulator.initial_scenes, golden["initial"])
    rows = [objects.features[0] for objects in simulator.initial_featurized_objects]
    np.testing.assert_array_equal(bits(np.concatenate(rows)), bits(golden["init_features"]))
    # Features are single precision: an edge on the border of two pixels may fall to either.
    rasters = np.array([phyre.featurized_objects_vector_to_raster(row) for row in rows])
    assert (rasters != simulator.initial_scenes).sum() < 20
    images, features = [], []
    for index, action in enumerate(golden["actions"]):
        simulation = simulator.simulate_action(
            index, action, need_featurized_objects=True, stride=120
        )
        assert simulation.status == golden["status"][index]
        images.append(not_none(simulation.images))
        features.append(not_none(simulation.featurized_objects).features.reshape(-1, 14))
    np.testing.assert_array_equal(np.concatenate(images), golden["frames"])
    np.testing.assert_array_equal(bits(np.concatenate(features)), bits(golden["features"]))


@needs_phyre_data
@pytest.mark.parametrize("tier", TIERS)
def test_statuses_of_the_original(tier: str, tally: Tally) -> None:
    golden = arrays(f"golden_{tier}.npz")
    rows = np.arange(0, len(golden["task_ids"]), 25)
    simulator = phyre.initialize_simulator(golden["task_ids"][rows].tolist(), tier)
    actions = golden["actions"][:20]
    found = [
        [simulator.simulate_action(index, action, need_images=False).status for action in actions]
        for index in range(len(rows))
    ]
    wrong = np.array(found) != golden["statuses"][rows, :20]
    tally("statuses through the original's names", wrong.sum(), wrong.size)
    assert not wrong.any()


@needs_phyre_data
def test_stable_statuses_of_the_original() -> None:
    golden = arrays("golden_solved.npz")
    for row in range(0, 2500, 100):
        simulator = phyre.initialize_simulator([str(golden["task_ids"][row])], "ball")
        simulation = simulator.simulate_action(0, golden["action"][row, :3], stable=True)
        assert simulation.status == golden["status_stable"][row]
