"""A seesaw holds a small ball. Throw it over the wall onto the floor on the far left."""

from topple.phyre.authoring import Selection, lin, template
from topple.phyre.builder import H, SceneBuilder, W
from topple.phyre.tier import Tier


@template(
    "00116",
    Tier.TWO_BALLS,
    Selection(solvable=True),
    dot_high=lin(0.5, 0.7, 4),
    dot_offset=lin(-0.2, 0.2, 4),
    dynamic_swing_base_ball=range(2),
    height=lin(0.05, 0.15, 4),
    horizontal_position=lin(0.4, 0.6, 4),
    line_width=lin(0.4, 0.6, 4),
    right_ball_size=lin(0.04, 0.06, 4),
)
def build(
    s: SceneBuilder,
    dot_high: float,
    dot_offset: float,
    dynamic_swing_base_ball: int,
    height: float,
    horizontal_position: float,
    line_width: float,
    right_ball_size: float,
) -> None:
    base = s.static.standing_sticks(0.1, bottom=height * H, center_x=horizontal_position * W)
    middle = base.left + base.width / 2
    add_hinge = s.dynamic if dynamic_swing_base_ball else s.static
    hinge = add_hinge.ball(0.05, bottom=base.top, center_x=middle)
    plank = s.dynamic.bar(line_width, bottom=hinge.top, center_x=middle)
    ball = s.dynamic.ball(0.04, bottom=plank.top, left=plank.left)
    s.static.bar(1.4, angle=25, left=-5, bottom=H * 0.8)
    wall = s.static.bar(0.5, angle=90, right=plank.left, bottom=0)
    s.static.bar(0.9, right=W, bottom=10)
    divider = s.static.bar(0.2, angle=90, right=plank.center_x + 10, bottom=plank.top + 10)
    s.static.bar(0.05, angle=90, right=plank.right + 20, top=divider.top)
    s.dynamic.ball(right_ball_size, right=(plank.center_x + plank.right) / 2, bottom=plank.top)
    s.static.bar(0.02, left=plank.center_x + plank.width * dot_offset / 2, bottom=H * dot_high)
    floor = s.static.bar(wall.left / W, left=0, bottom=0)
    s.goal(ball, floor)
