"""Simulations of the original's task objects, with or without input of the player."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from copy import copy
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from topple.compat.phyre import raster, simulation
from topple.compat.phyre.conversion import (
    scene_to_thrift,
    thrift_to_body,
    thrift_to_goal,
    thrift_to_scene,
)
from topple.compat.phyre.interface.scene import ttypes as scene_if
from topple.compat.phyre.interface.struct import Struct, from_bytes, to_bytes
from topple.compat.phyre.interface.task import ttypes as task_if
from topple.compat.phyre.user_input import AnyInput, placed_balls
from topple.compat.phyre.user_input import build_user_input as build_user_input
from topple.phyre.engine.balls import with_balls
from topple.phyre.engine.native import SceneSet, Simulation, rotations, simulate_batch
from topple.phyre.engine.packing import to_pixels
from topple.phyre.engine.request import DEFAULT_STRIDE, MAX_STEPS, SCENE_SIZE, Request
from topple.phyre.engine.result import FEATURE_COUNT, Outcome
from topple.phyre.features import scene_features
from topple.phyre.scene import PHYRE_HOLD_STEPS, Kind, Scene

DEFAULT_MAX_STEPS = MAX_STEPS
STEPS_FOR_SOLUTION = PHYRE_HOLD_STEPS
OBJECT_FEATURE_SIZE = FEATURE_COUNT

_Relation = task_if.SpatialRelationship
_UNKNOWN_RELATIONS = (_Relation.INSIDE, _Relation.NOT_INSIDE)
_SKIN = np.float32(0.01)  # metres that polygons reach beyond their edges
Ponies = tuple[Any, ...]  # what magic_ponies returns


def serialize(obj: Struct) -> bytes:
    """An object in Thrift's binary protocol."""
    return to_bytes(obj)


def deserialize(obj: Any, pickle: bytes) -> Any:
    """Read bytes of ``serialize`` into an empty object of the same type, and return it."""
    return from_bytes(obj, pickle)


def simulate_scene(scene: scene_if.Scene, steps: int = DEFAULT_MAX_STEPS) -> list[scene_if.Scene]:
    """The scene after each step."""
    world = Simulation(SceneSet([thrift_to_scene(scene)]))
    scenes = []
    for _ in range(steps):
        world.step()
        scenes.append(_moved(scene, world))
    return scenes


def simulate_task(
    task: task_if.Task, steps: int = DEFAULT_MAX_STEPS, stride: int = DEFAULT_STRIDE
) -> task_if.TaskSimulation:
    """Simulates a task with the bodies that its scene has, and no others.

    Args:
        task: what to simulate; bodies of the player are those in its scene.
        steps: at most so many; fewer if the task is solved before.
        stride: keep a frame after steps 0, stride, 2 * stride and so on; none if it is not
            positive.

    Raises:
        NotImplementedError: the relation of the task is none that is simulated.
        RuntimeError: the task names a body that its scene does not have.
    """
    relations = _checked_relations(task)
    packed = SceneSet([thrift_to_scene(task.scene, thrift_to_goal(task), task.taskId or "")])
    world = Simulation(packed)
    held = 0
    # Two bodies that start apart have to meet before leaving each other counts.
    looking = relations != [_Relation.NOT_TOUCHING] or not _holds(task, packed, world)
    needed = 1 if relations == [_Relation.TOUCHING_BRIEFLY] else STEPS_FOR_SOLUTION
    scenes: list[scene_if.Scene] = []
    states: list[bool] = []
    solved, step = False, 0
    while step < steps:
        world.step()
        holds = _holds(task, packed, world)
        if stride > 0 and step % stride == 0:
            scenes.append(_moved(task.scene, world))
            states.append(holds)
        held = held + 1 if holds else 0
        looking = looking or not holds
        if looking and held >= needed:
            solved = True
            break
        step += 1
    solved = solved or (not looking and held == step)
    return task_if.TaskSimulation(solved, scenes, states, step)


def simulate_task_with_input(
    task: task_if.Task,
    user_input: AnyInput,
    steps: int = DEFAULT_MAX_STEPS,
    stride: int = DEFAULT_STRIDE,
    keep_space_around_bodies: bool = True,
) -> task_if.TaskSimulation:
    """``simulate_task`` with what the player places; balls that cover a body are left out."""
    scene = add_user_input_to_scene(task.scene, user_input, keep_space_around_bodies)
    return simulate_task(replace(task, scene=scene), steps, stride)


def check_for_occlusions(
    task: task_if.Task | bytes, user_input: AnyInput, keep_space_around_bodies: bool = True
) -> bool:
    """Whether anything the player places covers a body, or lies outside the scene."""
    return placed_balls(_loaded(task).scene, user_input)[1]


