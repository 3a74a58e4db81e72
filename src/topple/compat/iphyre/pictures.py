"""Pictures as pymunk and pygame draw them for the original, to within a few pixels of edges.

Places are rounded to whole pixels, blocks that stay lie over what moves, sticks and springs have
dots at their ends, and a slanted block is thinner than it should be on one of the diagonals. Marks
at contacts are left out, and thin lines are not smoothed.
"""

from __future__ import annotations

import math
from collections.abc import Collection

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw

from topple.iphyre.engine.batch import World
from topple.iphyre.pictures import BLACK, BLUE, GRAY, PURPLE, RED, SIZE, WHITE, Color

_SPOKE: Color = (44, 62, 80)  # the line that shows how far a ball has turned
_DOT = 5  # px, the radius of the ends of sticks and springs
# A spring along its length, and across it in px.
_COIL = (
    (0.0, 0),
    (0.2, 0),
    (0.25, 3),
    *((0.3 + 0.05 * k, 6 if k % 2 else -6) for k in range(8)),
    (0.7, -3),
    (0.75, 6),
    (0.8, 0),
    (1.0, 0),
)

Point = tuple[int, int]


def draw_like_pymunk(world: World, gray: Collection[int]) -> NDArray[np.uint8]:
    """(600, 600, 3) a world, in RGB.

    Args:
        world: the state to draw.
        gray: blocks that can be removed.
    """
    scene, present, poses = world.scene, world.present, world.poses().tolist()
    image = Image.new("RGB", (SIZE, SIZE), WHITE)
    pen = ImageDraw.Draw(image)
    here = [body for body, there in enumerate(present) if there]
    moving = [body for body in reversed(here) if scene.is_dynamic[body]]
    ends = world.ends().tolist()
    for body in moving + [body for body in here if not scene.is_dynamic[body]]:
        if scene.is_ball[body]:
            x, y, angle = poses[body]
            _ball(pen, x, y, angle, scene.radii[body])
        else:
            moves = scene.is_dynamic[body]
            color = BLUE if moves else GRAY if body in gray else BLACK
            _block(pen, _whole(*ends[body][:2]), _whole(*ends[body][2:]), color, scene.radii[body])
    coils = (((0.0, 0), (1.0, 0)), _COIL)
    for pairs, holds, coil in zip((scene.pins, scene.springs), world.joined(), coils, strict=True):
        for (a, b), held in zip(pairs, holds, strict=True):
            if held:
                _joint(pen, poses[a][:2], poses[b][:2], coil)
    return np.asarray(image)


def _whole(x: float, y: float) -> Point:
    """A pixel; what is far outside, or nowhere, is drawn far outside."""
    far = 10 * SIZE
    return tuple(round(min(max(v, -far), far)) if v == v else -far for v in (x, y))  # type: ignore[return-value]


def _disc(pen: ImageDraw.ImageDraw, centre: Point, radius: int, color: Color) -> None:
    (x, y), r = centre, radius
    pen.ellipse((x - r, y - r, x + r - 1, y + r - 1), fill=color)


def _ball(pen: ImageDraw.ImageDraw, x: float, y: float, angle: float, radius: float) -> None:
    centre = _whole(x, y)
    _disc(pen, centre, round(radius), RED)
    tip = _whole(x + radius * math.cos(angle), y + radius * math.sin(angle))
    pen.line((centre, tip), fill=_SPOKE, width=2 if radius > 20 else 1)


def _block(pen: ImageDraw.ImageDraw, a: Point, b: Point, color: Color, radius: float) -> None:
    dx, dy = b[0] - a[0], b[1] - a[1]
    length = math.hypot(dx, dy)
    if length == 0.0:
        return
    r = round(radius)
    upright = (r, 0) if abs(dx) < abs(dy) else (0, r)
    mirrored = round(abs(dy) / length * r), round(abs(dx) / length * r)
    for across in (upright, mirrored):
        corners = [(a, 1), (a, -1), (b, -1), (b, 1)]
        pen.polygon([(x + s * across[0], y + s * across[1]) for (x, y), s in corners], fill=color)
    _disc(pen, a, r, color)
    _disc(pen, b, r, color)


def _joint(
    pen: ImageDraw.ImageDraw,
    a: list[float],
    b: list[float],
    coil: tuple[tuple[float, int], ...],
) -> None:
    _disc(pen, _whole(*a), _DOT, PURPLE)
    _disc(pen, _whole(*b), _DOT, PURPLE)
    dx, dy = b[0] - a[0], b[1] - a[1]
    length = math.hypot(dx, dy) or 1.0
    points = [
        _whole(
            a[0] + along * dx - across * dy / length,
            a[1] + along * dy + across * dx / length,
        )
        for along, across in coil
    ]
    pen.line(points, fill=PURPLE)
