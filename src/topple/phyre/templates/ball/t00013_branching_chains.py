"""Two branching chains of fixed balls fill the scene. Get the ball through them to the floor."""

import math

from topple.phyre.authoring import Selection, template
from topple.phyre.builder import H, SceneBuilder, W
from topple.phyre.random_state import RandomState
from topple.phyre.scene import exact_math
from topple.phyre.tier import Tier

BRANCH_CHANCE = 0.2  # at each point once a branch has three


@template(
    "00013",
    Tier.BALL,
    Selection(search=300, solvable=True, not_trivial=True, diverse=True),
    seed=range(300),
)
def build(s: SceneBuilder, seed: int) -> None:
    rng = RandomState(seed)
    ball = s.dynamic.ball(0.1, center_x=rng.uniform(0.4, 0.6) * W, center_y=0.9 * H)
    highest = (ball.bottom - ball.height * 2) / H
    for x, y in (*_chain(rng, 0.7, 0.5, highest), *_chain(rng, 0.2, 0.5, highest)):
        if 0 <= x <= 1 and 0 <= y <= 1:
            s.static.ball(0.05, center_x=W * x, center_y=H * y)
    floor = s.static.bar(1, left=0, bottom=0)
    s.goal(ball, floor)


def _chain(rng: RandomState, x: float, y: float, highest: float) -> list[tuple[float, float]]:
    """Points of a curling, branching line, as fractions of the scene.

    A branch starts by repeating a point, so some balls lie on top of each other.
    """
    heading, curl = _direction(rng)
    points = [(x, y)]
    length, inside = 1, 0
    wanted = rng.integer(15, 29)
    while inside < wanted:
        if length >= 3 and rng.uniform() < BRANCH_CHANCE:
            x, y = points[rng.integer(0, len(points) - 1)]
            length = 1
            heading, curl = _direction(rng)
        else:
            length += 1
            step = rng.uniform(0.05, 0.2)
            heading += curl
            sine, cosine = exact_math.sin_cos(heading)
            x, y = points[-1][0] + step * cosine, points[-1][1] + step * sine
        if y >= highest:
            continue
        points.append((x, y))
        if 0 < x < 1 and 0 < y < 1:
            inside += 1
    return points


def _direction(rng: RandomState) -> tuple[float, float]:
    """A heading and how much it turns at each point, in radians."""
    return rng.uniform() * 2 * math.pi, rng.uniform() * 2 * math.pi / 10
