"""I-PHYRE scenes as contiguous arrays, with the numbers that depend on a step's length."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from topple.iphyre.engine.scene import Params, Scene, check_params, check_scene

# The share of an overlap that is left after a second.
_BIAS_BASE = float.fromhex("0x1.d71320cdf4363p-10")


class SceneArrays(NamedTuple):
    """Arrays of all scenes, one behind the other, by the names of the engine's `SceneView`."""

    body_start: NDArray[np.int32]  # (scenes + 1,)
    joint_start: NDArray[np.int32]  # (scenes + 1,)
    ends: NDArray[np.float64]  # (bodies, 4)
    velocity: NDArray[np.float64]  # (bodies, 3) on entering
    radius: NDArray[np.float64]  # (bodies,)
    m_inv: NDArray[np.float64]  # (bodies,) 0 for static bodies
    i_inv: NDArray[np.float64]  # (bodies,)
    is_ball: NDArray[np.uint8]  # (bodies,)
    joined: NDArray[np.int32]  # (joints, 2) pins before springs
    is_spring: NDArray[np.uint8]  # (joints,)
    spring: NDArray[np.float64]  # (joints, 3) rest length, stiffness, damping in a pass


class Physics(NamedTuple):
    """Numbers that all scenes share, by the names of the engine."""

    gravity: float
    bounce: float  # of a contact
    friction: float  # of a contact
    dt: float  # s
    bias: float  # the share of an overlap that is corrected in a step


def pack(scenes: Sequence[Scene], params: Params, dt: float) -> tuple[SceneArrays, Physics]:
    """Pack scenes for steps of `dt` seconds.

    Raises:
        ValueError: as `check_scene` and `check_params`.
    """
    check_params(params)
    for number, scene in enumerate(scenes):
        check_scene(scene, f"scene {number}")
    moves = np.array([moves for scene in scenes for moves in scene.is_dynamic], dtype=np.bool_)
    inertia = [_inertia(scene, i, params) for scene in scenes for i in range(len(scene.radii))]
    mobility = 1.0 / np.array(inertia)
    joints = [(scene, pair) for scene in scenes for pair in (*scene.pins, *scene.springs)]
    springs = [k >= len(s.pins) for s in scenes for k in range(len(s.pins) + len(s.springs))]
    arrays = SceneArrays(
        body_start=_starts([len(scene.radii) for scene in scenes]),
        joint_start=_starts([len(scene.pins) + len(scene.springs) for scene in scenes]),
        ends=np.array([row for scene in scenes for row in scene.ends], float).reshape(-1, 4),
        velocity=np.array([v for scene in scenes for v in _velocities(scene)]).reshape(-1, 3),
        radius=np.array([radius for scene in scenes for radius in scene.radii], float),
        m_inv=np.where(moves, 1.0 / params.mass, 0.0),
        i_inv=np.where(moves, mobility, 0.0),
        is_ball=np.array([ball for scene in scenes for ball in scene.is_ball], np.uint8),
        joined=np.array([pair for _, pair in joints], np.int32).reshape(-1, 2),
        is_spring=np.array(springs, np.uint8),
        spring=np.array([_spring(*joint, params, dt) for joint in joints]).reshape(-1, 3),
    )
    physics = Physics(
        gravity=params.gravity,
        bounce=params.elasticity * params.elasticity,
        friction=params.friction * params.friction,
        dt=dt,
        bias=1.0 - math.pow(_BIAS_BASE, dt),
    )
    return arrays, physics


def _starts(counts: Sequence[int]) -> NDArray[np.int32]:
    return np.cumsum([0, *counts], dtype=np.int32)


def _velocities(scene: Scene) -> Sequence[tuple[float, float, float]]:
    return scene.velocities or ((0.0, 0.0, 0.0),) * len(scene.radii)


def _inertia(scene: Scene, i: int, params: Params) -> float:
    """Of a disc, or of a box around a capsule, in the order of Chipmunk's operations."""
    r = scene.radii[i]
    if scene.is_ball[i]:
        return params.mass * (0.5 * (r * r))
    x1, y1, x2, y2 = scene.ends[i]
    x, y = (x1 + x2) / 2, (y1 + y2) / 2
    ax, ay, bx, by = x1 - x, y1 - y, x2 - x, y2 - y
    if params.constant_inertia:
        ax = ay = bx = by = 0.0
    dx, dy = bx - ax, by - ay
    length = math.sqrt(dx * dx + dy * dy) + 2.0 * r
    ox, oy = ax * 0.5 + bx * 0.5, ay * 0.5 + by * 0.5
    return params.mass * ((length * length + 4.0 * r * r) / 12.0 + (ox * ox + oy * oy))


def _spring(
    scene: Scene, pair: tuple[int, int], params: Params, dt: float
) -> tuple[float, float, float]:
    """The constants of a spring; a pin has them, too, and does not read them."""
    mobility = sum(1.0 / params.mass for body in pair if scene.is_dynamic[body])
    damping = 1.0 - math.exp(-params.spring_damping * dt * mobility)
    return params.spring_rest, params.spring_stiffness, damping
