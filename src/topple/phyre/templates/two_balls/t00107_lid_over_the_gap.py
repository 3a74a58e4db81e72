"""A bar hangs over the gap of a lipped shelf like a lid. Get the ball past both to the floor."""

from topple.phyre.authoring import multiples, template
from topple.phyre.builder import H, SceneBuilder, W
from topple.phyre.tier import Tier


@template(
    "00107",
    Tier.TWO_BALLS,
    obstacle_width=multiples(0.1, 1, 7),
    obstacle_x=multiples(0.1, 0, 10),
    obstacle_y=multiples(0.1, 4, 7),
)
def build(s: SceneBuilder, obstacle_width: float, obstacle_x: float, obstacle_y: float) -> None:
    s.skip_if(obstacle_x + obstacle_width > 1.0)
    lid = s.static.bar(obstacle_width, left=obstacle_x * W, bottom=obstacle_y * H)
    shelf_y = (obstacle_y - 0.2) * H
    rest = 1.0 - obstacle_x - obstacle_width  # at the right wall zero or a rounding below
    left = s.static.bar(obstacle_x, left=0, bottom=shelf_y) if obstacle_x > 0 else None
    right = s.static.bar(rest, right=W, bottom=shelf_y) if rest > 0 else None
    if left:
        s.static.bar(0.02, angle=90, bottom=left.top, right=left.right)
    if right:
        s.static.bar(0.02, angle=90, bottom=right.top, left=right.left)
    ball = s.dynamic.ball(0.1, center_x=obstacle_x * W + lid.width / 2.0, bottom=0.9 * H)
    floor = s.static.bar(1, left=0, bottom=0)
    s.goal(ball, floor)
