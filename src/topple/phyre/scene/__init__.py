"""Scenes as pure values: shapes, bodies, goals. No IO, clock or randomness."""

from __future__ import annotations

from enum import IntEnum
from typing import NamedTuple

Vec = tuple[float, float]  # x, y


class Circle(NamedTuple):
    """A disc around the body's origin."""

    radius: float


class Polygon(NamedTuple):
    """A strictly convex polygon."""

    vertices: tuple[Vec, ...]  # counter-clockwise in a frame with y up, 3 to 8 corners


Shape = Circle | Polygon  # what bodies are made of


class Color(IntEnum):
    """PHYRE's colour codes: what a body is in the puzzle, and its value in images."""

    WHITE = 0  # background
    RED = 1  # placed by the player
    GREEN = 2  # first goal body
    BLUE = 3  # second goal body, dynamic
    PURPLE = 4  # second goal body, static
    GRAY = 5  # other dynamic bodies
    BLACK = 6  # other static bodies


class Kind(IntEnum):
    """PHYRE's shape types, as object features encode them."""

    UNDEFINED = 0  # walls and free polygons: left out of object features
    BALL = 1
    BAR = 2
    JAR = 3
    STANDING_STICKS = 4


class Body(NamedTuple):
    """A rigid body before the first step."""

    shapes: tuple[Shape, ...]
    dynamic: bool
    position: Vec  # of the body's origin, in scene units
    angle: float = 0.0  # radians, counter-clockwise with y up
    color: Color = Color.BLACK
    kind: Kind = Kind.UNDEFINED
    diameter: float = 0.0  # scene units, for object features only
    velocity: Vec = (0.0, 0.0)  # of the centre of mass, scene units per second
    angular_velocity: float = 0.0  # radians per second


PHYRE_HOLD_STEPS = 180  # three seconds at 60 steps a second


class Goal(NamedTuple):
    """Two bodies touch for a number of steps in a row."""

    first: int  # index of a body in the scene
    second: int  # index of another body, at least one of the two dynamic
    hold_steps: int = PHYRE_HOLD_STEPS


class SceneError(ValueError):
    """A scene breaks a rule; the message names the scene, the body and the rule."""


class Scene(NamedTuple):
    """Bodies in order of creation, with the goal if there is one.

    Order matters: it decides the order of contacts and so the last bits of a
    simulation. A PHYRE scene has its four walls as bodies 0 to 3.
    """

    bodies: tuple[Body, ...]
    goal: Goal | None = None
    width: float = 256.0  # scene units (PHYRE: pixels, 6 to the metre, y up)
    height: float = 256.0
    name: str = ""  # for people and error messages
