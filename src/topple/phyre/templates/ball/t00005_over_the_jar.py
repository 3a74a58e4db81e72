"""A ball hangs right over a jar. It must get to the floor, beside the jar or out of it."""

from topple.phyre.authoring import Selection, multiples, template
from topple.phyre.builder import H, SceneBuilder, W
from topple.phyre.tier import Tier


@template(
    "00005",
    Tier.BALL,
    Selection(solvable=True, diverse=True),
    ball_y=multiples(0.1, 7, 9),
    jar_scale=multiples(0.05, 3, 8),
    jar_x=multiples(0.1, 2, 7),
    jar_y=multiples(0.1, 0, 2),
)
def build(s: SceneBuilder, ball_y: float, jar_scale: float, jar_x: float, jar_y: float) -> None:
    floor = s.static.bar(1.0, left=0, bottom=0)
    jar = s.dynamic.jar(jar_scale, left=jar_x * W, bottom=floor.top + jar_y * H)
    s.skip_if(jar.left < 0 or jar.right > W)
    ball = s.dynamic.ball(0.1, bottom=ball_y * H, center_x=jar.left + jar.width / 2)
    s.goal(ball, floor)
