"""A ball lies in a flat V of two short bars. Push it out and onto the floor."""

import math

from topple.phyre.authoring import Selection, lin, template
from topple.phyre.builder import H, SceneBuilder, W
from topple.phyre.scene import exact_math
from topple.phyre.tier import Tier

TILT = 5  # degrees


@template(
    "00015",
    Tier.BALL,
    Selection(search=500, solvable=True, not_trivial=True, diverse=True),
    bar_size=lin(0.05, 0.1, 5),
    x=lin(0.2, 0.8, 10),
    y=lin(0.2, 0.5, 10),
)
def build(s: SceneBuilder, bar_size: float, x: float, y: float) -> None:
    floor = s.static.bar(1.0, left=0, bottom=0)
    left_bar = s.static.bar(bar_size, angle=360 - TILT, right=x * W, bottom=y * H)
    right_bar = s.static.bar(bar_size, angle=TILT, left=left_bar.right, bottom=left_bar.bottom)
    sine, _ = exact_math.sin_cos(math.radians(TILT))
    rise = bar_size * sine
    ball = s.dynamic.ball(0.1, bottom=right_bar.top - (rise - 0.001) * H, center_x=x * W)
    s.goal(ball, floor)
