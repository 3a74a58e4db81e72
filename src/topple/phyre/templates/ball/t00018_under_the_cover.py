"""A ball sits under an upturned jar on a ledge. It must get to the ball in the jar below."""

from topple.phyre.authoring import Selection, lin, template
from topple.phyre.builder import H, SceneBuilder, W
from topple.phyre.tier import Tier


@template(
    "00018",
    Tier.BALL,
    Selection(solvable=True, not_trivial=True, diverse=True),
    bar_offset=lin(0.1, 0.2, 3),
    bar_y=lin(0.4, 0.65, 10),
    bottom_jar_scale=lin(0.15, 0.20, 3),
    bottom_jar_x=lin(0.25, 0.50, 5),
    right_diag_angle=lin(30, 70, 3),
)
def build(
    s: SceneBuilder,
    bar_offset: float,
    bar_y: float,
    bottom_jar_scale: float,
    bottom_jar_x: float,
    right_diag_angle: float,
) -> None:
    s.skip_if(bar_y >= 0.6 and bottom_jar_x > 0.4)
    jar = s.dynamic.jar(bottom_jar_scale, bottom=0, center_x=W * bottom_jar_x)
    inner = s.dynamic.ball(0.05 + bottom_jar_scale / 8, bottom=10, center_x=jar.center_x)
    ledge = s.static.bar(1.0, left=jar.left + bar_offset * W, bottom=H * bar_y)
    cover = s.dynamic.jar(0.12, angle=180, left=ledge.left, bottom=ledge.top)
    ball = s.dynamic.ball(0.05, bottom=ledge.top, center_x=cover.left + cover.width * 0.5)
    s.skip_if(ledge.left < 3 * ball.width)
    s.static.bar(
        1, angle=right_diag_angle, left=max(0.7 * W, cover.right + 10), bottom=ledge.bottom
    )
    s.goal(ball, inner)
