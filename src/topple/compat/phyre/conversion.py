"""Between Topple's scenes and the original's Thrift objects."""

from __future__ import annotations

from dataclasses import replace
from typing import cast

from topple.compat.phyre.interface.scene import ttypes as scene_if
from topple.compat.phyre.interface.task import ttypes as task_if
from topple.phyre.scene import Body, Circle, Color, Goal, Kind, Polygon, Scene, Shape, Vec
from topple.phyre.task import Task

TOUCHING = task_if.SpatialRelationship.TOUCHING

# Two templates describe the inside of their jar or sticks, for relations that no published
# task has: corners of the body's polygons, as (polygon, corner).
_INSIDES = {
    "00100": (Kind.JAR, ((1, 0), (1, 1), (2, 3), (2, 0))),
    "00124": (
        Kind.STANDING_STICKS,
        ((1, 1), (1, 2), (0, 3), (0, 0), (1, 3), (1, 0), (0, 1), (0, 2)),
    ),
}


def task_to_thrift(task: Task) -> task_if.Task:
    """A task of Topple as the original would load it."""
    if task.scene.goal is None:
        raise ValueError(f"task {task.id} has no goal")
    return replace(
        scene_task(task.scene, str(task.id)),
        description=task.description,
        phantomShape=_inside(task),
        tier=task.tier.name,
    )


def scene_task(scene: Scene, task_id: str) -> task_if.Task:
    """A scene of Topple as a task of the original; without a goal, it asks for nothing."""
    goal = scene.goal
    return task_if.Task(
        taskId=task_id,
        scene=scene_to_thrift(scene),
        bodyId1=-1 if goal is None else goal.first,
        bodyId2=-1 if goal is None else goal.second,
        relationships=[TOUCHING if goal else task_if.SpatialRelationship.NONE],
    )


def scene_to_thrift(scene: Scene) -> scene_if.Scene:
    """A scene of Topple with bodies of the original's type."""
    return scene_if.Scene(
        bodies=[_body_to_thrift(body) for body in scene.bodies],
        width=int(scene.width),
        height=int(scene.height),
    )


def thrift_to_scene(scene: scene_if.Scene, goal: Goal | None = None, name: str = "") -> Scene:
    """A scene of the original's type, the player's bodies last."""
    listed = [*(scene.bodies or ()), *(scene.user_input_bodies or ())]
    return Scene(
        tuple(map(thrift_to_body, listed)), goal, float(scene.width), float(scene.height), name
    )


def thrift_to_body(body: scene_if.Body) -> Body:
    """A body of the original's type; what is not set is 0, as it is there."""
    return Body(
        shapes=tuple(map(_shape, body.shapes or ())),
        dynamic=body.bodyType == scene_if.BodyType.DYNAMIC,
        position=(body.position.x, body.position.y),
        angle=body.angle or 0.0,
        # Colours of the original beyond those of Topple are drawn by their code.
        color=cast(Color, body.color or 0),
        kind=Kind(body.shapeType or 0),
        diameter=body.diameter or 0.0,
    )


def thrift_to_goal(task: task_if.Task) -> Goal | None:
    """The goal of a task that asks for a touch; None for any other relation."""
    if list(task.relationships) != [TOUCHING]:
        return None
    return Goal(task.bodyId1, task.bodyId2)


def _body_to_thrift(body: Body) -> scene_if.Body:
    return scene_if.Body(
        position=scene_if.Vector(*body.position),
        bodyType=scene_if.BodyType.DYNAMIC if body.dynamic else scene_if.BodyType.STATIC,
        angle=body.angle,
        shapes=[
            scene_if.Shape(circle=scene_if.Circle(shape.radius))
            if isinstance(shape, Circle)
            else _polygon_to_thrift(shape.vertices)
            for shape in body.shapes
        ],
        color=int(body.color),
        shapeType=int(body.kind),
        diameter=body.diameter,
    )


def _polygon_to_thrift(vertices: tuple[Vec, ...]) -> scene_if.Shape:
    return scene_if.Shape(polygon=scene_if.Polygon([scene_if.Vector(x, y) for x, y in vertices]))


def _shape(shape: scene_if.Shape) -> Shape:
    if shape.polygon is not None:
        return Polygon(tuple((v.x, v.y) for v in shape.polygon.vertices))
    if shape.circle is None:
        raise RuntimeError("a shape is neither a polygon nor a circle")
    return Circle(shape.circle.radius)


def _inside(task: Task) -> scene_if.Shape | None:
    if task.template.id not in _INSIDES:
        return None
    kind, corners = _INSIDES[task.template.id]
    body = next(body for body in task.scene.bodies if body.kind is kind)
    polygons = [shape for shape in body.shapes if isinstance(shape, Polygon)]
    return _polygon_to_thrift(tuple(polygons[shape].vertices[k] for shape, k in corners))
