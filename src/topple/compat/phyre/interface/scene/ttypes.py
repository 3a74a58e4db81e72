"""Scenes: bodies of shapes, and what the player adds. Lengths are pixels, y points up."""

from __future__ import annotations

from dataclasses import dataclass

from topple.compat.phyre.interface.shared.ttypes import Vector as Vector
from topple.compat.phyre.interface.struct import DOUBLE, I32, Enumeration, Struct, member


class BodyType(Enumeration):
    """Whether a body moves."""

    STATIC = 1
    DYNAMIC = 2


class ShapeType(Enumeration):
    """What a body is, for object features; walls are UNDEFINED."""

    UNDEFINED = 0
    BALL = 1
    BAR = 2
    JAR = 3
    STANDINGSTICKS = 4


class UserInputStatus(Enumeration):
    """Whether what the player added covers a body."""

    UNDEFINED = 0
    NO_OCCLUSIONS = 1
    HAD_OCCLUSIONS = 2


@dataclass
class IntVector(Struct):
    """A pixel."""

    x: int = member(1, I32)
    y: int = member(2, I32)


@dataclass
class Polygon(Struct):
    """A convex polygon, counter-clockwise and relative to its body."""

    vertices: list[Vector] = member(1, [Vector])


@dataclass
class Circle(Struct):
    """A disc around the body's position."""

    radius: float = member(1, DOUBLE)


@dataclass
class Shape(Struct):
    """Either a polygon or a circle."""

    polygon: Polygon | None = member(1, Polygon)
    circle: Circle | None = member(2, Circle)


@dataclass
class Body(Struct):
    """A rigid body; the angle is in radians."""

    position: Vector = member(1, Vector)
    bodyType: int = member(2, I32)
    angle: float = member(3, DOUBLE, 0.0)
    shapes: list[Shape] = member(4, [Shape])
    color: int = member(5, I32)
    shapeType: int = member(6, I32, ShapeType.UNDEFINED)
    diameter: float = member(7, DOUBLE)


@dataclass
class AbsoluteConvexPolygon(Struct):
    """A polygon that the player places."""

    vertices: list[Vector] = member(1, [Vector])


@dataclass
class CircleWithPosition(Struct):
    """A ball that the player places."""

    position: Vector = member(1, Vector)
    radius: float = member(2, DOUBLE)


@dataclass
class UserInput(Struct):
    """All that the player places; points are x[0], y[0], x[1], y[1] and so on."""

    polygons: list[AbsoluteConvexPolygon] = member(1, [AbsoluteConvexPolygon])
    balls: list[CircleWithPosition] = member(2, [CircleWithPosition])
    flattened_point_list: list[int] = member(3, [I32])


@dataclass
class Scene(Struct):
    """Bodies of the task, then those of the player."""

    bodies: list[Body] = member(1, [Body])
    user_input_bodies: list[Body] | None = member(2, [Body])
    width: int = member(3, I32)
    height: int = member(4, I32)
    user_input_status: int = member(5, I32, UserInputStatus.UNDEFINED)


@dataclass
class Solution(Struct):
    """Pixels that the player marked."""

    points: list[IntVector] = member(1, [IntVector])


@dataclass
class Image(Struct):
    """Colour codes row by row."""

    values: list[int] = member(1, [I32])
    height: int = member(2, I32)
    width: int = member(3, I32)
