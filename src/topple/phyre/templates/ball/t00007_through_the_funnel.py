"""A ball drops through a funnel. It must land on the short pad at one end of the floor."""

from topple.phyre.authoring import Selection, lin, template
from topple.phyre.builder import H, SceneBuilder, W
from topple.phyre.tier import Tier


@template(
    "00007",
    Tier.BALL,
    Selection(search=400, solvable=True, not_trivial=True, diverse=True),
    angle=lin(20, 30, 10),
    ball_scale=(0.05,),
    ball_x=lin(0.4, 0.6, 20),
    target_side=("left", "right"),
)
def build(
    s: SceneBuilder, angle: float, ball_scale: float, ball_x: float, target_side: str
) -> None:
    ball = s.dynamic.ball(ball_scale, top=H, center_x=ball_x * W)
    target = s.static.bar(0.2, bottom=0)
    floor = s.static.bar(0.8, bottom=0)
    curb = s.static.bar(0.2, bottom=floor.top)
    if target_side == "left":
        target.place(left=0)
        floor.place(left=target.right)
        curb.place(left=target.right)
    else:
        target.place(right=W)
        floor.place(right=target.left)
        curb.place(right=target.left)
    left_slope = s.static.bar(0.5, angle=-angle, left=0, top=H * 0.9)
    right_slope = s.static.bar(0.5, angle=angle, right=W, top=H * 0.9)
    s.skip_if(right_slope.left - left_slope.right <= ball_scale * H)
    s.goal(ball, target)
