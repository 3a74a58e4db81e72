"""One ramp leads right, the next leads back left. Keep the ball on the floor behind the wall."""

from topple.phyre.authoring import Selection, lin, template
from topple.phyre.builder import H, SceneBuilder, W
from topple.phyre.tier import Tier


@template(
    "00109",
    Tier.TWO_BALLS,
    Selection(search=360, solvable=True, not_trivial=True, needs_two_balls=True, diverse=True),
    ball_size=lin(0.05, 0.1, 2),
    bar_angle=lin(15, 30, 3),
    ramp_center=lin(0.2, 0.6, 5),
    ramp_height=lin(0.6, 0.8, 3),
    wall_height=lin(0.3, 0.6, 4),
)
def build(
    s: SceneBuilder,
    ball_size: float,
    bar_angle: float,
    ramp_center: float,
    ramp_height: float,
    wall_height: float,
) -> None:
    upper = s.static.bar(0.3, center_x=ramp_center * W, bottom=ramp_height * H, angle=-20)
    lower = s.static.bar(
        0.3, angle=bar_angle, right=upper.right + 0.15 * W, top=upper.bottom - 0.1 * H
    )
    ball = s.dynamic.ball(ball_size, left=upper.left, bottom=upper.top)
    # Placed flat and then turned, so half of the wall is below the ground.
    wall = s.static.bar(wall_height, center_x=lower.left - 0.15 * W, bottom=0, angle=90)
    floor = s.static.bar(1.0, left=wall.right, bottom=0)
    s.static.bar(1.0, angle=-20, left=lower.right + 0.05 * W, top=lower.top)
    s.skip_if(wall.left / W < wall.top / H)
    s.skip_if(lower.bottom / H - wall.top / H < ball_size)
    s.goal(ball, floor)
