"""Two shelves have gaps that do not line up. Get the ball down through both to the floor."""

from topple.phyre.authoring import multiples, template
from topple.phyre.builder import BodyDraft, H, SceneBuilder, W
from topple.phyre.tier import Tier


@template(
    "00102",
    Tier.TWO_BALLS,
    ball_size=(0.1, 0.15, 0.2),
    bar_height=multiples(0.1, 1, 7),
    hole_left=multiples(0.1, 2, 8),
    hole_size=(0.11, 0.16, 0.21),
)
def build(
    s: SceneBuilder, ball_size: float, bar_height: float, hole_left: float, hole_size: float
) -> None:
    s.skip_if(ball_size > hole_size)
    ball = s.dynamic.ball(ball_size, top=0.95 * H, center_x=0.5 * W)
    left, right = _shelf(s, bar_height, hole_left, hole_size)
    s.skip_if(ball.left >= left.right and ball.right <= right.left)
    s.skip_if(ball.bottom <= left.top)
    shift = 0.15 if hole_left < 0.5 else -0.15
    left, right = _shelf(s, bar_height - ball_size * 2, hole_left + shift, hole_size)
    s.skip_if(left.bottom <= ball.width * 0.5)
    s.static.bar(0.02, angle=90, bottom=left.top, right=left.right)
    s.static.bar(0.02, angle=90, bottom=right.top, left=right.left)
    floor = s.static.bar(1, left=0, bottom=0)
    s.goal(ball, floor)


def _shelf(s: SceneBuilder, y: float, gap_left: float, gap: float) -> tuple[BodyDraft, BodyDraft]:
    """A shelf with a gap: the parts to its left and to its right."""
    s.skip_if(not 0 < gap_left < 1.0)
    left = s.static.bar(gap_left, left=0, bottom=y * H)
    gap_right = gap_left + gap
    s.skip_if(not 0 < gap_right < 1.0)
    return left, s.static.bar(1.0 - gap_right, right=W, bottom=y * H)
