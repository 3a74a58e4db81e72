"""Scenes as contiguous arrays: the only place where pixels become metres."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, fields
from itertools import accumulate, chain
from typing import Any

import numpy as np
import numpy.typing as npt

from topple.phyre.engine.request import PIXELS_PER_METRE, SCENE_SIZE
from topple.phyre.scene import Body, Circle, Kind, Scene, SceneError, Shape
from topple.phyre.scene.check import goal_fault
from topple.phyre.scene.jar import DIAGONAL_WIDTH_TO_HEIGHT, jar_centre_height
from topple.threads import MAX_COUNT

FloatArray = npt.NDArray[np.float64]
Float32Array = npt.NDArray[np.float32]
Int32Array = npt.NDArray[np.int32]
ByteArray = npt.NDArray[np.uint8]

_MIN_JAR_DIAMETER = 2.0  # pixels; the thickness of smaller ones has no meaning


@dataclass(frozen=True, slots=True, eq=False)
class PackedScenes:
    """Scenes in arrays; bodies, fixtures and vertices of all scenes follow each other."""

    names: tuple[str, ...]
    body_start: Int32Array  # [scenes + 1]
    fixture_start: Int32Array  # [bodies + 1]
    vertex_start: Int32Array  # [fixtures + 1]; a fixture without vertices is a circle
    goals: Int32Array  # [scenes, 3] first, second, hold_steps; first is -1 without a goal
    dynamic: ByteArray  # [bodies]
    color: ByteArray  # [bodies]
    kind: ByteArray  # [bodies]
    diameter: Float32Array  # [bodies] pixels
    feature_offset: FloatArray  # [bodies] pixels from a jar's origin to its centre of mass
    pose_px: FloatArray  # [bodies, 3] x, y, angle
    pose_m: Float32Array  # [bodies, 3]
    velocity: Float32Array  # [bodies, 3] metres and radians per second
    radius_px: FloatArray  # [fixtures]; 0 for polygons
    radius_m: Float32Array  # [fixtures]
    vertices_px: FloatArray  # [vertices, 2]
    vertices_m: Float32Array  # [vertices, 2]

    def __post_init__(self) -> None:
        # They were checked once; results and devices rely on them ever after.
        for array in self.arrays().values():
            array.setflags(write=False)

    def __reduce__(self) -> tuple[Any, ...]:
        # NumPy forgets the flag in copies and pickles; __init__ sets it again.
        return PackedScenes, (self.names, *self.arrays().values())

    def __len__(self) -> int:
        return len(self.names)

    def arrays(self) -> dict[str, npt.NDArray[Any]]:
        """The arrays by name, in the engine's order."""
        named = {field.name: getattr(self, field.name) for field in fields(self)}
        del named["names"]
        return named

    def body_counts(self) -> Int32Array:
        """Bodies of each scene."""
        return np.diff(self.body_start)

    def object_counts(self) -> Int32Array:
        """Bodies of a known kind in each scene, those that have object features."""
        known = np.concatenate([[0], np.cumsum(self.kind != Kind.UNDEFINED)])
        counts: Int32Array = np.diff(known[self.body_start]).astype(np.int32)
        return counts


def to_metres(pixels: FloatArray) -> Float32Array:
    """Pixels to metres as the original does it: to float32, then a float32 division."""
    metres: Float32Array = pixels.astype(np.float32) / np.float32(PIXELS_PER_METRE)
    return metres


def motion_to_metres(rows: FloatArray) -> Float32Array:
    """[rows, 3] poses or velocities: two lengths in pixels, and an angle that stays."""
    metres = to_metres(rows)
    metres[:, 2] = rows[:, 2].astype(np.float32)
    return metres


def to_pixels(metres: Float32Array) -> Float32Array:
    """Metres to pixels as the original does it: a float32 product."""
    pixels: Float32Array = metres * np.float32(PIXELS_PER_METRE)
    return pixels


def offsets(lengths: Sequence[int]) -> Int32Array:
    """[rows + 1] where rows of these lengths begin, and the end of the last one."""
    return np.array([0, *accumulate(lengths)], dtype=np.int32)


def pack_shapes(shapes: Sequence[Shape]) -> tuple[Int32Array, FloatArray, FloatArray]:
    """[shapes + 1] where vertices begin, [shapes] radii, 0 of polygons, and [vertices, 2]."""
    corners = [() if isinstance(shape, Circle) else shape.vertices for shape in shapes]
    radius = [shape.radius if isinstance(shape, Circle) else 0.0 for shape in shapes]
    vertices = np.array(list(chain.from_iterable(corners)), dtype=np.float64).reshape(-1, 2)
    return offsets([len(points) for points in corners]), np.array(radius, np.float64), vertices


