"""Two slanted channels hold a ball at the mouth and a bar behind it. Push the balls together."""

from topple.phyre.authoring import Selection, lin, template
from topple.phyre.builder import BodyDraft, H, SceneBuilder, W
from topple.phyre.tier import Tier


@template(
    "00123",
    Tier.TWO_BALLS,
    Selection(search=1000, solvable=True, not_trivial=True, needs_two_balls=True, diverse=True),
    center1_x=lin(0.3, 0.7, 10),
    center1_y=lin(0.3, 0.7, 10),
    center2_x=lin(0.3, 0.7, 10),
    center2_y=lin(0.3, 0.7, 10),
)
def build(
    s: SceneBuilder, center1_x: float, center1_y: float, center2_x: float, center2_y: float
) -> None:
    s.skip_if(center2_x - center1_x <= 0.35)
    left_ball, left_top = _channel(s, center1_x * W, center1_y * H, left=True)
    right_ball, right_top = _channel(s, center2_x * W, center2_y * H, left=False)
    s.static.bar(0.52, angle=-10, left=-0.01 * W, bottom=0)
    s.static.bar(0.52, angle=10, right=W, bottom=0)
    s.static.bar(0.3, right=left_top.left, bottom=left_top.top + 0.1 * H)
    s.static.bar(0.3, left=right_top.right, bottom=right_top.top + 0.1 * H)
    s.goal(left_ball, right_ball)


def _channel(s: SceneBuilder, x: float, y: float, *, left: bool) -> tuple[BodyDraft, BodyDraft]:
    """A channel that slopes inwards; returns its ball and its upper side."""
    angle = -30 if left else 30
    lower = s.static.bar(0.25, angle=angle, center_x=x, center_y=y)
    upper = s.static.bar(0.25, angle=angle, center_x=x, center_y=y + 0.18 * H)
    blocker = s.static.bar(0.06, angle=90, bottom=lower.bottom)
    ball = s.dynamic.ball(0.1, bottom=blocker.top)
    pusher = s.dynamic.bar(0.25, angle=angle, center_y=y + 0.08 * H)
    if left:
        blocker.place(left=lower.right - 0.02 * W)
        ball.place(right=blocker.left + 0.02 * W)
        pusher.place(right=ball.left)
    else:
        blocker.place(right=lower.left + 0.02 * W)
        ball.place(left=blocker.right - 0.02 * W)
        pusher.place(left=ball.right)
    return ball, upper
