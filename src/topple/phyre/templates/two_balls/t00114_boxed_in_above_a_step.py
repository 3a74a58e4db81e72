"""One ball is boxed in above a stepped shelf, the other hangs over a trough. Make them touch."""

from topple.phyre.authoring import Selection, lin, multiples, template
from topple.phyre.builder import H, SceneBuilder, W
from topple.phyre.tier import Tier


@template(
    "00114",
    Tier.TWO_BALLS,
    Selection(search=1000, solvable=True, diverse=True),
    ball1_x=lin(0.15, 0.9, 8),
    ball2_x=lin(0.15, 0.9, 8),
    bar_y=multiples(0.1, 3, 6),
    obstacle_width=lin(0.1, 0.4, 6),
)
def build(
    s: SceneBuilder, ball1_x: float, ball2_x: float, bar_y: float, obstacle_width: float
) -> None:
    s.skip_if(ball2_x <= ball1_x)
    left = s.dynamic.ball(0.1, center_x=ball1_x * W, bottom=0.9 * H)
    right = s.dynamic.ball(0.1, center_x=ball2_x * W, bottom=0.9 * H)
    s.skip_if(right.left - left.right < 0.1 * W)
    scale = 1.0 - right.left / W
    shelf = s.static.bar(scale, bottom=bar_y * H, right=W)
    step = s.static.bar(scale + obstacle_width, bottom=(bar_y - 0.4 * obstacle_width) * H, right=W)
    rise = (shelf.top - step.top) / H
    riser = s.static.bar(rise + 0.04, angle=90, left=shelf.left, bottom=step.top)
    s.static.bar(1.0, angle=90, top=riser.top - 0.05 * H, left=step.left)
    s.static.bar(1.0, angle=90, left=right.right + 0.02 * W, bottom=shelf.top)
    s.skip_if(left.left + left.width / 2 >= step.left)
    trough = step.left / (1.9 * W)
    s.static.bar(trough, angle=-10, left=0, bottom=0)
    s.static.bar(trough, angle=10, right=step.left, bottom=0)
    s.goal(left, right)
