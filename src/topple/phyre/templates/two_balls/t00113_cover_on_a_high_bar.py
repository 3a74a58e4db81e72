"""A small ball is covered by a jar high up on a bar. Bring it to the ball in the lower jar."""

from topple.phyre.authoring import Selection, lin, template
from topple.phyre.builder import H, SceneBuilder, W
from topple.phyre.tier import Tier


@template(
    "00113",
    Tier.TWO_BALLS,
    Selection(solvable=True),
    bar_y=lin(0.4, 0.7, 10),
    bottom_jar_scale=lin(0.15, 0.20, 3),
    bottom_jar_x=lin(0.25, 0.50, 5),
    left_diag_angle=lin(30, 70, 3),
    right_diag_angle=lin(30, 70, 3),
)
def build(
    s: SceneBuilder,
    bar_y: float,
    bottom_jar_scale: float,
    bottom_jar_x: float,
    left_diag_angle: float,
    right_diag_angle: float,
) -> None:
    jar = s.dynamic.jar(bottom_jar_scale, bottom=0, center_x=W * bottom_jar_x)
    inner = s.dynamic.ball(0.03 + bottom_jar_scale / 5, bottom=10, center_x=jar.center_x)
    bar = s.static.bar(0.8 - jar.left / W, left=jar.left, bottom=H * bar_y)
    cover = s.dynamic.jar(0.1, angle=180, left=bar.left, top=min(H, H * bar_y + 150))
    s.static.bar(0.15, angle=90, right=bar.right, bottom=bar.top)
    ball = s.dynamic.ball(0.05, bottom=bar.top, center_x=cover.left + cover.width * 0.5)
    s.static.bar(1, angle=left_diag_angle, left=0.9 * W, bottom=-2)
    s.static.bar(1, angle=-right_diag_angle, right=0.1 * W, bottom=-2)
    s.goal(ball, inner)
