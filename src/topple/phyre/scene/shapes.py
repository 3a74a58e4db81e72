"""Shapes, in the frame of their body and the units of their scene."""

from __future__ import annotations

from typing import NamedTuple

Vec = tuple[float, float]  # x, y


class Circle(NamedTuple):
    """A disc around the body's origin."""

    radius: float


class Polygon(NamedTuple):
    """A strictly convex polygon."""

    vertices: tuple[Vec, ...]  # counter-clockwise in a frame with y up, 3 to 8 corners


Shape = Circle | Polygon  # what bodies are made of