def add_user_input_to_scene(
    scene: scene_if.Scene,
    user_input: AnyInput,
    keep_space_around_bodies: bool = True,
    allow_occlusions: bool = False,
) -> scene_if.Scene:
    """The scene with the balls of the player.

    Args:
        scene: what they are added to; it stays as it is.
        user_input: what the player places.
        keep_space_around_bodies: has no effect, as in the original.
        allow_occlusions: also add balls that cover a body.
    """
    balls, covers = placed_balls(scene, user_input, allow_occlusions)
    statuses = scene_if.UserInputStatus
    return replace(
        scene,
        user_input_bodies=scene_to_thrift(with_balls(Scene(()), balls)).bodies,
        user_input_status=statuses.HAD_OCCLUSIONS if covers else statuses.NO_OCCLUSIONS,
    )


def scene_to_raster(scene: scene_if.Scene) -> npt.NDArray[np.int64]:
    """[256, 256] colour codes of a scene, row 0 at the bottom."""
    listed = [*(scene.bodies or ()), *(scene.user_input_bodies or ())]
    return raster.draw_bodies([thrift_to_body(body) for body in listed]).astype(np.int64)


def scene_to_featurized_objects(scene: scene_if.Scene) -> simulation.FeaturizedObjects:
    """The object features of a scene, as one frame."""
    return simulation.FeaturizedObjects(_features(scene)[None])


def magic_ponies(
    task: task_if.Task | bytes,
    user_input: AnyInput,
    steps: int = DEFAULT_MAX_STEPS,
    stride: int = DEFAULT_STRIDE,
    keep_space_around_bodies: bool = True,
    with_times: bool = False,
    need_images: bool = False,
    need_featurized_objects: bool = False,
) -> Ponies:
    """Simulates a task with what the player places, and returns the kept frames.

    Args:
        task: the task, or its bytes.
        user_input: what the player places; an empty ``UserInput()`` adds nothing. Balls
            that cover a body are left out.
        steps: at most so many.
        stride: keep a frame after steps 0, stride, 2 * stride and so on; none if it is not
            positive.
        keep_space_around_bodies: has no effect, as in the original.
        with_times: also return the seconds spent on simulating and on packing the result.
        need_images: keep images of the frames.
        need_featurized_objects: keep object features of the frames.

    Returns:
        Whether the task was solved; whether the player's input covers a body (which the
        original tells only if frames are kept); images [frames, 256, 256]; object features
        [frames, objects, 14].
    """
    started = time.perf_counter()
    task = _loaded(task)
    scene = add_user_input_to_scene(task.scene, user_input)
    task = replace(task, scene=scene)
    if list(task.relationships) == [_Relation.TOUCHING] and steps > 0:
        solved, images, objects = _run_touching(
            task, steps, stride, need_images, need_featurized_objects
        )
    else:
        result = simulate_task(task, steps, stride)
        solved, frames = result.isSolution, result.sceneList
        images = [scene_to_raster(frame) for frame in frames] if need_images else []
        objects = [_features(frame) for frame in frames] if need_featurized_objects else []
    kinds = [body.shapeType for body in (*scene.bodies, *(scene.user_input_bodies or ()))]
    frames_kept = stride > 0 and steps > 0
    count = len(kinds) - kinds.count(Kind.UNDEFINED) if frames_kept else 0
    found = (
        bool(solved),
        frames_kept and scene.user_input_status == scene_if.UserInputStatus.HAD_OCCLUSIONS,
        np.asarray(images, np.uint8).reshape(-1, SCENE_SIZE, SCENE_SIZE),
        np.asarray(objects, np.float32).reshape(len(objects), count, FEATURE_COUNT),
    )
    return (*found, time.perf_counter() - started, 0.0) if with_times else found


def batched_magic_ponies(
    tasks: Iterable[task_if.Task | bytes],
    user_inputs: Iterable[AnyInput],
    num_workers: int,
    *keep: Any,
    **named: Any,
) -> tuple[Ponies, ...]:
    """``magic_ponies`` for pairs, as one tuple for each thing it returns."""
    pairs = zip(tasks, user_inputs, strict=False)
    return tuple(zip(*(magic_ponies(*pair, *keep, **named) for pair in pairs), strict=True))


def _loaded(task: task_if.Task | bytes) -> task_if.Task:
    return from_bytes(task_if.Task(), task) if isinstance(task, bytes) else task


