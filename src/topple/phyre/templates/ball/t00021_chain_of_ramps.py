"""A ball on a ramp, a seesaw, another ramp, a fixed jar. See the ball all the way into the jar."""

import math

from topple.phyre.authoring import Selection, lin, template
from topple.phyre.builder import H, SceneBuilder, W
from topple.phyre.scene import exact_math
from topple.phyre.tier import Tier

GAP = 0.005 * W  # pixels between neighbours


@template(
    "00021",
    Tier.BALL,
    Selection(search=300, solvable=True, not_trivial=True, diverse=True),
    angle=lin(10, 20, 3),
    h0=lin(0.2, 0.5, 15),
    w1=lin(0.1, 0.2, 3),
    w2=lin(0.15, 0.3, 3),
)
def build(s: SceneBuilder, angle: float, h0: float, w1: float, w2: float) -> None:
    _, cosine = exact_math.sin_cos(math.radians(angle))
    ramp_scale = w1 / cosine
    ramp = s.static.bar(ramp_scale, angle=360 - angle, left=0, bottom=h0 * H)
    seesaw = s.dynamic.bar(w2, left=ramp.right + GAP, bottom=ramp.bottom)
    pivot = s.static.ball(0.05, top=seesaw.bottom, center_x=seesaw.center_x)
    s.static.ball(0.05, right=seesaw.right, top=seesaw.bottom)
    s.static.bar(w2, left=seesaw.left, top=pivot.bottom)
    ramp2 = s.static.bar(ramp_scale, angle=360 - angle, left=seesaw.right + GAP, top=seesaw.top)
    jar = s.static.jar(w2, left=ramp2.right + GAP, top=ramp2.bottom)
    ramp3 = s.static.bar(ramp_scale, angle=360 - angle, left=jar.right + GAP, top=jar.top)
    rest = 1.0 - w1 - w2 - w1 - w2 - w1 - 5 * GAP / W
    s.skip_if(rest < 0.2)
    pad = s.static.bar(rest, left=ramp3.right + GAP, bottom=ramp3.bottom)
    ball = s.dynamic.ball(0.05, left=0, bottom=ramp.top)
    ceiling = s.static.bar(1.0, left=0, top=ball.top + 0.1 * H)
    s.skip_if(ceiling.top > H or pad.bottom < 0 or jar.bottom < 0)
    s.goal(ball, jar)