def _feature_offset(body: Body) -> float:
    if body.kind != Kind.JAR:
        return 0.0
    # The original recovers the height from the diameter, in float32 up to the root.
    # A product, since NumPy 1 raises a float32 to the power of a Python integer in float64.
    diameter = np.float32(body.diameter)
    squared = diameter * diameter / np.float32(1 + DIAGONAL_WIDTH_TO_HEIGHT**2)
    return jar_centre_height(math.sqrt(squared))


def _check_structure(scene: Scene, index: int) -> None:
    """Refuses what arrays cannot express; the engine checks the rest."""
    name = scene.name or f"scene {index}"
    if (scene.width, scene.height) != (SCENE_SIZE, SCENE_SIZE):
        raise SceneError(
            f"{name} is {scene.width} x {scene.height}; scenes are {SCENE_SIZE} x {SCENE_SIZE}"
        )
    goal = goal_fault(scene)
    if goal is None and scene.goal is not None and scene.goal.hold_steps > MAX_COUNT:
        goal = f"the touch is held for at most {MAX_COUNT} steps, not {scene.goal.hold_steps}"
    if goal is not None:
        raise SceneError(f"{name}, goal: {goal}")
    for number, body in enumerate(scene.bodies):
        if len(body.position) != 2 or len(body.velocity) != 2:
            raise SceneError(f"{name}, body {number}: position and velocity are pairs of numbers")
        if not math.isfinite(body.diameter) or (
            body.kind == Kind.JAR and body.diameter < _MIN_JAR_DIAMETER
        ):
            raise SceneError(
                f"{name}, body {number}: the diameter is finite, and that of a jar at least "
                f"{_MIN_JAR_DIAMETER:g}, not {body.diameter}"
            )
        for shape in body.shapes:
            if isinstance(shape, Circle):
                continue
            if len(shape.vertices) < 3:
                raise SceneError(
                    f"{name}, body {number}: a polygon needs at least 3 vertices, "
                    f"this one has {len(shape.vertices)}"
                )
            if any(len(vertex) != 2 for vertex in shape.vertices):
                raise SceneError(f"{name}, body {number}: vertices are pairs of numbers")


# What is too large for float32 becomes infinite, and the engine refuses it.
@np.errstate(over="ignore")
def pack(scenes: Sequence[Scene]) -> PackedScenes:
    """Packs scenes for the engine.

    Raises:
        SceneError: if a scene has another size than 256 x 256, a goal that names no two
            bodies, or a body whose numbers fit no array.
    """
    for index, scene in enumerate(scenes):
        _check_structure(scene, index)
    bodies = list(chain.from_iterable(scene.bodies for scene in scenes))
    shapes = list(chain.from_iterable(body.shapes for body in bodies))
    vertex_start, radius_px, vertices_px = pack_shapes(shapes)
    pose_px = np.array([(*body.position, body.angle) for body in bodies], dtype=np.float64)
    pose_px = pose_px.reshape(-1, 3)
    velocity = [(*body.velocity, body.angular_velocity) for body in bodies]
    no_goal = (-1, -1, 0)
    return PackedScenes(
        names=tuple(scene.name or f"scene {i}" for i, scene in enumerate(scenes)),
        body_start=offsets([len(scene.bodies) for scene in scenes]),
        fixture_start=offsets([len(body.shapes) for body in bodies]),
        vertex_start=vertex_start,
        goals=np.array([scene.goal or no_goal for scene in scenes], dtype=np.int32).reshape(-1, 3),
        dynamic=np.array([body.dynamic for body in bodies], dtype=np.uint8),
        color=np.array([body.color for body in bodies], dtype=np.uint8),
        kind=np.array([body.kind for body in bodies], dtype=np.uint8),
        diameter=np.array([body.diameter for body in bodies], dtype=np.float32),
        feature_offset=np.array([_feature_offset(body) for body in bodies], dtype=np.float64),
        pose_px=pose_px,
        pose_m=motion_to_metres(pose_px),
        velocity=motion_to_metres(np.array(velocity, dtype=np.float64).reshape(-1, 3)),
        radius_px=radius_px,
        radius_m=to_metres(radius_px),
        vertices_px=vertices_px,
        vertices_m=to_metres(vertices_px),
    )
