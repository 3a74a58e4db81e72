"""Scenes seen in a mirror: left and right change places."""

from __future__ import annotations

import numpy as np

from topple.phyre.action import Actions
from topple.phyre.builder import WALL_BODIES
from topple.phyre.engine.request import SCENE_SIZE
from topple.phyre.scene import Body, Circle, Scene, Shape
from topple.phyre.tier import COMPONENTS_PER_BALL

_DIGITS = 9  # of coordinates that have to agree, in pixels


def mirrored(scene: Scene) -> Scene | None:
    """The scene with left and right exchanged; None if a body is no mirror image of itself.

    Balls, bars, jars and standing sticks all are, so only their places and angles change. The
    simulation of a mirrored scene is not the mirrored simulation to the last bit.
    """
    if not all(map(_is_symmetric, scene.bodies)):
        return None
    bodies = (body if body in WALL_BODIES else _turned(body, scene.width) for body in scene.bodies)
    return scene._replace(bodies=tuple(bodies))


def mirrored_actions(actions: Actions) -> Actions:
    """[actions, 3 * balls] actions whose balls are mirrored: each centre is a whole pixel."""
    turned = actions.copy()
    pixel = np.floor(actions[:, ::COMPONENTS_PER_BALL] * (SCENE_SIZE - 1))
    # The middle of a pixel, so that rounding cannot move a ball to the next one.
    turned[:, ::COMPONENTS_PER_BALL] = (SCENE_SIZE - pixel + 0.5) / (SCENE_SIZE - 1)
    return turned


def _turned(body: Body, width: float) -> Body:
    x, y = body.position
    along, up = body.velocity
    return body._replace(
        position=(width - x, y),
        angle=-body.angle,
        velocity=(-along, up),
        angular_velocity=-body.angular_velocity,
    )


def _is_symmetric(body: Body) -> bool:
    outlines = {_outline(shape, 1) for shape in body.shapes}
    return outlines == {_outline(shape, -1) for shape in body.shapes}


def _outline(shape: Shape, side: int) -> frozenset[tuple[float, float]] | float:
    """The corners of a shape, or a disc's radius, for comparison."""
    if isinstance(shape, Circle):
        return shape.radius
    # Adding zero turns a negative zero into a positive one.
    return frozenset(
        (round(side * x, _DIGITS) + 0.0, round(y, _DIGITS) + 0.0) for x, y in shape.vertices
    )
