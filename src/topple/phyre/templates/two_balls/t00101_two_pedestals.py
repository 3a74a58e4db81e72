"""Two balls hover over pedestals with a trough between them. Bring the balls together."""

from topple.phyre.authoring import multiples, template
from topple.phyre.builder import BodyDraft, H, SceneBuilder, W
from topple.phyre.tier import Tier


@template(
    "00101",
    Tier.TWO_BALLS,
    base_x=multiples(0.1, 1, 4),
    base_y=multiples(0.1, 3, 5),
    dist_to_obstacle=multiples(0.1, 2, 2),
    horizontal_dist=multiples(0.05, 5, 10),
    vertical_dist=multiples(0.1, 2, 4),
)
def build(
    s: SceneBuilder,
    base_x: float,
    base_y: float,
    dist_to_obstacle: float,
    horizontal_dist: float,
    vertical_dist: float,
) -> None:
    s.skip_if(horizontal_dist + 0.1 <= vertical_dist)
    low = s.dynamic.ball(0.1, bottom=base_y * H, center_x=base_x * W)
    high = s.dynamic.ball(
        0.1, bottom=(base_y + vertical_dist) * H, center_x=(base_x + horizontal_dist) * W
    )

    def pedestal(ball: BodyDraft) -> BodyDraft:
        return s.static.bar(0.1, bottom=ball.bottom - dist_to_obstacle * W, left=ball.left)

    def post(top: BodyDraft) -> BodyDraft:
        return s.static.bar(1.0, angle=90, top=top.bottom, center_x=top.left + top.width / 2)

    left_pedestal, right_pedestal = pedestal(low), pedestal(high)
    left_post, right_post = post(left_pedestal), post(right_pedestal)
    s.skip_if(low.top > H or high.top > H)
    s.static.bar(horizontal_dist / 2.0, angle=-10, left=left_post.right, bottom=0)
    s.static.bar(horizontal_dist / 2.0, angle=10, right=right_post.left, bottom=0)
    s.goal(low, high)
