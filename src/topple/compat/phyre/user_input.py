"""What the player of the original places: its structure, and whether it fits a scene."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from topple.compat.phyre.conversion import thrift_to_body
from topple.compat.phyre.interface.scene import ttypes as scene_if
from topple.phyre.engine.native import rotations
from topple.phyre.engine.request import SCENE_SIZE
from topple.phyre.scene import Body, Circle, Vec

_TOLERANCE = np.float32(1e-5)  # pixels by which a ball may cover a body and still fit
_SHORT_EDGE = np.float32(1e-4)  # squared pixels

# Points, rectangles and balls, each None if there are none; or the structure of them.
AnyInput = scene_if.UserInput | Sequence[Any]
_NO_POLYGONS = (
    "the player places a polygon; Topple simulates balls only, since no published task of its "
    "tiers, BALL and TWO_BALLS, is played with ramps"
)


class Ball(NamedTuple):
    """A ball of the player, in pixels."""

    x: float
    y: float
    radius: float


def build_user_input(
    points: Any = None, rectangulars: Any = None, balls: Any = None
) -> scene_if.UserInput:
    """The structure of points [n, 2] and balls [n, 3].

    Raises:
        NotImplementedError: there are rectangles, which are not simulated.
    """
    if rectangulars is not None and np.size(rectangulars):
        raise NotImplementedError(_NO_POLYGONS)
    rows = np.asarray([] if balls is None else balls, np.float64).reshape(-1, 3).tolist()
    return scene_if.UserInput(
        flattened_point_list=np.asarray([] if points is None else points, int).ravel().tolist(),
        balls=[scene_if.CircleWithPosition(scene_if.Vector(x, y), r) for x, y, r in rows],
        polygons=[],
    )


def placed_balls(
    scene: scene_if.Scene, user_input: AnyInput, allow_occlusions: bool = False
) -> tuple[list[Ball], bool]:
    """The balls of the player that fit, and whether anything else did not."""
    listed, exact = user_input, True
    if not isinstance(listed, scene_if.UserInput):
        listed, exact = build_user_input(*listed), False
    if listed.polygons:
        raise NotImplementedError(_NO_POLYGONS)
    bodies = [thrift_to_body(body) for body in scene.bodies]
    kept, covers = [], False
    for circle in listed.balls or ():
        ball = Ball(circle.position.x, circle.position.y, circle.radius)
        single = Ball(*np.array(ball, np.float32).tolist())
        # Input in lists is checked in single precision; both kinds are simulated in it.
        hits = any(_covers(ball if exact else single, body) for body in bodies)
        covers = covers or hits
        if not hits or allow_occlusions:
            kept.append(single)
    points = np.array(listed.flattened_point_list or (), int)
    covers = covers or bool(((points < 0) | (points >= SCENE_SIZE)).any())
    return kept, covers


def _covers(ball: Ball, body: Body) -> bool:
    """Whether a ball covers a part of a body; touching is allowed."""
    (x, y), here = body.position, (ball.x, ball.y)
    (sine,), (cosine,) = (part.tolist() for part in rotations(np.array([-body.angle], np.float32)))
    dx, dy = ball.x - x, ball.y - y
    local = (dx * cosine - dy * sine, dx * sine + dy * cosine)
    for shape in body.shapes:
        if isinstance(shape, Circle):
            reach, squared = ball.radius + shape.radius, _squared(here, body.position)
        else:
            edges = list(zip((shape.vertices[-1], *shape.vertices), shape.vertices, strict=False))
            if all(_turn(start, end, local) > 0 for start, end in edges):
                return True
            reach = ball.radius
            squared = min(_squared_to_edge(start, end, local) for start, end in edges)
        if np.sqrt(squared) + _TOLERANCE < np.float32(reach):
            return True
    return False


# Comparisons are made in single precision, as the original makes them.


def _squared(a: Vec, b: Vec) -> np.float32:
    dx, dy = np.float32(a[0] - b[0]), np.float32(a[1] - b[1])
    return np.float32(dx * dx + dy * dy)


def _turn(start: Vec, end: Vec, point: Vec) -> np.float32:
    return np.float32(
        (end[0] - start[0]) * (point[1] - start[1]) - (end[1] - start[1]) * (point[0] - start[0])
    )


def _squared_to_edge(start: Vec, end: Vec, point: Vec) -> np.float32:
    along_x, along_y = end[0] - start[0], end[1] - start[1]
    projection = np.float32(along_x * (point[0] - start[0]) + along_y * (point[1] - start[1]))
    length = _squared(start, end)
    if projection < 0 or length < _SHORT_EDGE:
        return _squared(start, point)
    if projection > length:
        return _squared(end, point)
    area = np.float32(
        along_y * point[0] - along_x * point[1] + end[0] * start[1] - end[1] * start[0]
    )
    return np.float32(area * area / length)
