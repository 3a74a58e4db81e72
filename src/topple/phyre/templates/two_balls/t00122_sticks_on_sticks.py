"""Loose sticks lean on the flank of big fixed ones. Make them fall to the ground."""

from topple.phyre.authoring import Selection, lin, template
from topple.phyre.builder import H, SceneBuilder, W
from topple.phyre.tier import Tier


@template(
    "00122",
    Tier.TWO_BALLS,
    Selection(search=320, solvable=True, not_trivial=True, needs_two_balls=True, diverse=True),
    center_x=lin(0.4, 0.7, 5),
    height=lin(0.0, 0.075, 2),
    left=(True, False),
    scale=lin(0.5, 0.7, 4),
    scale2=lin(0.4, 0.6, 4),
)
def build(
    s: SceneBuilder, center_x: float, height: float, left: bool, scale: float, scale2: float
) -> None:
    ground = s.static.bar(1.0, bottom=height * H, center_x=0.5 * W)
    base = s.static.standing_sticks(scale, bottom=ground.top, center_x=center_x * W)
    overlap = 0.1 * scale2 * W
    sticks = s.dynamic.standing_sticks(scale2, angle=35 if left else -35)
    if left:
        sticks.place(right=base.left + overlap)
    else:
        sticks.place(left=base.right - overlap)
    sticks.place(bottom=base.top - 0.1 * scale2 * H)
    s.goal(sticks, ground)