def _checked_relations(task: task_if.Task) -> list[int]:
    relations = list(task.relationships)
    if len(relations) != 1 or relations[0] in _UNKNOWN_RELATIONS:
        names = [_Relation._VALUES_TO_NAMES.get(relation, str(relation)) for relation in relations]
        raise NotImplementedError(
            f"task {task.taskId} asks for {' and '.join(names)}; Topple simulates one relation at "
            "a time, and neither INSIDE nor NOT_INSIDE; its published tasks all ask for TOUCHING"
        )
    last = len(task.scene.bodies) - 1
    named = () if relations == [_Relation.NONE] else (task.bodyId1, task.bodyId2)
    if not all(0 <= body <= last for body in named):
        raise RuntimeError(
            f"task {task.taskId} names bodies {task.bodyId1} and {task.bodyId2}; its scene has "
            f"bodies 0 to {last}"
        )
    return relations


def _holds(task: task_if.Task, packed: SceneSet, world: Simulation) -> bool:
    """Whether the relation of a task holds after the last step."""
    relation = task.relationships[0]
    if relation in (_Relation.TOUCHING, _Relation.NONE):
        return relation == _Relation.TOUCHING and world.holds_goal()
    if relation in (_Relation.TOUCHING_BRIEFLY, _Relation.NOT_TOUCHING):
        pairs, _ = world.contacts()
        bodies = np.searchsorted(packed.packed.fixture_start, pairs[:, :2], "right") - 1
        wanted = sorted((task.bodyId1, task.bodyId2))
        touching = bool(((np.sort(bodies, 1) == wanted).all(1) & (pairs[:, 2] != 0)).any())
        return touching == (relation == _Relation.TOUCHING_BRIEFLY)
    poses = world.bodies()[:, :3]
    (left, bottom), (right, top) = _box(packed, task.bodyId1, poses[task.bodyId1])
    (other_left, other_bottom), (other_right, other_top) = _box(
        packed, task.bodyId2, poses[task.bodyId2]
    )
    sides = {
        _Relation.ABOVE: bottom >= other_top,
        _Relation.BELOW: top < other_bottom,
        _Relation.LEFT_OF: right < other_left,
        _Relation.RIGHT_OF: left > other_right,
    }
    return bool(sides[relation])


def _box(
    packed: SceneSet, body: int, pose: npt.NDArray[np.float32]
) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]]:
    """The lower left and the upper right corner of the box around a body, in metres."""
    arrays = packed.packed
    (sine,), (cosine,) = rotations(pose[2:])
    corners = []
    for fixture in range(*arrays.fixture_start[body : body + 2]):
        start, end = arrays.vertex_start[fixture : fixture + 2]
        if start == end:
            radius = arrays.radius_m[fixture]
            corners += [(-radius, -radius), (radius, radius)]
            continue
        x, y = arrays.vertices_m[start:end].T
        turned = np.stack([cosine * x - sine * y, sine * x + cosine * y], 1)
        # The engine adds the skin, and the original takes it away again.
        corners += [(turned.min(0) - _SKIN) + _SKIN, (turned.max(0) + _SKIN) - _SKIN]
    return np.min(corners, 0) + pose[:2], np.max(corners, 0) + pose[:2]


def _moved(scene: scene_if.Scene, world: Simulation) -> scene_if.Scene:
    """A scene with its bodies where a world has them; their shapes are shared."""
    rows = world.bodies()[:, :3]
    rows = np.column_stack([to_pixels(rows[:, :2]), rows[:, 2]]).tolist()
    poses: Iterator[list[float]] = iter(rows)

    def placed(bodies: Iterable[scene_if.Body]) -> list[scene_if.Body]:
        moved = []
        for body in bodies:
            x, y, angle = next(poses)
            body = copy(body)
            body.position, body.angle = scene_if.Vector(x, y), angle
            moved.append(body)
        return moved

    frame = copy(scene)
    frame.bodies = placed(scene.bodies)
    if scene.user_input_bodies is not None:
        frame.user_input_bodies = placed(scene.user_input_bodies)
    return frame


def _features(scene: scene_if.Scene) -> npt.NDArray[np.float32]:
    return scene_features(SceneSet([thrift_to_scene(scene)]), 0)


def _run_touching(
    task: task_if.Task, steps: int, stride: int, images: bool, objects: bool
) -> tuple[bool, Any, Any]:
    """The engine's own run, which keeps images and features itself."""
    _checked_relations(task)
    scene = thrift_to_scene(task.scene, thrift_to_goal(task), task.taskId or "")
    frames = stride > 0
    request = Request(
        max_steps=steps,
        stride=stride if frames else DEFAULT_STRIDE,
        images=images and frames,
        objects=objects and frames,
    )
    result = simulate_batch(SceneSet([scene]), [0], np.zeros((1, 0)), request, threads=1)
    count = result.frame_count[0]
    return (
        bool(result.outcome[0] == Outcome.SOLVED),
        [] if result.images is None else result.images[0, :count],
        [] if result.objects is None else result.objects[0, :count],
    )
