"""A ball and its half of the floor lie on different sides of a hanging wall. Get it across."""

from topple.phyre.authoring import Selection, lin, template
from topple.phyre.builder import H, SceneBuilder, W
from topple.phyre.tier import Tier


@template(
    "00014",
    Tier.BALL,
    Selection(search=640, solvable=True, not_trivial=True, diverse=True),
    ball_size=lin(0.05, 0.15, 5),
    height=lin(0.3, 0.7, 8),
    hole_left=lin(0.1, 0.3, 8),
    left=(True, False),
)
def build(s: SceneBuilder, ball_size: float, height: float, hole_left: float, left: bool) -> None:
    center = hole_left if left else 1 - hole_left
    ball = s.dynamic.ball(ball_size, bottom=height * H, center_x=center * W)
    inner_edge = ball.right if left else ball.left
    s.static.bar(0.75 * hole_left, angle=90, bottom=0, center_x=inner_edge)
    s.static.bar(0.7, angle=90, left=W / 2, top=H)
    left_floor = s.static.bar(0.5, left=0, bottom=0)
    right_floor = s.static.bar(0.5, left=left_floor.right, bottom=0)
    s.goal(ball, right_floor if left else left_floor)
