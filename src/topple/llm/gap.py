"""Distances between bodies: for near misses, and for contacts that were not recorded."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from topple.phyre.scene import Body, Circle

Floats = npt.NDArray[np.float64]


def body_gaps(one: Body, one_poses: Floats, two: Body, two_poses: Floats) -> Floats:
    """[states] distances between the surfaces of two bodies; 0 where they touch or overlap.

    Args:
        one: a body.
        one_poses: [states, 3 or more] its x, y and angle.
        two: another one.
        two_poses: likewise.
    """
    gaps = []
    for a_corners, a_radius in _outlines(one, one_poses):
        for b_corners, b_radius in _outlines(two, two_poses):
            apart = _polygon_gaps(a_corners, b_corners)
            inside = _inside(a_corners[:, 0], b_corners) | _inside(b_corners[:, 0], a_corners)
            gaps.append(np.where(inside, 0.0, apart - a_radius - b_radius))
    least: Floats = np.maximum(np.minimum.reduce(gaps), 0.0)
    return least


def _outlines(body: Body, poses: Floats) -> Iterator[tuple[Floats, float]]:
    """[states, corners, 2] of each part, perhaps of one corner, with a radius around it."""
    centre, angle = poses[:, None, :2], poses[:, 2]
    cosine, sine = np.cos(angle), np.sin(angle)
    turn = np.array([[cosine, sine], [-sine, cosine]]).transpose(2, 0, 1)
    for shape in body.shapes:
        if isinstance(shape, Circle):
            yield centre, shape.radius
        else:
            yield np.array(shape.vertices) @ turn + centre, 0.0


def _polygon_gaps(one: Floats, two: Floats) -> Floats:
    """[states] distances between the edges of polygons, each [states, corners, 2]."""
    if two.shape[1] == 1:
        one, two = two, one
    if one.shape[1] == 1:  # a point, which crosses nothing
        distances = _point_gap(one, two, np.roll(two, -1, axis=1))
        return np.asarray(distances.min(axis=1))
    a, b = one[:, :, None], np.roll(one, -1, axis=1)[:, :, None]
    c, d = two[:, None], np.roll(two, -1, axis=1)[:, None]
    shape = np.broadcast_shapes(a.shape, c.shape)
    pairs = (np.broadcast_to(each, shape).reshape(-1, 2) for each in (a, b, c, d))
    least: Floats = segment_gap(*pairs).reshape(len(one), -1).min(axis=1)
    return least


def _inside(points: Floats, corners: Floats) -> npt.NDArray[np.bool_]:
    """[states] whether a point is in a convex polygon with its corners counter-clockwise."""
    if corners.shape[1] < 3:
        return np.zeros(len(points), np.bool_)
    edges = np.roll(corners, -1, axis=1) - corners
    sides = _cross(edges, points[:, None] - corners)
    return np.asarray((sides >= 0).all(axis=1))


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
