"""A plank with a small ball drops onto a step. Bring the ball to the one in the jar across."""

from topple.phyre.authoring import Selection, lin, template
from topple.phyre.builder import H, SceneBuilder, W
from topple.phyre.tier import Tier


@template(
    "00119",
    Tier.TWO_BALLS,
    Selection(solvable=True, diverse=True),
    jar_angle=lin(-10, 10, 13),
    jar_right=lin(0.9, 0.98, 3),
    jar_scale=lin(0.15, 0.3, 3),
    step_base=lin(0.01, 0.1, 2),
    step_diff=lin(-0.3, 0.3, 10),
)
def build(
    s: SceneBuilder,
    jar_angle: float,
    jar_right: float,
    jar_scale: float,
    step_base: float,
    step_diff: float,
) -> None:
    left_y = step_base if step_diff > 0 else step_base - step_diff
    right_y = step_base + step_diff if step_diff > 0 else step_base
    s.skip_if(jar_scale < 0.19 and abs(step_diff) > 0.19)
    s.skip_if(jar_scale > 0.26 and (abs(step_diff) < 0.19 or step_diff < -0.19))
    left_step = s.static.bar(0.3, left=0.1 * W, bottom=left_y * H)
    plank = s.dynamic.bar(0.4, left=5, bottom=left_step.top + 50)
    ball = s.dynamic.ball(0.05, left=0.02 * W, bottom=plank.top)
    right_step = s.static.bar(0.3, angle=jar_angle, right=W, bottom=right_y * H)
    jar = s.dynamic.jar(jar_scale, right=W * jar_right, bottom=right_step.top)
    inner = s.dynamic.ball(0.05 + jar_scale / 8, bottom=jar.bottom + 10, center_x=jar.center_x)
    s.goal(ball, inner)
