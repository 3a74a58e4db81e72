"""Programs that work on the original's task objects: roll-outs, edits, inputs and bytes."""

from __future__ import annotations

import copy
import json
import lzma
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import topple.compat.phyre as phyre
from support.shared_data import PHYRE, TIERS, arrays, bits, needs_phyre_data
from topple.compat.phyre.creator import constants
from topple.compat.phyre.interface.scene import ttypes as scene_if
from topple.compat.phyre.interface.shared import constants as shared_constants
from topple.compat.phyre.interface.shared import ttypes as shared_if
from topple.compat.phyre.interface.task import ttypes as task_if
from topple.phyre import load_task

TASK = "00002:017"
NOTHING = scene_if.UserInput()


@pytest.fixture
def task() -> task_if.Task:
    return phyre.loader.load_compiled_task_list([TASK])[0]


def balls(*rows: tuple[float, float, float]) -> scene_if.UserInput:
    return phyre.simulator.build_user_input(balls=rows)


def test_all_tasks_by_id_and_by_template() -> None:
    templates = phyre.loader.load_compiled_template_dict()
    assert list(map(len, templates.values())) == [100] * 50
    tiers = {template: {t.tier for t in tasks.values()} for template, tasks in templates.items()}
    assert tiers["00024"] == {"BALL"}
    assert tiers["00100"] == {"TWO_BALLS"}
    with pytest.raises(RuntimeError, match="unknown task ids: '00000:999', '01000:000'"):
        phyre.loader.load_compiled_task_dict(["00000:999", TASK, "01000:000"])


@needs_phyre_data
def test_tasks_are_those_of_the_original() -> None:
    tasks = phyre.loader.load_compiled_task_dict()
    with lzma.open(PHYRE / "tasks.jsonl.xz", "rt") as lines:
        records = list(map(json.loads, lines))
    assert len(records) == len(tasks) == 5000
    names = task_if.SpatialRelationship._VALUES_TO_NAMES
    for record in records:
        task = tasks[record["id"]]
        for key in ("bodyId1", "bodyId2", "description", "tier"):
            assert getattr(task, key) == record[key], (task.taskId, key)
        assert [names[relation] for relation in task.relationships] == ["TOUCHING"]
        assert list(map(described, task.scene.bodies)) == [
            {key: body[key] for key in described(task.scene.bodies[0])} for body in record["bodies"]
        ]


def described(body: scene_if.Body) -> dict[str, Any]:
    return {
        "bodyType": scene_if.BodyType._VALUES_TO_NAMES[body.bodyType],
        "color": shared_if.Color._VALUES_TO_NAMES[body.color],
        "shapeType": scene_if.ShapeType._VALUES_TO_NAMES[body.shapeType],
        "diameter": body.diameter,
        "position": [body.position.x, body.position.y],
        "angle": body.angle,
        "shapes": [
            {"polygon": [[v.x, v.y] for v in shape.polygon.vertices]}
            if shape.polygon
            else {"circle": shape.circle and shape.circle.radius}
            for shape in body.shapes
        ],
    }


def test_insides_of_jars_and_sticks() -> None:
    two_balls = phyre.metrics.get_task_ids_in_tier("TWO_BALLS")
    for task_id, corners in ((two_balls[0], 4), (two_balls[-1], 8), (TASK, 0)):
        shape = phyre.loader.load_compiled_task_list([task_id])[0].phantomShape
        assert (len(shape.polygon.vertices) if shape and shape.polygon else 0) == corners


def test_bytes_come_back(task: task_if.Task, tmp_path: Path) -> None:
    data = phyre.simulator.serialize(task)
    # Thrift's binary protocol: a string, field 1, of nine bytes.
    assert data[:16] == b"\x0b\x00\x01\x00\x00\x00\x09" + TASK.encode()
    assert phyre.simulator.deserialize(task_if.Task(), data) == task
    assert pickle.loads(pickle.dumps(task)) == copy.deepcopy(task) == task
    with pytest.raises(ValueError, match="these bytes hold no Task: they end too early"):
        phyre.simulator.deserialize(task_if.Task(), data[:-1])
    with pytest.raises(ValueError, match="these bytes hold no Scene: field 1 of type 11"):
        phyre.simulator.deserialize(scene_if.Scene(), data)
    placed = balls((50, 100, 10))
    phyre.util.save_user_input(placed, tmp_path / "solution")
    assert phyre.util.load_user_input(tmp_path / "solution") == placed


