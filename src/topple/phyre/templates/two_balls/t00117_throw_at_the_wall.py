"""A ball sits at the raised end of a tilted beam. Throw it at the target high on the right wall."""

import math

from topple.phyre.authoring import Selection, lin, template
from topple.phyre.builder import H, SceneBuilder, W
from topple.phyre.scene import exact_math
from topple.phyre.tier import Tier

TARGET_Y = 0.6


@template(
    "00117",
    Tier.TWO_BALLS,
    Selection(solvable=True, diverse=True),
    beam_angle=lin(15, 30, 10),
    beam_size=lin(0.35, 0.5, 10),
    fulcrum_x=lin(0.2, 0.4, 10),
)
def build(s: SceneBuilder, beam_angle: float, beam_size: float, fulcrum_x: float) -> None:
    target = s.static.bar(1.0 - TARGET_Y, angle=90, right=W, bottom=TARGET_Y * H)
    s.static.bar(0.25, angle=-10, right=W, bottom=TARGET_Y * H)
    fulcrum = s.static.ball(0.1, bottom=0, center_x=fulcrum_x * W)
    sine, cosine = exact_math.sin_cos(math.radians(beam_angle))
    drop = 0.5 * beam_size * sine * H
    beam = s.dynamic.bar(
        beam_size, angle=beam_angle, bottom=fulcrum.top - drop, center_x=fulcrum_x * W
    )
    s.skip_if(beam.left < 0 or beam.bottom < 0)
    end = fulcrum_x + 0.5 * beam_size * cosine
    ball = s.dynamic.ball(0.1, bottom=beam.top, center_x=end * W)
    s.goal(ball, target)
