"""An upturned jar drops through a gap in a ledge. The ball on the ledge must meet it."""

from topple.phyre.authoring import Selection, lin, template
from topple.phyre.builder import H, SceneBuilder, W
from topple.phyre.tier import Tier


@template(
    "00006",
    Tier.BALL,
    Selection(solvable=True, not_trivial=True, diverse=True),
    ball_left=lin(0.2, 0.8, 20),
    bar_height=lin(0.3, 0.6, 16),
    hole_left=lin(0.2, 0.8, 20),
)
def build(s: SceneBuilder, ball_left: float, bar_height: float, hole_left: float) -> None:
    # Turned only after it is placed, so it hangs lower than 0.95.
    jar = s.dynamic.jar(0.15, center_x=0.5 * W, top=0.95 * H, angle=180)
    left_ledge = s.static.bar(hole_left, left=0, bottom=bar_height * H)
    hole_right = hole_left + 0.2
    s.skip_if(hole_right >= 1.0)
    right_ledge = s.static.bar(1.0 - hole_right, right=W, bottom=bar_height * H)
    ball = s.dynamic.ball(0.1, bottom=right_ledge.top, left=ball_left * W)
    s.skip_if(jar.left < left_ledge.right or jar.right > right_ledge.left)
    s.skip_if(left_ledge.right < ball.left + ball.width / 2 < right_ledge.left)
    s.static.bar(2.0, angle=10, left=0, bottom=-2)
    s.goal(ball, jar)
