"""Shelves with raised ends are scattered below a ball. Get it down to the floor between them."""

from topple.phyre.authoring import Selection, template
from topple.phyre.builder import H, SceneBuilder, W
from topple.phyre.random_state import RandomState
from topple.phyre.tier import Tier

LIP_CHANCE = 0.8  # for each end of a shelf


@template(
    "00108",
    Tier.TWO_BALLS,
    Selection(search=1000, solvable=True, needs_two_balls=True),
    seed=range(1000),
)
def build(s: SceneBuilder, seed: int) -> None:
    rng = RandomState(seed)
    center = rng.uniform(0.2, 0.8)
    ball = s.dynamic.ball(0.07, center_x=center * W, center_y=0.93 * H)
    highest = (ball.bottom - ball.height * 2) / H
    for i in range(rng.integer(6, 8)):
        # The first shelf lies right under the ball.
        x = center if i == 0 else rng.uniform(0.1, 0.9)
        scale = rng.uniform(0.15, 0.35)
        y = rng.uniform(0.05, highest)
        rng.uniform()  # drawn and not used
        shelf = s.static.bar(scale, center_x=x * W, center_y=y * H)
        rng.uniform()  # drawn and not used
        if rng.uniform() < LIP_CHANCE:
            s.static.bar(0.01, right=shelf.right, top=shelf.top + 2)
        if rng.uniform() < LIP_CHANCE:
            s.static.bar(0.01, left=shelf.left, top=shelf.top + 2)
    left_ramp = s.static.bar(0.15, angle=10, left=0, bottom=-2)
    right_ramp = s.static.bar(0.15, angle=-10, right=W, bottom=-2)
    floor = s.static.bar((right_ramp.left - left_ramp.right) / W, bottom=0, center_x=W / 2)
    s.goal(ball, floor)
