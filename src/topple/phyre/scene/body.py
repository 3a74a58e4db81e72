"""Bodies: what a scene is made of."""

from __future__ import annotations

from enum import IntEnum
from typing import NamedTuple

from topple.phyre.scene.shapes import Shape, Vec


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
