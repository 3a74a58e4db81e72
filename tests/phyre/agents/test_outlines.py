"""Outlines of shapes, and how near they came to each other."""

from __future__ import annotations

import math

import numpy as np
import pytest

from topple.phyre.scene import Circle, Polygon

pytest.importorskip("pymunk")
from topple.phyre.agents.outlines import (
    SEEN,
    least_distance,
    outline_of,
    points_on_path,
    turned,
)
from topple.pymunk_memory import LAYOUT, SLOT, Floats

SQUARE = Polygon(((-5.0, -5.0), (5.0, -5.0), (5.0, 5.0), (-5.0, 5.0)))


def seen(*poses: tuple[float, float, float]) -> Floats:
    """What is seen of a body's row at these places and angles."""
    rows = np.zeros((len(poses), SLOT))
    for row, (x, y, angle) in zip(rows, poses, strict=True):
        row[[LAYOUT.x, LAYOUT.y]] = x, y
        row[[LAYOUT.cos, LAYOUT.sin]] = math.cos(angle), math.sin(angle)
    return rows[:, SEEN]


def test_a_circle_is_a_point_with_a_rim_and_a_polygon_has_a_skin() -> None:
    circle, square = outline_of(Circle(7.0)), outline_of(SQUARE)
    assert (circle.points.tolist(), circle.rim) == ([[0.0, 0.0]], 7.0)
    assert len(square.points) == 4
    assert 0 < square.rim < 0.1


def test_points_turn_about_the_origin() -> None:
    assert turned(np.array([2.0, 1.0]), math.pi / 2) == pytest.approx([-1.0, 2.0])
    moved = outline_of(SQUARE).moved(np.array([10.0, 0.0]), math.pi / 2)
    assert moved.points.mean(axis=0) == pytest.approx([10.0, 0.0])


def test_the_least_distance_is_that_of_the_nearest_look() -> None:
    square = points_on_path(outline_of(SQUARE).points, None)  # it does not move
    point = outline_of(Circle(1.0)).points
    for places, expected in (
        ([(20.0, 0.0, 0.0), (12.0, 3.0, 1.0), (30.0, 0.0, 0.0)], 7.0),  # to an edge
        ([(8.0, 9.0, 0.0)], 5.0),  # to a corner
    ):
        path = points_on_path(point, seen(*places))
        assert least_distance(square, path) == pytest.approx(expected)
        assert least_distance(path, square) == pytest.approx(expected)


def test_a_square_on_its_corner_is_nearer() -> None:
    still = points_on_path(outline_of(SQUARE).points, None)
    upright, turned_one = (
        points_on_path(outline_of(SQUARE).points, seen((30.0, 0.0, angle)))
        for angle in (0.0, math.pi / 4)
    )
    assert least_distance(still, upright) == pytest.approx(20.0)
    assert least_distance(still, turned_one) == pytest.approx(25.0 - 5.0 * math.sqrt(2))
