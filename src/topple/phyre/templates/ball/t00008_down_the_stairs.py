"""A ball comes down a staircase of tilted bars. It must get into the jar fixed below a step."""

from topple.phyre.authoring import Selection, lin, template
from topple.phyre.builder import H, SceneBuilder, W
from topple.phyre.tier import Tier

STEPS = 5


@template(
    "00008",
    Tier.BALL,
    Selection(search=1000, solvable=True, not_trivial=True, diverse=True),
    align=("left", "right"),
    ball_scale=(0.05,),
    ball_x=lin(0.1, 0.9, 10),
    jar_scale=lin(0.3, 0.4, 2),
    target_index=range(1, STEPS),
    y_span=lin(0.4, 0.6, 10),
)
def build(
    s: SceneBuilder,
    align: str,
    ball_scale: float,
    ball_x: float,
    jar_scale: float,
    target_index: int,
    y_span: float,
) -> None:
    # Each step is tilted only after it is placed.
    steps = [
        s.static.bar(
            0.7 / STEPS,
            top=0.8 * H - i / STEPS * y_span * H,
            left=i / STEPS * W,
            angle=-5,
        )
        for i in range(STEPS)
    ]
    jar = s.static.jar(jar_scale, bottom=0)
    s.skip_if(jar.top > steps[-1].bottom)
    if align == "right":
        jar.place(right=steps[target_index].right)
    else:
        jar.place(left=steps[target_index].left)
    s.static.bar(jar_scale, angle=90, right=jar.left, bottom=0)
    right_guard = s.static.bar(jar_scale, angle=90, left=jar.right, bottom=0)
    s.skip_if(right_guard.right > W)
    ball = s.dynamic.ball(ball_scale, top=H, center_x=ball_x * W)
    s.skip_if(ball.left > jar.right)
    s.goal(ball, jar)
