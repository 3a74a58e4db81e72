"""A ball falls onto a floating bar. Get it past the bar and down to the floor."""

from topple.phyre.authoring import Selection, multiples, template
from topple.phyre.builder import H, SceneBuilder, W
from topple.phyre.tier import Tier


@template(
    "00002",
    Tier.BALL,
    Selection(solvable=True, not_trivial=True, diverse=True),
    obstacle_width=multiples(0.1, 1, 7),
    obstacle_x=multiples(0.1, 0, 10),
    obstacle_y=multiples(0.1, 3, 7),
)
def build(s: SceneBuilder, obstacle_width: float, obstacle_x: float, obstacle_y: float) -> None:
    s.skip_if(obstacle_x + obstacle_width > 1.0)
    left = obstacle_x * W
    obstacle = s.static.bar(obstacle_width, left=left, bottom=obstacle_y * H)
    ball = s.dynamic.ball(0.1, center_x=left + obstacle.width / 2, bottom=0.9 * H)
    floor = s.static.bar(1, left=0, bottom=0)
    s.goal(ball, floor)
