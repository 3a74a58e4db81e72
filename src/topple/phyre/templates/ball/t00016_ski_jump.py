"""A ball rolls down a covered ramp like a ski jumper. It must land in the gap behind a blocker."""

import math

from topple.phyre.authoring import Selection, lin, template
from topple.phyre.builder import H, SceneBuilder, W
from topple.phyre.scene import exact_math
from topple.phyre.tier import Tier


@template(
    "00016",
    Tier.BALL,
    Selection(search=900, solvable=True, not_trivial=True, diverse=True),
    angle=lin(30, 50, 6),
    buffer=lin(0.0, 0.1, 3),
    radius=lin(5, 12, 5),
    target_position=lin(0.35, 0.65, 10),
)
def build(
    s: SceneBuilder, angle: float, buffer: float, radius: float, target_position: float
) -> None:
    left_floor = s.static.bar(target_position, left=0, bottom=0)
    target = s.static.bar(0.1, left=left_floor.right, bottom=0)
    right_floor = s.static.bar(1 - 0.1 - target_position, left=target.right, bottom=0)
    blocker = s.static.bar(0.1, angle=90, right=target.left, bottom=0)
    pile = right_floor
    for _ in range(5):
        pile = s.static.bar(0.1, left=pile.left, bottom=pile.top)

    ramp_right = blocker.left - 0.1 * W
    ramp = s.static.bar(0.5, angle=-angle, right=ramp_right, bottom=0.3 * H)
    launch = s.static.bar(0.1, angle=10, left=ramp.right - 0.02 * W, bottom=ramp.bottom)
    cover = s.static.bar(0.5, angle=-angle, right=ramp_right, bottom=0.3 * H + radius * 6)
    s.static.bar(0.5, angle=-angle, right=ramp_right, bottom=0.3 * H + radius * 10)
    s.static.bar(0.1, angle=90, left=pile.left, bottom=pile.top)
    s.static.bar(0.5, angle=-30, left=launch.right, top=cover.bottom + 0.1 * H)

    slope = exact_math.tan(angle / 360 * 2 * math.pi)
    x = max(0.05 * W, ramp.left + 0.01 * W) + buffer * W
    y = ramp.bottom + (ramp.right - x) * slope
    ball = s.dynamic.ball(radius / W * 2, center_x=x + radius, center_y=y + radius * 1.7)
    x = ball.center_x + 4 * radius
    y = ramp.bottom + (ramp.right - x) * slope
    leader = s.dynamic.ball(radius / W, center_x=x, center_y=y + radius * 2.6)
    if leader.right >= launch.left:
        leader.place(bottom=max(launch.top, leader.bottom))
    s.skip_if(ball.width >= target.width)
    s.goal(ball, target)