def test_a_roll_out_without_an_action(task: task_if.Task) -> None:
    """Dynamics models learn from what happens by itself."""
    simulation = phyre.simulator.simulate_task(task, stride=50)
    assert simulation.stepsSimulated == phyre.simulator.DEFAULT_MAX_STEPS == 1000
    assert not simulation.isSolution
    assert len(simulation.sceneList) == len(simulation.solvedStateList) == 20
    solved, covers, images, objects = phyre.simulator.magic_ponies(
        task, NOTHING, need_images=True, need_featurized_objects=True, stride=50
    )
    assert (solved, covers) == (False, False)
    assert images.shape == (20, 256, 256)
    for scene, image, features in zip(simulation.sceneList, images, objects, strict=True):
        np.testing.assert_array_equal(phyre.simulator.scene_to_raster(scene), image)
        found = phyre.simulator.scene_to_featurized_objects(scene).features
        np.testing.assert_array_equal(bits(found[0]), bits(features))
    every = phyre.simulator.simulate_scene(task.scene, steps=51)
    assert every[50] == simulation.sceneList[1]
    assert every[0].bodies[0] == task.scene.bodies[0]


def test_forms_of_a_roll_out(task: task_if.Task) -> None:
    ponies = phyre.simulator.magic_ponies
    data = phyre.simulator.serialize(task)
    plain = ponies(data, NOTHING)
    assert plain[2].shape == (0, 256, 256)
    assert plain[3].shape == (0, 3, 14)
    assert ponies(task, NOTHING, stride=-1, need_images=True)[2].shape == (0, 256, 256)
    timed = ponies(task, (None, None, None), steps=30, stride=1, with_times=True, need_images=True)
    assert len(timed) == 6
    assert timed[2].shape == (30, 256, 256)
    assert timed[4] > 0
    solved, _, images, _ = phyre.simulator.batched_magic_ponies(
        [task, data], [NOTHING, NOTHING], 2, 900, need_images=True
    )
    assert solved == (False, False)
    np.testing.assert_array_equal(*images)


@needs_phyre_data
@pytest.mark.parametrize("tier", TIERS)
def test_runs_of_the_original(tier: str) -> None:
    golden = arrays(f"golden_traj1_{tier}.npz")
    for run in range(0, len(golden["task_ids"]), 12):
        task = phyre.loader.load_compiled_task_list([str(golden["task_ids"][run])])[0]
        placed = balls(*golden["user_input"][run].tolist())
        simulation = phyre.simulator.simulate_task_with_input(task, placed, stride=1)
        assert simulation.isSolution == (golden["statuses"][run] == 1)
        assert simulation.stepsSimulated == golden["steps"][run]
        start, end = golden["solved_offset"][run : run + 2]
        assert simulation.solvedStateList == golden["solved_state"][start:end].tolist()
        poses = [
            (body.position.x, body.position.y, body.angle)
            for scene in simulation.sceneList
            for body in (*scene.bodies, *(scene.user_input_bodies or ()))
        ]
        start, end = golden["offset"][run : run + 2]
        np.testing.assert_array_equal(bits(poses), bits(golden["xya"][start:end]))


@needs_phyre_data
@pytest.mark.parametrize("tier", TIERS)
def test_observations_of_placed_balls(tier: str) -> None:
    golden = {
        key.removeprefix(f"{tier}_"): value
        for key, value in arrays("golden_observations.npz").items()
    }
    mapper = phyre.action_mappers.get_action_mapper(tier)
    ends = np.cumsum(golden["nframes"])
    for row in range(0, len(ends), 5):
        task = phyre.loader.load_compiled_task_list([str(golden["ids"][row])])[0]
        placed, fits = mapper.action_to_user_input(golden["actions"][row])
        assert fits
        solved, covers, images, _ = phyre.simulator.magic_ponies(
            task, placed, stride=120, need_images=True
        )
        assert (solved, covers) == (golden["status"][row] == 1, False)
        start = ends[row] - golden["nframes"][row]
        np.testing.assert_array_equal(images, golden["frames"][start : ends[row]])


