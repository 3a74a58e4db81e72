"""Sticks on a pedestal hold a tiny ball in their crook. Get it down to the floor."""

from topple.phyre.authoring import Selection, multiples, template
from topple.phyre.builder import H, SceneBuilder, W
from topple.phyre.tier import Tier


@template(
    "00124",
    Tier.TWO_BALLS,
    Selection(search=300, solvable=True, diverse=True),
    base_x=multiples(0.05, 0, 9),
    base_y=multiples(0.05, 0, 9),
    scale=(0.35, 0.45, 0.55),
)
def build(s: SceneBuilder, base_x: float, base_y: float, scale: float) -> None:
    base = s.static.bar(0.15, center_x=(0.25 + base_x) * W, bottom=base_y * H)
    s.static.bar(0.02, angle=90, left=base.left, bottom=base.top)
    s.static.bar(0.02, angle=90, right=base.right, bottom=base.top)
    sticks = s.dynamic.standing_sticks(scale, center_x=base.left + base.width / 2, bottom=base.top)
    ball = s.dynamic.ball(0.03, center_x=sticks.left + sticks.width / 2, top=sticks.top - 0.005 * H)
    s.static.bar(0.15, center_x=ball.left + ball.width / 2, bottom=sticks.top + 0.05 * H)
    waist = sticks.bottom + sticks.height / 2.0
    s.dynamic.ball(0.03, right=base.left, center_y=waist)
    s.dynamic.ball(0.03, left=base.right, center_y=waist)
    floor = s.static.bar(1.0, left=0, bottom=0)
    s.goal(ball, floor)
