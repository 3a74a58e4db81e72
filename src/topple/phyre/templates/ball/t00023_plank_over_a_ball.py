"""A small ball rides on a plank over a big ball. Send it into the jar on the step at the right."""

from topple.phyre.authoring import Selection, lin, template
from topple.phyre.builder import H, SceneBuilder, W
from topple.phyre.tier import Tier


@template(
    "00023",
    Tier.BALL,
    Selection(search=1000, solvable=True, not_trivial=True, diverse=True),
    jar_angle=lin(-10, 10, 13),
    jar_right=lin(0.9, 0.98, 3),
    jar_scale=lin(0.15, 0.3, 3),
    left_side=lin(0.05, 0.2, 5),
    step_base=lin(0.01, 0.1, 2),
    step_diff=lin(-0.3, 0.3, 10),
)
def build(
    s: SceneBuilder,
    jar_angle: float,
    jar_right: float,
    jar_scale: float,
    left_side: float,
    step_base: float,
    step_diff: float,
) -> None:
    left_y = step_base if step_diff > 0 else step_base - step_diff
    right_y = step_base + step_diff if step_diff > 0 else step_base
    s.skip_if(jar_scale < 0.19 and abs(step_diff) > 0.19)
    s.skip_if(jar_scale > 0.26 and (abs(step_diff) < 0.19 or step_diff < -0.19))
    left_step = s.static.bar(0.3, left=left_side * W, bottom=left_y * H)
    pivot = s.dynamic.ball(0.15, left=left_step.left, bottom=left_step.top)
    plank = s.dynamic.bar(0.4, left=5, bottom=pivot.top)
    ball = s.dynamic.ball(0.05, left=0.02 * W, bottom=plank.top)
    s.static.ball(0.1, top=H, center_x=pivot.center_x)
    right_step = s.static.bar(0.3, angle=jar_angle, right=W, bottom=right_y * H)
    jar = s.dynamic.jar(jar_scale, right=W * jar_right, bottom=right_step.top)
    inner = s.dynamic.ball(0.05 + jar_scale / 8, bottom=jar.bottom + 10, center_x=jar.center_x)
    s.goal(ball, inner)
