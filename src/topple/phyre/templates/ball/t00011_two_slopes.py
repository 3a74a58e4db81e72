"""Two slopes face each other. The ball must stay on the lower one and not roll off its end."""

from topple.phyre.authoring import Selection, lin, template
from topple.phyre.builder import H, SceneBuilder, W
from topple.phyre.tier import Tier


@template(
    "00011",
    Tier.BALL,
    Selection(search=1000, solvable=True, diverse=True),
    angle_left=lin(15, 30, 5),
    angle_right=lin(15, 30, 5),
    ball_x=lin(0.2, 0.8, 10),
    bar_y=lin(0.1, 0.5, 10),
    length_left=lin(0.2, 0.8, 4),
)
def build(
    s: SceneBuilder,
    angle_left: float,
    angle_right: float,
    ball_x: float,
    bar_y: float,
    length_left: float,
) -> None:
    # The two angles are named for the wrong sides; renaming them would renumber the tasks.
    right_slope = s.static.bar(1 - length_left, angle=angle_left, bottom=bar_y * H, right=1.01 * W)
    left_slope = s.static.bar(
        length_left, angle=-angle_right, bottom=(bar_y + 0.2) * H, left=-0.01 * W
    )
    ball = s.dynamic.ball(0.1, center_x=ball_x * W, bottom=0.9 * H)
    s.skip_if(ball.left < left_slope.right and left_slope.top > H * 0.9)
    s.goal(ball, right_slope)
