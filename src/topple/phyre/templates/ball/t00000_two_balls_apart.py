"""Two balls hang side by side in the air. Bring them together."""

from topple.phyre.authoring import Selection, lin, template
from topple.phyre.builder import H, SceneBuilder, W
from topple.phyre.tier import Tier


@template(
    "00000",
    Tier.BALL,
    Selection(solvable=True),
    ball1_r=lin(0.06, 0.12, 3),
    ball1_x=lin(0.05, 0.95, 19),
    ball2_r=lin(0.06, 0.12, 3),
    ball2_x=lin(0.05, 0.95, 19),
    height=lin(0.2, 0.8, 5),
)
def build(
    s: SceneBuilder, ball1_r: float, ball1_x: float, ball2_r: float, ball2_x: float, height: float
) -> None:
    s.skip_if(ball2_x <= ball1_x)
    one = s.dynamic.ball(ball1_r, bottom=height * H, center_x=ball1_x * W)
    other = s.dynamic.ball(ball2_r, bottom=height * H, center_x=ball2_x * W)
    s.skip_if(other.left - one.right < max(ball1_r, ball2_r) * W)
    s.skip_if(one.left <= 0)
    s.skip_if(other.right >= W - 1)
    s.goal(one, other)