@needs_phyre_data
@pytest.mark.parametrize("tier", TIERS)
def test_covered_bodies_of_the_original(tier: str) -> None:
    golden = arrays(f"golden_{tier}.npz")
    mapper = phyre.action_mappers.get_action_mapper(tier)
    for row in range(0, 500, 100):
        task = phyre.loader.load_compiled_task_list([str(golden["task_ids"][row])])[0]
        for action, status in zip(golden["actions"], golden["statuses"][row], strict=True):
            placed, fits = mapper.action_to_user_input(action)
            assert fits
            assert phyre.simulator.check_for_occlusions(task, placed) == (status == 0)


def test_balls_that_cover_a_body_are_left_out(task: task_if.Task) -> None:
    ball = task.scene.bodies[task.bodyId1]
    placed = balls((ball.position.x, ball.position.y, 10), (30, 240, 5))
    assert phyre.simulator.check_for_occlusions(task, placed)
    scene = phyre.simulator.add_user_input_to_scene(task.scene, placed)
    assert scene.user_input_status == scene_if.UserInputStatus.HAD_OCCLUSIONS
    assert scene.user_input_bodies is not None
    (kept,) = scene.user_input_bodies
    assert (kept.position, kept.diameter, kept.color) == (scene_if.Vector(30.0, 240.0), 10.0, 1)
    both = phyre.simulator.add_user_input_to_scene(task.scene, placed, allow_occlusions=True)
    assert len(both.user_input_bodies or ()) == 2
    assert task.scene.user_input_bodies is None
    _, covers, _, objects = phyre.simulator.magic_ponies(task, placed, need_featurized_objects=True)
    assert covers
    assert objects.shape[1] == 4
    outside = scene_if.UserInput(flattened_point_list=[3, 256])
    assert phyre.simulator.check_for_occlusions(task, outside)
    wedge = scene_if.UserInput(polygons=[scene_if.AbsoluteConvexPolygon([])])
    with pytest.raises(NotImplementedError, match="Topple simulates balls only"):
        phyre.simulator.magic_ponies(task, wedge)


def test_edited_tasks(task: task_if.Task) -> None:
    """Counterfactuals: bodies moved, turned, removed or frozen."""
    lifted = copy.deepcopy(task)
    body = lifted.scene.bodies[lifted.bodyId1]
    body.position.y += 20
    body.bodyType = scene_if.BodyType.STATIC
    lifted.scene.bodies[lifted.bodyId2].bodyType = scene_if.BodyType.DYNAMIC
    last = phyre.simulator.simulate_task(lifted).sceneList[-1]
    frozen = last.bodies[lifted.bodyId1].position
    assert (frozen.x, frozen.y) == pytest.approx((body.position.x, body.position.y))
    simulator = phyre.ActionSimulator([task, lifted], "ball", no_goals=False)
    assert simulator.task_ids == (TASK, TASK)
    assert simulator._tasks == (task, lifted)
    assert (simulator.initial_scenes[0] != simulator.initial_scenes[1]).any()
    assert simulator.goals is not None
    assert simulator.goals.tolist() == [[4, 6, 4]] * 2


