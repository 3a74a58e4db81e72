"""A ball balances on an upright bar under a low ceiling. Bring it down to the floor."""

from topple.phyre.authoring import Selection, lin, template
from topple.phyre.builder import H, SceneBuilder, W
from topple.phyre.tier import Tier


@template(
    "00017",
    Tier.BALL,
    Selection(solvable=True, not_trivial=True, diverse=True),
    ball_size=lin(0.05, 0.25, 5),
    bar_height=lin(0.2, 0.5, 5),
    bar_x=lin(0.2, 0.8, 5),
    ramp_size=lin(0.05, 0.2, 5),
)
def build(
    s: SceneBuilder, ball_size: float, bar_height: float, bar_x: float, ramp_size: float
) -> None:
    floor = s.static.bar(1.0, left=0, bottom=0)
    pole = s.dynamic.bar(bar_height, angle=90, bottom=floor.top, center_x=bar_x * W)
    ball = s.dynamic.ball(ball_size, bottom=pole.top, center_x=pole.center_x)
    s.static.bar(1.0, left=0, bottom=ball.top + 0.01 * H)
    s.static.bar(ramp_size, angle=315, left=0, bottom=floor.top)
    s.static.bar(ramp_size, angle=45, right=W, bottom=floor.top)
    s.goal(ball, floor)
