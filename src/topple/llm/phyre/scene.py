"""A PHYRE scene in words: a name for every body, and a line of JSON about it.

Lengths are pixels of the 256 x 256 scene, y up; angles are degrees, counter-clockwise.
"""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from topple.phyre.scene import Body, Circle, Color, Kind, Polygon, Scene

WALLS = ("floor", "left wall", "ceiling", "right wall")  # bodies 0 to 3 of every scene
_KINDS = {Kind.BALL: "ball", Kind.BAR: "bar", Kind.JAR: "jar", Kind.STANDING_STICKS: "sticks"}

Point = list[float]


def body_names(scene: Scene) -> list[str]:
    """A name for each body, such as "green ball" or "black bar 2"; no two are alike."""
    return list(_names(tuple((body.color, body.kind) for body in scene.bodies[len(WALLS) :])))


@lru_cache(maxsize=4096)
def _names(looks: tuple[tuple[Color, Kind], ...]) -> tuple[str, ...]:
    kinds = [f"{color.name.lower()} {_KINDS.get(kind, 'block')}" for color, kind in looks]
    counts = Counter(kinds)
    numbers: Counter[str] = Counter()
    names = list(WALLS)
    for kind in kinds:
        numbers[kind] += 1
        names.append(f"{kind} {numbers[kind]}" if counts[kind] > 1 else kind)
    return tuple(names)


def scene_lines(scene: Scene, poses: npt.ArrayLike | None = None) -> str:
    """One line of JSON for each body but the walls.

    Args:
        scene: what there is.
        poses: [bodies, 3 or more] x, y and angle of each body; those before the first step
            by default.
    """
    bodies: Sequence[Body] = scene.bodies
    if poses is not None:
        rows = np.asarray(poses, np.float64)[: len(bodies)].tolist()
        bodies = [
            body._replace(position=(row[0], row[1]), angle=row[2])
            for body, row in zip(bodies, rows, strict=True)
        ]
    names = body_names(scene)
    return "\n".join(map(_line, names[len(WALLS) :], bodies[len(WALLS) :]))


@lru_cache(maxsize=1 << 16)  # most bodies of a scene stay where they are from attempt to attempt
def _line(name: str, body: Body) -> str:
    return json.dumps({"name": name, **describe(body)})


def describe(body: Body) -> dict[str, Any]:
    """What a body is and where."""
    about: dict[str, Any] = {
        "shape": _KINDS.get(body.kind, "polygon"),
        "moves": body.dynamic,
        "position": _rounded(body.position),
    }
    first = body.shapes[0]
    if isinstance(first, Circle):
        return {**about, "radius": round(first.radius, 1)}
    about["angle"] = round(math.degrees(body.angle), 1) % 360
    if body.kind is Kind.BAR:
        return {**about, **_bar(body, first)}
    if body.kind is Kind.JAR:
        return {**about, "outline": _jar_outline(body)}
    parts = [_world(body, shape.vertices) for shape in body.shapes if isinstance(shape, Polygon)]
    return {**about, "corners": parts if len(parts) > 1 else parts[0]}


def _bar(body: Body, shape: Polygon) -> dict[str, Any]:
    width = max(x for x, _ in shape.vertices)
    height = max(y for _, y in shape.vertices)
    return {
        "length": round(2 * width, 1),
        "thickness": round(2 * height, 1),
        "ends": _world(body, ((-width, 0.0), (width, 0.0))),
    }


def _jar_outline(body: Body) -> list[Point]:
    """From rim to rim around the outside; between the first and the last point it is open."""
    _, left, right = (shape for shape in body.shapes if isinstance(shape, Polygon))
    return _world(body, (left.vertices[0], left.vertices[1], right.vertices[3], right.vertices[0]))


def _world(body: Body, points: Sequence[tuple[float, float]]) -> list[Point]:
    cosine, sine = math.cos(body.angle), math.sin(body.angle)
    x0, y0 = body.position
    return [_rounded((x0 + x * cosine - y * sine, y0 + x * sine + y * cosine)) for x, y in points]


def _rounded(point: tuple[float, float]) -> Point:
    return [round(number, 1) + 0.0 for number in point]  # no minus zero


def goal_words(scene: Scene) -> str:
    """What has to be reached, in a sentence.

    Raises:
        ValueError: the scene has no goal.
    """
    if scene.goal is None:
        raise ValueError(f"scene {scene.name!r} has no goal")
    names = body_names(scene)
    target = names[scene.goal.second]
    where = " (it is fixed)" if scene.bodies[scene.goal.second].color is Color.PURPLE else ""
    return f"Make the {names[scene.goal.first]} touch the {target}{where}"
