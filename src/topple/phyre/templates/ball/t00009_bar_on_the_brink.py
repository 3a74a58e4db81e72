"""A bar stands upright at the inner edge of a platform. Knock it off, down to the floor."""

from topple.phyre.authoring import Selection, lin, template
from topple.phyre.builder import H, SceneBuilder, W
from topple.phyre.tier import Tier


@template(
    "00009",
    Tier.BALL,
    Selection(search=1000, solvable=True, not_trivial=True, diverse=True),
    bar_scale=lin(0.2, 0.3, 2),
    obstacle_width=lin(0.4, 0.6, 4),
    obstacle_x=lin(0, 1, 64),
    platform_y=lin(0.2, 0.5, 5),
)
def build(
    s: SceneBuilder, bar_scale: float, obstacle_width: float, obstacle_x: float, platform_y: float
) -> None:
    s.skip_if(obstacle_x + obstacle_width > 1.0)
    platform = s.static.bar(obstacle_width, left=obstacle_x * W, bottom=platform_y * H)
    bar = s.dynamic.bar(bar_scale, angle=90, bottom=platform.top)
    if platform.left > W - platform.right:
        bar.place(left=platform.left)
    else:
        bar.place(right=platform.right)
    floor = s.static.bar(1, left=0, bottom=0)
    s.static.bar(1, left=0, bottom=bar.top + 0.2 * H)
    s.goal(bar, floor)
