"""Four strings of small fixed balls hang across the scene. Get the ball past them to the floor."""

import math

from topple.phyre.authoring import Selection, lin, template
from topple.phyre.builder import H, SceneBuilder, W
from topple.phyre.random_state import RandomState
from topple.phyre.scene import exact_math
from topple.phyre.tier import Tier

MEAN_SLOPE = 5 / 180 * math.pi  # radians
STRINGS = 4


@template(
    "00012",
    Tier.BALL,
    Selection(search=500, solvable=True, not_trivial=True),
    seed=range(1000),
)
def build(s: SceneBuilder, seed: int) -> None:
    rng = RandomState(seed)
    ball = s.dynamic.ball(0.1, center_x=rng.uniform(0.2, 0.5) * W, center_y=0.9 * H)
    highest = (ball.bottom - ball.height * 2) / H
    pearls: list[tuple[float, float]] = []
    for i, y in enumerate(reversed(lin(0.1, highest, STRINGS))):
        string = _string(rng, y)
        # Every second string starts at the right wall.
        pearls += [(1 - x, y) for x, y in string] if i % 2 else string
    for x, y in pearls:
        if 0 <= x <= 1 and 0 <= y <= 1:
            s.static.ball(0.04, center_x=W * x, center_y=H * y)
    floor = s.static.bar(1, left=0, bottom=0)
    s.goal(ball, floor)


def _string(rng: RandomState, y: float) -> list[tuple[float, float]]:
    """Points of a wavering line that starts at the left wall, as fractions of the scene."""
    x = 0.0
    points = [(x, y)]
    for _ in range(rng.integer(3, 7)):
        step = rng.uniform(0.05, 0.17)
        slope = MEAN_SLOPE + rng.normal() * 2 * math.pi / 40
        sine, cosine = exact_math.sin_cos(slope)
        x, y = x + step * cosine, y + step * sine
        points.append((x, y))
    return points
