"""A jar with a ball in it slides down one side of a V. Get the ball onto the other side."""

from topple.phyre.authoring import Selection, lin, template
from topple.phyre.builder import H, SceneBuilder, W
from topple.phyre.tier import Tier


@template(
    "00010",
    Tier.BALL,
    Selection(search=540, solvable=True, not_trivial=True, diverse=True),
    bar_angle=lin(75, 105, 5),
    center_point=lin(0.2, 0.6, 6),
    jar_vertical_top_offset=lin(15, 35, 3),
    right_bar_angle=lin(10, 50, 6),
)
def build(
    s: SceneBuilder,
    bar_angle: float,
    center_point: float,
    jar_vertical_top_offset: float,
    right_bar_angle: float,
) -> None:
    left_angle = right_bar_angle - bar_angle
    right_side = s.static.bar(1.0, angle=right_bar_angle, left=W * center_point, bottom=-2)
    left_side = s.static.bar(1.0, angle=left_angle, right=right_side.left, bottom=-2)
    # Shift the V until it spans the scene.
    shift = 0.0
    if right_side.right < W:
        shift = W - right_side.right
    elif left_side.left > 0:
        shift = -left_side.left
    right_side.place(left=right_side.left + shift)
    left_side.place(left=left_side.left + shift)

    overhangs = abs(left_angle) > 90
    jar = s.dynamic.jar(0.2, angle=left_angle, left=5, top=H - jar_vertical_top_offset)
    # A second layer on the left side reaches up to the jar and keeps it off the wall.
    foot = jar.top if overhangs else jar.bottom
    layer = s.static.bar(
        (foot - left_side.bottom) / (left_side.top - left_side.bottom),
        angle=left_angle,
        right=left_side.right,
        bottom=left_side.bottom,
    )
    edge = layer.right if overhangs else layer.left
    jar.place(left=max(jar.left, edge + 5))
    # The first two placements only leave their rounding behind, as published.
    ball = s.dynamic.ball(0.08, right=0.8 * W, bottom=0.9 * H)
    ball.place(center_x=jar.center_x, center_y=jar.center_y)
    s.goal(ball, right_side)
