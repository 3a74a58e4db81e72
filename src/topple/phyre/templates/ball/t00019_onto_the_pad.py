"""Two balls fall one above the other. The upper one must come to rest on a small raised pad."""

from topple.phyre.authoring import Selection, lin, template
from topple.phyre.builder import H, SceneBuilder, W
from topple.phyre.tier import Tier


@template(
    "00019",
    Tier.BALL,
    Selection(search=1000, solvable=True, not_trivial=True, diverse=True),
    ball_x=lin(0, 1, 128),
    lower_ball_y=(0.7, 0.5),
    target_size=lin(0.1, 0.2, 2),
    target_x=lin(0, 1, 128),
)
def build(
    s: SceneBuilder, ball_x: float, lower_ball_y: float, target_size: float, target_x: float
) -> None:
    ball = s.dynamic.ball(0.1, bottom=0.9 * H, center_x=ball_x * W)
    s.dynamic.ball(0.1, bottom=lower_ball_y * H, center_x=ball_x * W)
    s.skip_if(ball.left >= W - 3)
    floor = s.static.bar(1.0, angle=0, left=0, bottom=0)
    pad = s.static.bar(target_size, bottom=floor.top, center_x=target_x * W)
    s.static.bar(0.02, angle=90, right=pad.left, bottom=pad.top)
    s.static.bar(0.02, angle=90, left=pad.right, bottom=pad.top)
    # The post on the ball's far side is there twice; a second body changes the contacts.
    if pad.left < ball.left:
        s.static.bar(0.02, angle=90, right=pad.left, bottom=pad.top)
    else:
        s.static.bar(0.02, angle=90, left=pad.right, bottom=pad.top)
    s.goal(ball, pad)
