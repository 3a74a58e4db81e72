"""A ball lies on a short tilted bar. It must get to the ball in the jar below."""

from topple.phyre.authoring import Selection, lin, template
from topple.phyre.builder import H, SceneBuilder, W
from topple.phyre.tier import Tier


@template(
    "00022",
    Tier.BALL,
    Selection(search=1000, solvable=True, not_trivial=True, diverse=True),
    angle=lin(45, 60, 5),
    ball_offset=lin(5, 15, 2),
    jar_position=lin(0.4, 0.6, 10),
    jar_scale=lin(0.20, 0.30, 4),
    obstacle_angle=lin(-10, 10, 3),
    radius=lin(5, 12, 5),
    shift_right=lin(0.4, 0.6, 3),
    x_offset=lin(0.0, 0.1, 2),
)
def build(
    s: SceneBuilder,
    angle: float,
    ball_offset: float,
    jar_position: float,
    jar_scale: float,
    obstacle_angle: float,
    radius: float,
    shift_right: float,
    x_offset: float,
) -> None:
    s.static.bar(0.5, angle=-angle, right=0.2 * W, bottom=0)
    s.static.bar(0.5, angle=angle, left=0.8 * W, bottom=0)
    jar = s.dynamic.jar(jar_scale, bottom=0, center_x=(jar_position + x_offset) * W)
    perch = s.static.bar(
        90 / W,
        angle=obstacle_angle,
        bottom=max(0.3 * H, jar.top + radius * 4),
        center_x=(shift_right + x_offset) * W,
    )
    s.skip_if(jar.right > perch.right + 10)
    inner = s.dynamic.ball(0.05 + jar_scale / 5, bottom=10, center_x=jar.center_x)
    ball = s.dynamic.ball(radius / W * 2, left=perch.left + ball_offset, bottom=perch.top + radius)
    s.goal(ball, inner)
