"""Images of any bodies, also of those that the engine refuses to simulate.

Features that a model predicted make bodies far outside the scene, or too small to have a
mass. The original draws what of them is visible; so do the functions here, pixel by pixel in
its order of operations, where the engine's own drawing is not to be had.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from topple.phyre.engine.native import SceneSet, draw_scenes, rotations
from topple.phyre.engine.request import SCENE_SIZE
from topple.phyre.scene import Body, Circle, Polygon, Scene, SceneError, Vec

Image = npt.NDArray[np.uint8]

_FLAT = 1e-3  # pixels; edges that rise less bound no row
_PIXELS = np.arange(SCENE_SIZE, dtype=np.float32)


def draw_bodies(bodies: Sequence[Body]) -> Image:
    """[256, 256] colour codes of bodies, later ones over earlier ones; row 0 is the bottom."""
    return _draw([body for body in bodies if _may_show(body)])


def _may_show(body: Body) -> bool:
    """Whether a pixel may show a body; padding makes many balls of no size."""
    on_a_pixel = all(value % 1 == 0.5 for value in body.position)
    return bool(body.color) and any(on_a_pixel or shape != Circle(0.0) for shape in body.shapes)


def _draw(bodies: Sequence[Body]) -> Image:
    try:
        image: Image = draw_scenes(SceneSet([Scene(tuple(bodies))]))[0]
        return image
    except SceneError:
        if len(bodies) > 1:  # most of them are sound
            middle = len(bodies) // 2
            above = _draw(bodies[middle:])
            return np.where(above, above, _draw(bodies[:middle]))
        image = np.zeros((SCENE_SIZE, SCENE_SIZE), np.uint8)
        _draw_body(image, bodies[0])
        return image


def _draw_body(image: Image, body: Body) -> None:
    (sine,), (cosine,) = (part.tolist() for part in rotations(np.array([body.angle], np.float32)))
    x, y = body.position
    for shape in body.shapes:
        if isinstance(shape, Circle):
            _draw_circle(image, body.position, shape.radius, body.color)
        else:
            corners = [
                ((u * cosine - v * sine) + x, (u * sine + v * cosine) + y)
                for u, v in shape.vertices
            ]
            _draw_polygon(image, Polygon(tuple(corners)), body.color)


@np.errstate(over="ignore")
def _draw_circle(image: Image, centre: Vec, size: float, color: int) -> None:
    # In single precision, with the middles of pixels at whole numbers.
    x, y = (np.float32(float(np.float32(value)) - 0.5) for value in centre)
    radius = np.float32(size)
    if not all(map(np.isfinite, (x, y, radius))):
        return
    first, last = int(y - radius), int(y + radius + np.float32(1))
    below = y > _PIXELS
    rows = (below & (first <= _PIXELS)) | (~below & (last >= _PIXELS))
    reach = radius * radius - (_PIXELS - y) ** 2
    # A row is drawn from its middle pixel outwards, and is empty if that is too far.
    rows &= (np.float32(int(x)) - x) ** 2 <= reach
    covered = rows[:, None] & ((_PIXELS - x)[None] ** 2 <= reach[:, None])
    image[covered] = color


def _draw_polygon(image: Image, polygon: Polygon, color: int) -> None:
    edges: dict[bool, list[tuple[Vec, Vec]]] = {True: [], False: []}  # by whether they rise
    corners = polygon.vertices
    for start, end in zip((corners[-1], *corners), corners, strict=False):
        rise = end[1] - start[1]
        if abs(rise) >= _FLAT:
            edges[rise > 0].append((start, end) if rise > 0 else (end, start))
    if not edges[True] or not edges[False]:
        return
    for side in edges.values():
        side.sort(key=lambda edge: edge[0][1])
    heights = [y for _, y in corners]
    for row in range(max(0, _nearest(min(heights))), min(SCENE_SIZE, _nearest(max(heights)))):
        left, right = (_nearest(_crossing(edges[rises], row + 0.5)) for rises in (False, True))
        image[row, max(left, 0) : max(right, 0)] = color


def _crossing(side: list[tuple[Vec, Vec]], height: float) -> float:
    """Where a side of a polygon crosses a height."""
    (x0, y0), (x1, y1) = next((edge for edge in side if edge[1][1] >= height), side[-1])
    along = float(np.float32((height - y0) / (y1 - y0)))
    return along * (x1 - x0) + x0


def _nearest(value: float) -> int:
    """The nearest whole number to a single-precision one, halves to even."""
    return round(float(np.float32(value)))