def test_other_relations(task: task_if.Task) -> None:
    relations = task_if.SpatialRelationship
    simulator = phyre.ActionSimulator([task], "ball")
    action = next(
        action
        for action in simulator.build_discrete_action_space(2000)
        if simulator.simulate_single(0, action, False)[0] == phyre.SimulationStatus.SOLVED
    )
    placed, _ = simulator._get_user_input(action)
    held = phyre.simulator.simulate_task_with_input(task, placed, stride=1)
    task.relationships = [relations.TOUCHING_BRIEFLY]
    brief = phyre.simulator.simulate_task_with_input(task, placed, stride=1)
    assert brief.isSolution
    assert brief.stepsSimulated <= held.solvedStateList.index(True)
    again = phyre.ActionSimulator([task], "ball").simulate_action(0, action, stride=1)
    assert again.status is phyre.SimulationStatus.SOLVED
    assert again.images is not None
    assert len(again.images) == len(brief.sceneList)
    task.relationships = [relations.NOT_TOUCHING]
    assert phyre.simulator.simulate_task(task).isSolution
    held_to_the_end = phyre.simulator.simulate_task_with_input(task, placed, held.stepsSimulated)
    assert not held_to_the_end.isSolution
    task.relationships = [relations.NONE]
    assert not phyre.simulator.simulate_task(task, steps=10).isSolution
    task.relationships = [relations.INSIDE]
    with pytest.raises(NotImplementedError, match="asks for INSIDE; Topple simulates one relation"):
        phyre.simulator.simulate_task(task)
    task.relationships, task.bodyId2 = [relations.TOUCHING], 99
    with pytest.raises(RuntimeError, match="names bodies 5 and 99"):
        phyre.simulator.simulate_task(task)


def test_sides(task: task_if.Task) -> None:
    """A ball that falls past a bar: above it at first, below it in the end."""
    relations = task_if.SpatialRelationship
    ball = copy.deepcopy(task.scene.bodies[task.bodyId1])
    bar = next(body for body in task.scene.bodies[4:] if body.shapeType == scene_if.ShapeType.BAR)
    ball.position, ball.bodyType = scene_if.Vector(200.0, 200.0), scene_if.BodyType.DYNAMIC
    bar.position, bar.bodyType = scene_if.Vector(60.0, 100.0), scene_if.BodyType.STATIC
    task.scene.bodies[4:] = [ball, bar]
    task.bodyId1, task.bodyId2 = 4, 5
    states = {}
    for name in ("ABOVE", "BELOW", "LEFT_OF", "RIGHT_OF"):
        task.relationships = [relations._NAMES_TO_VALUES[name]]
        states[name] = phyre.simulator.simulate_task(task, 150, 1).solvedStateList
        task.bodyId1, task.bodyId2 = 5, 4
        states[name + " swapped"] = phyre.simulator.simulate_task(task, 150, 1).solvedStateList
        task.bodyId1, task.bodyId2 = 4, 5
    assert states["ABOVE"][0]
    assert not states["ABOVE"][-1]
    assert states["BELOW"] == states["ABOVE swapped"]
    assert states["BELOW"][-1]
    assert all(states["RIGHT_OF"])
    assert all(states["LEFT_OF swapped"])
    assert not any(states["LEFT_OF"] + states["RIGHT_OF swapped"])


def test_what_a_simulator_keeps_of_its_tasks() -> None:
    simulator = phyre.initialize_simulator([TASK, "00000:000"], "ball")
    first, second = simulator._tasks
    assert first == phyre.loader.load_compiled_task_list([TASK])[0]
    assert second.description == "Make sure the green ball is touching the blue ball."
    user_input, fits = simulator._get_user_input([0.2, 0.9, 0.1])
    assert fits
    status, _, _ = simulator._simulate_user_input(0, user_input, False, False, 60)
    assert status is simulator.simulate_action(0, [0.2, 0.9, 0.1]).status
    assert simulator._serialized[0] == phyre.simulator.serialize(first)


def test_scenes_without_a_goal() -> None:
    scene = load_task(TASK).scene._replace(goal=None, name="")
    simulator = phyre.ActionSimulator([scene, TASK], "ball")
    assert simulator.task_ids == ("scene 0", TASK)
    assert simulator._tasks[0].relationships == [task_if.SpatialRelationship.NONE]
    simulations = [simulator.simulate_action(task, [0.2, 0.9, 0.1]) for task in (0, 1)]
    assert simulations[0].status is phyre.SimulationStatus.NOT_SOLVED
    np.testing.assert_array_equal(simulations[0].images, simulations[1].images)


