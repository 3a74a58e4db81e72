"""The scripted models: one that answers at random, and one with a rule of thumb.

The second reads the scene it is told of. On PHYRE it puts a ball over or under a goal body that
moves, on the side away from the other one first, and goes through sizes, sides and heights attempt
by attempt. In games it removes the gray blocks nearest to a ball, one a second; in further plays it
tries other orders and paces.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from itertools import islice, pairwise, product
from typing import Any

import numpy as np

from topple.llm.gap import Floats, segment_gap
from topple.llm.scripted.reading import Reading, gray_blocks, read_request, rng_of

SECONDS = 14.8  # the latest time they name
SCENE = 256.0  # px
LARGEST = 255.0  # px, the pixel of 1
_RADII = (20.0, 10.0, 28.0, 6.0)  # px
_SIDES = (0.2, 0.6, 1.0, -0.4, 1.4, 0.0)  # of half a body's width, away from the other one
_HEIGHTS = (-0.3, 0.5, 0.0, -0.7, 1.0)  # of the room above a body, or below it
_WIDEST = 40.0  # px that a body counts for
_SPACING = 1.5  # px between a ball and anything else
_PLAYS = ((1.0, "near"), (0.5, "top"), (2.0, "low"), (0.5, "near"), (1.0, "top"), (0.1, "near"))

Point = tuple[float, float]
Ball = tuple[float, float, float]  # x, y and radius, px
Edges = tuple[Floats, Floats, Floats]  # [n, 2], [n, 2] and [n]


def rand(body: Mapping[str, Any]) -> Any:
    """Any numbers; each gray block of a game stays with a chance of one half."""
    reading, rng = read_request(body), rng_of(body)
    if reading.form == "balls":
        axes: Any = rng.random((reading.balls, 3))
        if reading.cells:
            axes = (axes * reading.cells).astype(int)
        return {"balls": [dict(zip("xyr", row, strict=True)) for row in axes.tolist()]}
    if reading.form == "list":
        count = int(rng.integers(1, 4))
        return [
            {"time": round(float(rng.random() * SECONDS), 1), "index": int(rng.integers(0, 6))}
            for _ in range(count)
        ]
    blocks = gray_blocks(reading)
    if reading.form == "remove":
        chosen = blocks[int(rng.integers(0, len(blocks)))]
        return {"remove": number_of(chosen) if rng.random() < 0.1 else None}
    times: list[float | None] = [None] * reading.entries
    low = reading.now + 0.1
    for block in blocks:
        if rng.random() < 0.5 and low < SECONDS:
            times[number_of(block) - 1] = round(float(rng.uniform(low, SECONDS)), 1)
    return {"times": times}


def number_of(block: Mapping[str, Any]) -> int:
    """The number in the name of a gray block."""
    return int(str(block["name"]).rsplit(" ", 1)[1])


def heuristic(body: Mapping[str, Any]) -> Any:
    """What the rule of thumb says."""
    reading = read_request(body)
    if reading.form == "balls":
        return _place(body, reading)
    if reading.form == "list":
        return [{"time": k + 1.0, "index": k} for k in range(6)]
    blocks = gray_blocks(reading)
    pace, order = _PLAYS[(reading.number - 1) % len(_PLAYS)]
    blocks.sort(key=lambda block: _rank(block, reading, order))
    if reading.form == "remove":
        return {"remove": number_of(blocks[0]) if reading.now >= 1.0 else None}
    times: list[float | None] = [None] * reading.entries
    for place, block in enumerate(blocks, start=1):
        time = round(reading.now + place * pace, 1)
        times[number_of(block) - 1] = time if time < SECONDS else None
    return {"times": times}


def _rank(block: Mapping[str, Any], reading: Reading, order: str) -> float:
    """Smaller goes first."""
    (x1, y1), (x2, y2) = block["ends"]
    middle = ((x1 + x2) / 2, (y1 + y2) / 2)
    if order == "near":
        balls = [each["centre"] for each in reading.bodies if "centre" in each]
        return float(min(math.dist(middle, ball) for ball in balls))
    return float(middle[1] if order == "top" else -middle[1])


def _place(body: Mapping[str, Any], reading: Reading) -> Any:
    """The next placement that should fit; a random one when there are no more."""
    number = reading.number - 1 + 31 * reading.failures
    balls = next(islice(_placements(reading), number, None), None)
    if balls is None:
        return rand(body)
    numbers = [(x / LARGEST, y / LARGEST, (radius - 2) / 30) for x, y, radius in balls]
    if reading.cells:
        rows = [
            [
                min(int(share * count), count - 1)
                for share, count in zip(row, reading.cells, strict=True)
            ]
            for row in numbers
        ]
        return {"balls": [dict(zip("xyr", row, strict=True)) for row in rows]}
    rounded = [[round(share, 4) for share in row] for row in numbers]
    note = f"placement {number + 1} of the rule of thumb"
    return {"balls": [dict(zip("xyr", row, strict=True)) for row in rounded], "note": note}


def _placements(reading: Reading) -> Iterator[list[Ball]]:
    """Placements that should fit, best first; with two balls, one for each goal body."""
    named = {body["name"]: body for body in reading.bodies}
    first, second = (named[name] for name in reading.goal)
    edges = _edges(reading)
    movers = [(first, second)] + ([(second, first)] if second["moves"] else [])
    for radius, height, side in product(_RADII, _HEIGHTS, _SIDES):
        if reading.balls == 1:
            for mover, other in movers:
                ball = _beside(mover, other, radius, height, side)
                if _fits(ball, edges):
                    yield [ball]
            continue
        one = _beside(first, second, radius, height, side)
        two = _beside(second, first, radius, height, side)
        apart = math.dist(one[:2], two[:2]) >= 2 * radius + _SPACING
        if apart and _fits(one, edges) and _fits(two, edges):
            yield [one, two]


def _beside(
    body: Mapping[str, Any], other: Mapping[str, Any], radius: float, height: float, side: float
) -> Ball:
    """A ball over or under a body, a little to the side away from the other."""
    points = _points(body)
    reach = body.get("radius", 0.0)
    left, right = min(x for x, _ in points) - reach, max(x for x, _ in points) + reach
    away = -1.0 if other["position"][0] > body["position"][0] else 1.0
    x = (left + right) / 2 + away * side * min(right - left, _WIDEST) / 2
    x = min(max(x, radius + 1), SCENE - radius - 2)
    if height >= 0:
        low = max(y for _, y in points) + reach + radius + _SPACING
        return x, low + height * max(SCENE - radius - 2 - low, 0.0), radius
    high = min(y for _, y in points) - reach - radius - _SPACING
    return x, high + height * max(high - radius - 2, 0.0), radius


def _fits(ball: Ball, edges: Edges) -> bool:
    """Whether a ball seems to fit, by what the scene says."""
    x, y, radius = ball
    if not radius < y < SCENE - radius - 1:
        return False
    starts, ends, reach = edges
    here = np.broadcast_to(np.array([x, y]), starts.shape)
    return bool((segment_gap(here, here, starts, ends) - reach >= radius + _SPACING).all())


def _edges(reading: Reading) -> Edges:
    """Lines around, or through, all bodies: where they start, where they end, how thick."""
    starts: list[Point] = []
    ends: list[Point] = []
    reach: list[float] = []
    for body in reading.bodies:
        points = _points(body)
        lines = list(pairwise(points)) or [(points[0], points[0])]
        starts += [start for start, _ in lines]
        ends += [end for _, end in lines]
        reach += [body.get("radius", body.get("thickness", 0.0) / 2)] * len(lines)
    return np.array(starts), np.array(ends), np.array(reach)


def _points(body: Mapping[str, Any]) -> list[Point]:
    """The corners of a line around, or through, a body."""
    for name in ("ends", "outline"):
        if name in body:
            return [(x, y) for x, y in body[name]]
    if "corners" in body:
        parts = body["corners"]
        parts = parts if isinstance(parts[0][0], list) else [parts]
        return [(x, y) for part in parts for x, y in (*part, part[0])]
    return [(body["position"][0], body["position"][1])]
