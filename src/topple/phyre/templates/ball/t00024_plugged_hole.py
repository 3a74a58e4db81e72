"""A hole in a ledge leads to the floor, and a second ball is about to plug it. Get through."""

from topple.phyre.authoring import Selection, lin, template
from topple.phyre.builder import H, SceneBuilder, W
from topple.phyre.tier import Tier


@template(
    "00024",
    Tier.BALL,
    Selection(search=800, solvable=True, diverse=True),
    ball_distance=lin(0.1, 0.3, 4),
    bar_height=lin(0.15, 0.6, 10),
    confounder=(True, False),
    hole_left=lin(0.2, 0.8, 12),
)
def build(
    s: SceneBuilder, ball_distance: float, bar_height: float, confounder: bool, hole_left: float
) -> None:
    hole_right = hole_left + 0.1
    s.skip_if(hole_right >= 1.0)
    ball = s.dynamic.ball(0.1, center_x=0.5 * W, bottom=0.8 * H)
    plug = s.dynamic.ball(0.1 + 0.01)
    if confounder:
        plug.place(left=(hole_left + 0.025) * W)
    else:
        plug.place(right=(hole_right - 0.025) * W)
    plug.place(bottom=(bar_height + ball_distance) * H)
    left_ledge = s.static.bar(hole_left, left=0, bottom=bar_height * H)
    right_ledge = s.static.bar(1.0 - hole_right, right=W, bottom=bar_height * H)
    s.skip_if(ball.left >= left_ledge.right and ball.right <= right_ledge.left)
    s.skip_if(plug.top >= ball.bottom)
    floor = s.static.bar(1.0, left=0, bottom=0)
    s.goal(ball, floor)
