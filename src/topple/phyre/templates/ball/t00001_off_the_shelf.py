"""A ball lies on a shelf that slopes down at both ends. Send it off to one side wall."""

from topple.phyre.authoring import lin, template
from topple.phyre.builder import SceneBuilder, W
from topple.phyre.tier import Tier


@template(
    "00001",
    Tier.BALL,
    ball_r=lin(0.05, 0.12, 5),
    ball_x=lin(0.1, 0.9, 32),
    ball_y=lin(0, 40, 8),
    left=(True, False),
)
def build(s: SceneBuilder, ball_r: float, ball_x: float, ball_y: float, left: bool) -> None:
    target = s.static.bar(1.0, angle=90, left=0, bottom=0)
    if not left:
        target.place(right=W)
    shelf = s.static.bar(0.99 - ball_r * 2, top=20, center_x=W / 2)
    s.static.bar(0.2, angle=65, right=shelf.left + 5, top=shelf.top)
    s.static.bar(0.2, angle=-65, left=shelf.right - 5, top=shelf.top)
    ball = s.dynamic.ball(ball_r, left=ball_x * W, bottom=ball_y + shelf.top)
    s.skip_if(ball.center_x <= shelf.left or ball.center_x >= shelf.right)
    s.skip_if(abs(ball.center_x - target.center_x) > W * 0.7)
    s.goal(ball, target)
