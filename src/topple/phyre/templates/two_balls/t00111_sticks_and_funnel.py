"""Two leaning pairs of sticks hold a ball each, a funnel lies between. Make the balls meet."""

from topple.phyre.authoring import Selection, lin, template
from topple.phyre.builder import H, SceneBuilder, W
from topple.phyre.tier import Tier


@template(
    "00111",
    Tier.TWO_BALLS,
    Selection(solvable=True),
    left_d=lin(0.05, 0.15, 3),
    right_d=lin(0.05, 0.15, 3),
    size=lin(0.6, 0.8, 4),
    y=lin(0.0, 0.3, 6),
)
def build(s: SceneBuilder, left_d: float, right_d: float, size: float, y: float) -> None:
    margin = left_d + right_d
    s.skip_if(size == 0.8 and margin >= 0.2)
    ground = s.static.bar(1.0, left=0, bottom=y * H)
    left = s.dynamic.standing_sticks(size, angle=-20, left=left_d * W, bottom=ground.top)
    left_ball = s.dynamic.ball(0.1, bottom=left.top, center_x=left.center_x + 20)
    right = s.dynamic.standing_sticks(size, angle=20, right=(1 - right_d) * W, bottom=ground.top)
    right_ball = s.dynamic.ball(0.1, bottom=right.top, center_x=right.center_x - 20)
    # Each side of the funnel takes its height from the sticks across.
    funnel = 0.25 / (margin / 0.2) if margin > 0.2 else 0.3
    s.static.bar(funnel, angle=-10, left=left.right, top=right.top - 20)
    s.static.bar(funnel, angle=10, right=right.left, top=left.top - 20)
    s.static.bar(0.25, angle=30, left=left.center_x - 5, bottom=ground.top)
    s.static.bar(0.25, angle=-30, right=right.center_x + 5, bottom=ground.top)
    s.static.bar(1.0, bottom=right_ball.top + 20, center_x=0.5 * W)
    s.goal(left_ball, right_ball)
