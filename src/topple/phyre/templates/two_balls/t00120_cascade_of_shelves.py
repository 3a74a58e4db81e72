"""Shelves hang in a cascade, each under an end of an earlier one. Get the ball to the floor."""

from collections import deque

from topple.phyre.authoring import Selection, lin, template
from topple.phyre.builder import H, SceneBuilder, W
from topple.phyre.random_state import RandomState
from topple.phyre.tier import Tier

GAP_CHANCE = 0.2  # that a level has no shelf


@template(
    "00120",
    Tier.TWO_BALLS,
    Selection(search=1000, solvable=True, needs_two_balls=True),
    seed=range(1000),
)
def build(s: SceneBuilder, seed: int) -> None:
    rng = RandomState(seed)
    center = rng.uniform(0.2, 0.8) * W
    ball = s.dynamic.ball(0.07, center_x=center, center_y=0.93 * H)
    highest = (ball.bottom - ball.height * 2) / H
    ends: deque[float] = deque()  # of earlier shelves with nothing under them
    for level in reversed(lin(0.15, highest, rng.integer(6, 8))):
        if rng.uniform() < GAP_CHANCE:
            continue
        scale = rng.uniform(0.15, 0.35)
        x = ends.popleft() if ends else center
        rng.uniform()  # drawn and not used
        y = (level + rng.normal() * 0.02) * H
        rng.uniform()  # drawn and not used
        shelf = s.static.bar(scale, center_x=x, center_y=y)
        if rng.uniform() < 0.5:
            ends += (shelf.left, shelf.right)
        else:
            ends += (shelf.right, shelf.left)
        s.static.bar(0.01, right=shelf.right, top=shelf.top + 2)
        s.static.bar(0.01, left=shelf.left, top=shelf.top + 2)
    left_ramp = s.static.bar(0.15, angle=10, left=0, bottom=-2)
    right_ramp = s.static.bar(0.15, angle=-10, right=W, bottom=-2)
    floor = s.static.bar((right_ramp.left - left_ramp.right) / W, bottom=0, center_x=W / 2)
    s.goal(ball, floor)
