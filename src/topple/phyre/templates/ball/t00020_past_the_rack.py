"""A ball falls past a rack of tilted bars. It must go through a hole in the wall to its right."""

from topple.phyre.authoring import lin, template
from topple.phyre.builder import H, SceneBuilder, W
from topple.phyre.tier import Tier


@template(
    "00020",
    Tier.BALL,
    angle=lin(10, 45, 5),
    bar_y=range(10),
    distance_to_wall=lin(0.01, 0.05, 2),
    vbar_x_scale=lin(0.5, 0.6, 4),
)
def build(
    s: SceneBuilder, angle: float, bar_y: int, distance_to_wall: float, vbar_x_scale: float
) -> None:
    wall_x = vbar_x_scale * W
    ball = s.dynamic.ball(0.08, right=wall_x - 1, bottom=0.9 * H)
    rack = [
        s.static.bar(
            0.3,
            angle=-angle,
            right=ball.left - 2 - distance_to_wall * H,
            bottom=(i * 0.15) * H,
        )
        for i in range(10)
    ]
    raised = [bar for bar in rack if bar.bottom > 0]
    ball.place(left=raised[0].right + 1)
    s.skip_if(bar_y >= len(raised))
    hole_top = raised[bar_y].bottom / H - distance_to_wall
    s.skip_if(not 0.2 < hole_top < 0.9)
    hole_size = ball.width / W * 2
    s.static.bar(1.0 - hole_top, angle=90, left=wall_x, top=H)
    s.static.bar(hole_top - hole_size, angle=90, left=wall_x, bottom=0)
    other_y = 0.9 if hole_top < 0.7 else 0.3
    s.dynamic.ball(0.1, left=wall_x + 8, bottom=other_y * H)
    floor = s.static.bar(1, left=wall_x + 4, bottom=0)
    s.goal(ball, floor)
