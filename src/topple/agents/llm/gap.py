"""How far two bodies are apart: for near misses, and for contacts nobody recorded."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence

import numpy as np
import numpy.typing as npt

from topple.scene import Body, Circle

Floats = npt.NDArray[np.float64]


def body_gap(one: Body, one_pose: Sequence[float], two: Body, two_pose: Sequence[float]) -> float:
    """The distance between the surfaces of two bodies; 0 where they touch or overlap."""
    least = math.inf
    for a_corners, a_radius in _outlines(one, one_pose):
        for b_corners, b_radius in _outlines(two, two_pose):
            least = min(least, _gap(a_corners, b_corners) - a_radius - b_radius)
    return max(0.0, least)


def _outlines(body: Body, pose: Sequence[float]) -> Iterator[tuple[Floats, float]]:
    """Each part as a polygon, perhaps of one corner, with a radius around it."""
    x, y, angle = pose[:3]
    cosine, sine = math.cos(angle), math.sin(angle)
    for shape in body.shapes:
        if isinstance(shape, Circle):
            yield np.array([[x, y]]), shape.radius
        else:
            local = np.array(shape.vertices)
            yield local @ np.array([[cosine, sine], [-sine, cosine]]) + (x, y), 0.0


def _gap(one: Floats, two: Floats) -> float:
    if _inside(one[0], two) or _inside(two[0], one):
        return 0.0
    return float(
        min(
            segment_gap(a[None], b[None], c[None], d[None])[0]
            for a, b in _edges(one)
            for c, d in _edges(two)
        )
    )


def _edges(corners: Floats) -> Iterable[tuple[Floats, Floats]]:
    return zip(corners, np.roll(corners, -1, axis=0), strict=True)


def _inside(point: Floats, corners: Floats) -> bool:
    """Whether a point is in a convex polygon with its corners counter-clockwise."""
    if len(corners) < 3:
        return False
    edges = np.roll(corners, -1, axis=0) - corners
    return bool((_cross(edges, point - corners) >= 0).all())


def segment_gap(a: Floats, b: Floats, c: Floats, d: Floats) -> Floats:
    """[n] distances between segments from a to b and from c to d, each [n, 2].

    A segment may be a point.
    """
    gaps = np.minimum.reduce(
        [_point_gap(a, c, d), _point_gap(b, c, d), _point_gap(c, a, b), _point_gap(d, a, b)]
    )
    # Segments that cross have no end near the other.
    left, right = _cross(b - a, c - a), _cross(b - a, d - a)
    above, below = _cross(d - c, a - c), _cross(d - c, b - c)
    crossing = (left * right < 0) & (above * below < 0)
    return np.where(crossing, 0.0, gaps)


def _point_gap(point: Floats, start: Floats, end: Floats) -> Floats:
    along = end - start
    length = (along * along).sum(-1)
    share = ((point - start) * along).sum(-1) / np.where(length > 0, length, 1.0)
    nearest = start + np.clip(share, 0.0, 1.0)[..., None] * along
    x, y = np.moveaxis(point - nearest, -1, 0)
    distance: Floats = np.hypot(x, y)
    return distance


def _cross(one: Floats, two: Floats) -> Floats:
    product: Floats = one[..., 0] * two[..., 1] - one[..., 1] * two[..., 0]
    return product