class Halves(phyre.action_mappers.SingleBallActionMapper):
    """Small balls at places of whole halves."""

    def action_to_user_input(self, action: Any) -> tuple[scene_if.UserInput, bool]:
        x, y, _ = np.round(np.asarray(action) * 2) / 2
        return super().action_to_user_input([0.1 + 0.8 * x, 0.1 + 0.8 * y, 0.0])


@pytest.mark.parametrize("stable", [False, True])
def test_mappers_of_ones_own(stable: bool) -> None:
    own = phyre.ActionSimulator([TASK], Halves())
    assert own.tier == "unknown"
    plain = phyre.initialize_simulator([TASK], "ball")
    for action in own.build_discrete_action_space(5):
        x, y, _ = np.round(action * 2) / 2
        expected = plain.simulate_action(0, [0.1 + 0.8 * x, 0.1 + 0.8 * y, 0.0], stable=stable)
        found = own.simulate_action(0, action, stable=stable)
        assert found.status is expected.status
        np.testing.assert_array_equal(found.images, expected.images)


def test_mapped_neighbours_tell_stable_from_unstable() -> None:
    class Own(phyre.action_mappers.SingleBallActionMapper):
        """The same balls, which the engine does not know."""

    plain, own = phyre.ActionSimulator([TASK], "ball"), phyre.ActionSimulator([TASK], Own())
    statuses = set()
    for action in plain.build_discrete_action_space(1500):
        expected = plain.simulate_action(0, action, need_images=False, stable=True).status
        if expected is not None and expected.is_solved() and expected not in statuses:
            statuses.add(expected)
            assert own.simulate_action(0, action, stable=True).status is expected
    assert statuses
    assert own.simulate_action(0, [0.0, 0.0, 1.0]).status is phyre.SimulationStatus.INVALID_INPUT


def test_action_mappers() -> None:
    mappers = phyre.action_mappers
    assert mappers.BallScaler.scale(1, 0.5, 1) == (255, 127.5, 32)
    mapper = mappers.get_action_mapper("two_balls")
    assert list(map(int, mapper.DIMENSION_TYPES)) == [0, 0, 1] * 2
    user_input, fits = mapper.action_to_user_input([0.2, 0.3, 0.5, 0.8, 0.9, 0.1])
    assert fits
    placed = [(ball.position.x, ball.position.y, ball.radius) for ball in user_input.balls]
    assert placed == [(51, 76, 17), (204, 229, 5)]
    together = [0.5, 0.5, 0.5] * 2
    for bad in (together, [0.0] * 6, [2.0] * 6, [float("nan")] * 6):
        assert mapper.action_to_user_input(bad) == (mappers.EMPTY_USER_INPUT, False)
    with pytest.raises(ValueError, match=r"unknown tier 'ramp'.*; ramps are not simulated"):
        mappers.get_action_mapper("ramp")
    with pytest.raises(ValueError, match="it has 6 numbers"):
        mapper.action_to_user_input([0.5] * 3)


def test_names_of_the_interface() -> None:
    assert shared_if.Color.LIGHT_RED == 7
    assert shared_if.Vector is scene_if.Vector
    assert shared_constants.USER_BODY_COLOR == shared_if.Color.RED
    assert scene_if.ShapeType._NAMES_TO_VALUES["STANDINGSTICKS"] == 4
    assert repr(scene_if.Vector(1.0, 2.0)) == "Vector(x=1.0, y=2.0)"
    assert scene_if.Body().angle == 0.0
    assert phyre.simulator.scene_if.UserInput() == NOTHING  # type: ignore[attr-defined]
    assert phyre.interface.scene.ttypes is scene_if
    assert phyre.creator.SCENE_WIDTH == constants.SCENE_WIDTH == 256
    assert constants.color_to_id("gray") == 5
    assert constants.color_to_name(4) == "purple"
    assert constants.NUM_COLORS == phyre.NUM_COLORS == 7
    assert int(constants.SolutionTier.VIRTUAL_TOOLS) == 9
    assert phyre.action_simulator.MAX_GOAL == 10
    error = shared_if.Error_message(3, "no such task")
    assert (error.errorNo, error.errorMsg) == (3, "no such task")
