"""The jar: three quadrilaterals around an open top, as a function of its height.

Lengths are pixels of a 256-pixel scene; the origin is the centre of the floor.
"""

from __future__ import annotations

import math
from functools import cache

from topple.phyre.scene import Polygon, Vec, exact_math

SCENE_SIZE = 256
WIDTH_TO_HEIGHT = 1.0 / 1.2
FLOOR_TO_WIDTH = 0.8
# Walls grow with the logarithm of the height: 256 / 50 pixels at 0.3 of the scene.
REFERENCE_HEIGHT = 0.3 * SCENE_SIZE
# A jar's diameter runs from a lower corner to the opposite upper one.
DIAGONAL_WIDTH_TO_HEIGHT = ((1.0 - FLOOR_TO_WIDTH) / 2.0 + FLOOR_TO_WIDTH) * WIDTH_TO_HEIGHT


def jar_polygons(height: float) -> tuple[Polygon, Polygon, Polygon]:
    """The floor, the left side and the right side of a jar."""
    width = height * WIDTH_TO_HEIGHT
    log_ratio = exact_math.log(height) / exact_math.log(REFERENCE_HEIGHT)
    thickness = log_ratio * SCENE_SIZE / 50
    floor = width * FLOOR_TO_WIDTH
    overhang = (width - floor) / 2.0
    slant = math.sqrt(height * height + overhang * overhang)
    cosine, sine = overhang / slant, height / slant
    inset, rim, rise = thickness * sine, thickness / sine, thickness * cosine
    half = thickness / 2
    top = height - half
    return (
        Polygon(
            (
                (0.5 * floor, 0.5 * thickness),
                (-0.5 * floor, 0.5 * thickness),
                (-0.5 * floor, -0.5 * thickness),
                (0.5 * floor, -0.5 * thickness),
            )
        ),
        Polygon(
            (
                (-width / 2, top),
                (-floor / 2, -half),
                (-floor / 2 + inset, rise - half),
                (-width / 2 + rim, top),
            )
        ),
        Polygon(
            (
                (width / 2, top),
                (width / 2 - rim, top),
                (floor / 2 - inset, rise - half),
                (floor / 2, -half),
            )
        ),
    )


def _triangle(a: Vec, b: Vec, c: Vec) -> tuple[float, float]:
    """Height of the centroid, and the area by the lengths of the sides."""
    sides = (math.dist(a, b), math.dist(b, c), math.dist(c, a))
    half = sum(sides) / 2
    area = math.sqrt(half * (half - sides[0]) * (half - sides[1]) * (half - sides[2]))
    return (a[1] + b[1] + c[1]) / 3, area


def _merge(parts: list[tuple[float, float]]) -> tuple[float, float]:
    area = sum(part[1] for part in parts)
    return sum(part[0] * part[1] / area for part in parts), area


@cache
def jar_centre_height(height: float) -> float:
    """How far a jar's centre of mass lies above its origin, in pixels.

    PHYRE's object features give the place of a jar by this centre.
    """
    parts = []
    for polygon in jar_polygons(height):
        v = polygon.vertices
        parts.append(_merge([_triangle(v[0], v[1], v[2]), _triangle(v[0], v[3], v[2])]))
    return _merge(parts)[0]
