"""Outlines of PHYRE's shapes, and how near they came to each other on their paths."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from topple.phyre.engine.request import PIXELS_PER_METRE
from topple.phyre.scene import Circle, Shape
from topple.pymunk_memory import LAYOUT, Floats

SEEN = slice(LAYOUT.x, LAYOUT.sin + 1)  # columns of a body's row that tell where its points are

_SKIN = 0.01 * PIXELS_PER_METRE  # around polygons


class Outline(NamedTuple):
    """A shape as points with a rim around their hull; a circle is one point."""

    points: Floats  # [points, 2] pixels
    rim: float

    def moved(self, by: Floats, angle: float = 0.0) -> Outline:
        """The outline turned about the origin, then shifted."""
        cos, sin = math.cos(angle), math.sin(angle)
        return self._replace(points=self.points @ np.array([[cos, sin], [-sin, cos]]) + by)


def outline_of(shape: Shape) -> Outline:
    """The outline of a shape; polygons have a skin in PHYRE's engine."""
    if isinstance(shape, Circle):
        return Outline(np.zeros((1, 2)), shape.radius)
    return Outline(np.array(shape.vertices), _SKIN)


def turned(point: Floats, angle: float) -> Floats:
    """A point turned about the origin."""
    turned: Floats = Outline(point[None], 0.0).moved(np.zeros(2), angle).points[0]
    return turned


class Path(NamedTuple):
    """Where the points of a body were."""

    x: Floats  # [looks, points]; one look if the body does not move
    y: Floats


def points_on_path(points: Floats, rows: Floats | None) -> Path:
    """The points of a body wherever its row says that it was."""
    px, py = points.T
    if rows is None:
        return Path(px[None], py[None])
    x, y, cos, sin = (
        rows[:, column - SEEN.start, None]
        for column in (LAYOUT.x, LAYOUT.y, LAYOUT.cos, LAYOUT.sin)
    )
    return Path(cos * px - sin * py + x, cos * py + sin * px + y)


def least_distance(a: Path, b: Path) -> float:
    """The least distance of two convex polygons that do not overlap, over all looks."""
    return math.sqrt(min(_to_edges(a, b), _to_edges(b, a)))


def _to_edges(points: Path, polygon: Path) -> float:
    """The least squared distance of points to the edges of a polygon, over all looks."""
    start_x, start_y = polygon.x[:, None], polygon.y[:, None]
    x, y = points.x[:, :, None] - start_x, points.y[:, :, None] - start_y
    corners = polygon.x.shape[1]
    if corners > 1:
        following = np.arange(1, corners + 1) % corners
        edge_x, edge_y = start_x[..., following] - start_x, start_y[..., following] - start_y
        length = edge_x * edge_x + edge_y * edge_y
        length[length == 0.0] = 1.0
        along = (x * edge_x + y * edge_y) / length
        np.clip(along, 0.0, 1.0, along)
        x -= along * edge_x
        y -= along * edge_y
    return float((x * x + y * y).min())
