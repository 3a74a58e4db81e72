"""The rules a scene has to keep, with a sentence for each that is broken."""

from __future__ import annotations

import math
from collections.abc import Sequence

from topple.phyre.scene import Body, Circle, Scene, SceneError, Vec

MAX_CORNERS = 8  # of a polygon; the PHYRE engine has room for no more


def polygon_fault(corners: Sequence[Vec]) -> str | None:
    """What keeps these corners from being a strictly convex, counter-clockwise polygon."""
    count = len(corners)
    if not 3 <= count <= MAX_CORNERS:
        return f"a polygon has 3 to {MAX_CORNERS} corners, this one has {count}"
    if not all(math.isfinite(x) and math.isfinite(y) for x, y in corners):
        return "the corners of a polygon are finite numbers"
    turns = []
    turned = 0.0
    for i in range(count):
        (ax, ay), (bx, by), (cx, cy) = corners[i - 2], corners[i - 1], corners[i]
        ux, uy, vx, vy = bx - ax, by - ay, cx - bx, cy - by
        turns.append(ux * vy - uy * vx)
        turned += math.atan2(turns[-1], ux * vx + uy * vy)
    if all(turn < 0 for turn in turns):
        return "the corners of a polygon run counter-clockwise, these run clockwise"
    # A star turns left at every corner too, but more than once around.
    if any(turn <= 0 for turn in turns) or turned > 3 * math.pi:
        return "a polygon is strictly convex: every corner turns left, once around"
    return None


def goal_fault(scene: Scene) -> str | None:
    """What is wrong with the goal of a scene, if it has one."""
    if scene.goal is None:
        return None
    goal = scene.goal
    for index in (goal.first, goal.second):
        if not 0 <= index < len(scene.bodies):
            return f"there is no body {index}, the scene has bodies 0 to {len(scene.bodies) - 1}"
    if goal.first == goal.second:
        return f"body {goal.first} cannot be brought to itself, name two bodies"
    if not (scene.bodies[goal.first].dynamic or scene.bodies[goal.second].dynamic):
        return f"bodies {goal.first} and {goal.second} are both static, one has to move"
    if goal.hold_steps < 1:
        return f"the touch is held for at least one step, not {goal.hold_steps}"
    return None


def body_fault(body: Body) -> str | None:
    """What is wrong with a body by itself."""
    if not body.shapes:
        return "a body has at least one shape"
    numbers = (*body.position, body.angle, *body.velocity, body.angular_velocity, body.diameter)
    if not all(math.isfinite(number) for number in numbers):
        return "position, angle, velocities and diameter are finite numbers"
    for shape in body.shapes:
        if isinstance(shape, Circle):
            if not 0 < shape.radius < math.inf:
                return f"a radius is positive and finite, not {shape.radius}"
            continue
        fault = polygon_fault(shape.vertices)
        if fault:
            return fault
    return None


def check_scene(scene: Scene) -> None:
    """Raise a SceneError that names the scene, the body and the rule it breaks."""
    name = f"scene {scene.name!r}" if scene.name else "scene"
    for index, body in enumerate(scene.bodies):
        fault = body_fault(body)
        if fault:
            raise SceneError(f"{name}, body {index}: {fault}")
    fault = goal_fault(scene)
    if fault:
        raise SceneError(f"{name}, goal: {fault}")
