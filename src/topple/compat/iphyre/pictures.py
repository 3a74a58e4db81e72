"""Pictures as pymunk and pygame draw them for the original, to within a few pixels of edges.

Places are rounded to whole pixels, blocks that stay lie over what moves, sticks and springs have
dots at their ends, contacts are marked, and a slanted block is thinner than it should be on one of
the diagonals.
"""

from __future__ import annotations

import math
from collections.abc import Collection
from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw

from topple.iphyre.engine.batch import World
from topple.iphyre.pictures import BLACK, BLUE, GRAY, PURPLE, RED, SIZE, WHITE, Color

_SPOKE: Color = (44, 62, 80)  # the line that shows how far a ball has turned
_MARK: Color = (231, 76, 60)  # the short lines across contacts
_REACH = 2.0  # px by which they go beyond the two surfaces
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
    here = [body for body, there in enumerate(present) if there]
    moving = [body for body in reversed(here) if scene.is_dynamic[body]]
    ends = world.ends().tolist()
    for body in moving + [body for body in here if not scene.is_dynamic[body]]:
        if scene.is_ball[body]:
            x, y, angle = poses[body]
            _ball(image, x, y, angle, scene.radii[body])
        else:
            moves = scene.is_dynamic[body]
            color = BLUE if moves else GRAY if body in gray else BLACK
            _block(
                image, _whole(*ends[body][:2]), _whole(*ends[body][2:]), color, scene.radii[body]
            )
    coils = (((0.0, 0), (1.0, 0)), _COIL)
    for pairs, holds, coil in zip((scene.pins, scene.springs), world.joined(), coils, strict=True):
        for (a, b), held in zip(pairs, holds, strict=True):
            if held:
                _joint(image, poses[a][:2], poses[b][:2], coil)
    for ax, ay, bx, by, nx, ny in world.contacts().tolist():
        start = _whole(ax - _REACH * nx, ay - _REACH * ny)
        _smooth_line(image, start, _whole(bx + _REACH * nx, by + _REACH * ny), _MARK)
    return np.asarray(image)


def _whole(x: float, y: float) -> Point:
    """A pixel; what is far outside, or nowhere, is drawn far outside."""
    far = 10 * SIZE
    return tuple(round(min(max(v, -far), far)) if v == v else -far for v in (x, y))  # type: ignore[return-value]


@cache
def _disc_mask(radius: int) -> Image.Image:
    """The pixels of a disc, by the midpoint algorithm."""
    mask = np.zeros((2 * radius, 2 * radius), np.bool_)
    error, x, y = 1 - radius, 0, radius
    while x < y:
        if error >= 0:
            y -= 1
            error -= 2 * y
        x += 1
        error += 2 * x + 1
        for wide, high in ((x, y), (y, x)):
            mask[radius - high : radius + high, radius - wide : radius + wide] = True
    return Image.fromarray(mask)


def _disc(image: Image.Image, centre: Point, radius: int, color: Color) -> None:
    image.paste(color, (centre[0] - radius, centre[1] - radius), _disc_mask(radius))


def _smooth_line(image: Image.Image, a: Point, b: Point, color: Color) -> None:
    """A line of one pixel; where it passes between two, both get their share of its colour."""
    pixels = image.load()
    assert pixels is not None
    steep = abs(b[0] - a[0]) < abs(b[1] - a[1])
    (along, across), (end, beyond) = sorted((p[::-1] if steep else p) for p in (a, b))
    slope = (beyond - across) / (end - along) if end > along else 0.0
    for step in range(end - along + 1):
        place = across + slope * step
        for side, share in ((0, 1 - place % 1), (1, place % 1)):
            x, y = along + step, math.floor(place) + side
            if steep:
                x, y = y, x
            if share and 0 <= x < SIZE and 0 <= y < SIZE:
                under: Any = pixels[x, y]
                mixed = (
                    int(c * share + u * (1 - share)) for c, u in zip(color, under, strict=True)
                )
                pixels[x, y] = tuple(mixed)


def _ball(image: Image.Image, x: float, y: float, angle: float, radius: float) -> None:
    centre = _whole(x, y)
    _disc(image, centre, round(radius), RED)
    tip = _whole(x + radius * math.cos(angle), y + radius * math.sin(angle))
    ImageDraw.Draw(image).line((centre, tip), fill=_SPOKE, width=2 if radius > 20 else 1)


def _block(image: Image.Image, a: Point, b: Point, color: Color, radius: float) -> None:
    dx, dy = b[0] - a[0], b[1] - a[1]
    length = math.hypot(dx, dy)
    if length == 0.0:
        return
    r, pen = round(radius), ImageDraw.Draw(image)
    upright = (r, 0) if abs(dx) < abs(dy) else (0, r)
    mirrored = round(abs(dy) / length * r), round(abs(dx) / length * r)
    for across in (upright, mirrored):
        corners = [(a, 1), (a, -1), (b, -1), (b, 1)]
        pen.polygon([(x + s * across[0], y + s * across[1]) for (x, y), s in corners], fill=color)
    _disc(image, a, r, color)
    _disc(image, b, r, color)


def _joint(
    image: Image.Image,
    a: list[float],
    b: list[float],
    coil: tuple[tuple[float, int], ...],
) -> None:
    _disc(image, _whole(*a), _DOT, PURPLE)
    _disc(image, _whole(*b), _DOT, PURPLE)
    dx, dy = b[0] - a[0], b[1] - a[1]
    length = math.hypot(dx, dy) or 1.0
    points = [
        _whole(
            a[0] + along * dx - across * dy / length,
            a[1] + along * dy + across * dx / length,
        )
        for along, across in coil
    ]
    for start, stop in pairwise(points):
        _smooth_line(image, start, stop, PURPLE)
