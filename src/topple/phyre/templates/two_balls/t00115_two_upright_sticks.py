"""Two sticks stand upright under a low ceiling. Make them fall against each other."""

from topple.phyre.authoring import Selection, lin, template
from topple.phyre.builder import H, SceneBuilder, W
from topple.phyre.tier import Tier


@template(
    "00115",
    Tier.TWO_BALLS,
    Selection(solvable=True),
    stick1_x=lin(0.05, 0.95, 19),
    stick2_x=lin(0.05, 0.95, 19),
    stick_length=lin(0.2, 0.5, 10),
)
def build(s: SceneBuilder, stick1_x: float, stick2_x: float, stick_length: float) -> None:
    s.skip_if(stick2_x <= stick1_x + 1.75 * stick_length)
    s.skip_if(stick2_x > stick1_x + 2.5 * stick_length)
    left = s.dynamic.bar(stick_length, angle=90, bottom=0, left=stick1_x * W)
    right = s.dynamic.bar(stick_length, angle=90, bottom=0, left=stick2_x * W)
    s.static.bar(1.0, left=0, bottom=(stick_length + 0.25) * H)
    s.goal(left, right)
