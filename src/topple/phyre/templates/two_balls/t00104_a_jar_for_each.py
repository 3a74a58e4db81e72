"""Two balls hang over a jar each. Keep them from dropping in and make them touch."""

from topple.phyre.authoring import lin, template
from topple.phyre.builder import H, SceneBuilder, W
from topple.phyre.tier import Tier


@template(
    "00104",
    Tier.TWO_BALLS,
    ball1_x=lin(0.1, 0.9, 8),
    ball1_y=lin(0.5, 0.8, 8),
    ball2_x=lin(0.1, 0.9, 8),
    ball2_y=lin(0.5, 0.8, 8),
)
def build(s: SceneBuilder, ball1_x: float, ball1_y: float, ball2_x: float, ball2_y: float) -> None:
    s.skip_if(ball2_x <= ball1_x + 0.2)
    left = s.dynamic.ball(0.1, center_x=ball1_x * W, bottom=ball1_y * H)
    right = s.dynamic.ball(0.1, center_x=ball2_x * W, bottom=ball2_y * H)
    for ball in (left, right):
        s.dynamic.jar(0.15, center_x=ball.left + ball.width / 2, bottom=0)
    s.goal(left, right)
