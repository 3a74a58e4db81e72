"""Two mirrored alleys, each with a stick that can knock out its ball. Make the balls touch."""

from topple.phyre.authoring import Selection, multiples, template
from topple.phyre.builder import BodyDraft, H, SceneBuilder, W
from topple.phyre.tier import Tier


@template(
    "00121",
    Tier.TWO_BALLS,
    Selection(search=1000, solvable=True, diverse=True),
    ball1_x=multiples(0.1, 2, 7),
    ball1_y=multiples(0.1, 2, 7),
    ball2_x=multiples(0.1, 2, 7),
    ball2_y=multiples(0.1, 2, 7),
)
def build(s: SceneBuilder, ball1_x: float, ball1_y: float, ball2_x: float, ball2_y: float) -> None:
    s.skip_if(ball2_x - ball1_x < 0.3)
    left_ball, left_post = _alley(s, ball1_x, ball1_y, left=True)
    right_ball, right_post = _alley(s, ball2_x, ball2_y, left=False)
    scale = (right_post.left - left_post.right) / (2.0 * W)
    s.static.bar(scale, angle=-10, left=left_post.left, bottom=-0.015 * H)
    s.static.bar(scale, angle=10, right=right_post.right, bottom=-0.015 * H)
    s.goal(left_ball, right_ball)


def _alley(s: SceneBuilder, x: float, y: float, *, left: bool) -> tuple[BodyDraft, BodyDraft]:
    """An alley with its ball at the inner end; returns the ball and the post below."""
    ball = s.dynamic.ball(0.1, center_x=x * W, center_y=y * H)
    lane = s.static.bar(0.2, top=ball.bottom)
    lid = s.static.bar(0.1, bottom=ball.top + 0.01 * H)
    stick = s.dynamic.bar(0.12, angle=90, bottom=lane.top)
    post = s.static.bar(1.0, angle=90, top=lane.top)
    roof = s.static.bar(0.1, bottom=stick.top + 0.2 * H)
    if left:
        lane.place(right=ball.right)
        lid.place(right=ball.right)
        stick.place(left=lane.left)
        post.place(right=lane.right)
        roof.place(left=stick.left)
    else:
        lane.place(left=ball.left)
        lid.place(left=lane.left)
        stick.place(right=lane.right)
        post.place(left=lane.left)
        roof.place(right=stick.right)
    return ball, post
