"""Two balls rest on platforms with a wall between, over a ridge. Push them off so they meet."""

from topple.phyre.authoring import multiples, template
from topple.phyre.builder import H, SceneBuilder, W
from topple.phyre.tier import Tier


@template(
    "00110",
    Tier.TWO_BALLS,
    peak_on_left=(True, False),
    platform1_x=multiples(0.1, 1, 8),
    platform1_y=multiples(0.1, 4, 7),
    platform2_x=multiples(0.1, 1, 8),
    platform2_y=multiples(0.1, 4, 7),
)
def build(
    s: SceneBuilder,
    peak_on_left: bool,
    platform1_x: float,
    platform1_y: float,
    platform2_x: float,
    platform2_y: float,
) -> None:
    s.skip_if(platform2_x - platform1_x <= 2.5 * 0.1)
    left = s.static.bar(0.1, left=platform1_x * W, bottom=platform1_y * H)
    right = s.static.bar(0.1, left=platform2_x * W, bottom=platform2_y * H)
    left_ball = s.dynamic.ball(0.1, center_x=left.left + left.width / 2, bottom=left.top)
    right_ball = s.dynamic.ball(0.1, center_x=right.left + right.width / 2, bottom=right.top)
    wall = s.static.bar(
        1.0 - min(platform1_y, platform2_y),
        angle=90,
        top=H,
        center_x=left.right + (right.left - left.right) / 2,
    )
    peak = left.center_x if peak_on_left else right.center_x
    s.static.bar(1.0, angle=5, right=peak + 2, top=20)
    s.static.bar(1.0, angle=175, left=peak - 2, top=20)
    gap = wall.left - left.right if peak_on_left else right.left - wall.right
    s.skip_if(gap < left_ball.width + 2)
    s.goal(left_ball, right_ball)
