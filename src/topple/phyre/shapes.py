"""PHYRE's shapes as functions of their scale, exact to the last bit.

Scales are fractions of the 256-pixel scene. Every product and quotient below is
written in the order that gives the published doubles; do not rearrange.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from topple.phyre.scene import Circle, Kind, Polygon, SceneError, Shape, Vec, exact_math
from topple.phyre.scene.check import polygon_fault
from topple.phyre.scene.jar import FLOOR_TO_WIDTH, SCENE_SIZE, WIDTH_TO_HEIGHT, jar_polygons

BAR_HEIGHT = SCENE_SIZE / 50  # pixels
WALL_THICKNESS = 5.0  # pixels, all of it outside the scene
STICKS_TILT = 77.5  # degrees either way


class Extent(NamedTuple):
    """How far a turned outline reaches from its origin."""

    left: float
    right: float
    bottom: float
    top: float


@dataclass(frozen=True, eq=False)
class Outline:
    """What a body is before it is placed. Compared by identity, so cheap to hash."""

    word: str  # for descriptions and error messages
    kind: Kind
    shapes: tuple[Shape, ...]
    diameter: float  # pixels
    origin: Vec = (0.0, 0.0)  # where the body's origin starts

    def __post_init__(self) -> None:
        for shape in self.shapes:
            fault = polygon_fault(shape.vertices) if isinstance(shape, Polygon) else None
            if fault:
                raise SceneError(fault)


@lru_cache(maxsize=8192)
def extent(outline: Outline, radians: float) -> Extent:
    """The box around an outline turned by an angle, relative to its origin.

    Adding the position to these four numbers gives the same doubles as taking
    the box of the placed corners, since rounding keeps order.
    """
    first = outline.shapes[0]
    if isinstance(first, Circle):
        return Extent(-first.radius, first.radius, -first.radius, first.radius)
    sine, cosine = exact_math.sin_cos(radians)
    corners = [v for shape in outline.shapes if isinstance(shape, Polygon) for v in shape.vertices]
    xs = [x * cosine - y * sine for x, y in corners]
    ys = [x * sine + y * cosine for x, y in corners]
    return Extent(min(xs), max(xs), min(ys), max(ys))


@lru_cache(maxsize=1024)
def ball(scale: float) -> Outline:
    """A disc; its radius is a whole number of pixels and a half."""
    radius = math.trunc(scale * (SCENE_SIZE / 2)) + 0.5
    return Outline("ball", Kind.BALL, (Circle(radius),), 2 * radius)


@lru_cache(maxsize=4096)
def bar(scale: float) -> Outline:
    """A flat beam as long as its scale says; it may be longer than the scene."""
    width = scale * SCENE_SIZE
    return _rectangle("bar", Kind.BAR, width, BAR_HEIGHT)


def box(width: float, height: float, origin: Vec = (0.0, 0.0)) -> Outline:
    """A rectangle in pixels; not among the published shapes but for the walls."""
    return _rectangle("box", Kind.UNDEFINED, width, height, origin)


@lru_cache(maxsize=1024)
def jar(scale: float) -> Outline:
    """An open jar that widens upwards, of a floor and two sides.

    Its origin is the centre of the floor, not of the box around it.
    """
    height = scale * SCENE_SIZE
    width = height * WIDTH_TO_HEIGHT
    floor = width * FLOOR_TO_WIDTH
    diameter = _diagonal((width - floor) / 2 + floor, height)
    return Outline("jar", Kind.JAR, jar_polygons(height), diameter)


@lru_cache(maxsize=1024)
def standing_sticks(scale: float) -> Outline:
    """Two crossed sticks that stand like an X.

    A stick reaches a third of the scale to either side of its middle, where a
    bar would reach half; the diameter is that of the bar all the same.
    """
    width = scale * SCENE_SIZE
    third_x, third_y = 1 / 3 * width, 1 / 3 * BAR_HEIGHT
    stick = ((third_x, third_y), (-third_x, third_y), (-third_x, -third_y), (third_x, -third_y))
    shapes = []
    for degrees in (-STICKS_TILT, STICKS_TILT):
        radians = degrees / 180 * math.pi
        sine, cosine = exact_math.sin_cos(radians)
        shapes.append(
            Polygon(tuple((cosine * x - sine * y, cosine * y + sine * x) for x, y in stick))
        )
    diameter = _diagonal(width, BAR_HEIGHT)
    return Outline("standingsticks", Kind.STANDING_STICKS, tuple(shapes), diameter)


def polygon(corners: Sequence[Vec]) -> Outline:
    """A free convex polygon, given where it shall lie; its origin is the centroid."""
    points = tuple((float(x), float(y)) for x, y in corners)
    fault = polygon_fault(points)
    if fault:
        raise SceneError(fault)
    doubled = x_sum = y_sum = 0.0
    for (ax, ay), (bx, by) in zip(points, points[1:] + points[:1], strict=True):
        cross = ax * by - bx * ay
        doubled += cross
        x_sum += (ax + bx) * cross
        y_sum += (ay + by) * cross
    center = (x_sum / (3 * doubled), y_sum / (3 * doubled))
    shape = Polygon(tuple((x - center[0], y - center[1]) for x, y in points))
    diameter = max(math.dist(a, b) for a in points for b in points)
    return Outline("polygon", Kind.UNDEFINED, (shape,), diameter, center)


def _rectangle(
    word: str, kind: Kind, width: float, height: float, origin: Vec = (0.0, 0.0)
) -> Outline:
    shapes = (Polygon(_corners(width, height)),)
    return Outline(word, kind, shapes, _diagonal(width, height), origin)


def _corners(width: float, height: float) -> tuple[Vec, ...]:
    """Corners of a centred box, counter-clockwise from the upper right."""
    x, y = 0.5 * width, 0.5 * height
    return ((x, y), (-x, y), (-x, -y), (x, -y))


def _diagonal(width: float, height: float) -> float:
    return math.sqrt(width * width + height * height)
