"""A beam balances on a round fulcrum. The falling ball must end up resting with the beam."""

from topple.phyre.authoring import Selection, lin, template
from topple.phyre.builder import H, SceneBuilder, W
from topple.phyre.tier import Tier


@template(
    "00004",
    Tier.BALL,
    Selection(search=1000, solvable=True, not_trivial=True, diverse=True),
    ball_x=lin(0.2, 0.8, 14),
    bar_center=lin(0.25, 0.65, 5),
    bar_scale=lin(0.3, 0.45, 8),
    bar_y=lin(0.1, 0.6, 12),
)
def build(
    s: SceneBuilder, ball_x: float, bar_center: float, bar_scale: float, bar_y: float
) -> None:
    ground = s.static.bar(1.0, bottom=bar_y * H, left=0)
    fulcrum = s.static.ball(0.1, bottom=ground.top, center_x=bar_center * W)
    beam = s.dynamic.bar(bar_scale, center_x=bar_center * W, bottom=fulcrum.top)
    ball = s.dynamic.ball(0.1, center_x=ball_x * W, bottom=0.9 * H)
    guard_top = ball.bottom - 0.15 * H
    left_guard = s.static.bar(0.2, angle=90, left=beam.left - 0.15 * W, top=guard_top)
    right_guard = s.static.bar(0.2, angle=90, right=beam.right + 0.15 * W, top=guard_top)
    s.skip_if(ball.bottom < ground.top)
    s.skip_if(ball.right < beam.left or ball.left > beam.right)
    if left_guard.bottom < ground.top:
        left_guard.place(bottom=ground.top)
        right_guard.place(bottom=ground.top)
    s.goal(ball, beam)
