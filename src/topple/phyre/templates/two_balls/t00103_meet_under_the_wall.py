"""Two balls drop on either side of a hanging wall. Make them meet in the slit below it."""

from topple.phyre.authoring import Selection, lin, template
from topple.phyre.builder import H, SceneBuilder, W
from topple.phyre.tier import Tier


@template(
    "00103",
    Tier.TWO_BALLS,
    Selection(search=350, solvable=True, not_trivial=True, needs_two_balls=True, diverse=True),
    bottom=lin(0.0, 0.5, 7),
    hole_left=lin(0.1, 0.4, 7),
    hole_right=lin(0.1, 0.4, 7),
)
def build(s: SceneBuilder, bottom: float, hole_left: float, hole_right: float) -> None:
    left_ball = s.dynamic.ball(0.1, bottom=0.9 * H, center_x=hole_left * W)
    right_ball = s.dynamic.ball(0.1, bottom=0.9 * H, center_x=(1 - hole_right) * W)
    plateau = s.static.bar(1.0, left=0, top=bottom * H)
    left_stop = s.static.bar(0.1, angle=90, bottom=plateau.top, center_x=left_ball.right)
    right_stop = s.static.bar(0.1, angle=90, bottom=plateau.top, center_x=right_ball.left)
    middle = left_stop.left + (right_stop.left - left_stop.left) / 2
    s.static.bar(1.0 - bottom - 0.1, angle=90, left=middle, top=H)
    s.goal(left_ball, right_ball)
