"""A ball lies over one lip of a gap, a jar stands on the floor right below. Bring them together."""

from topple.phyre.authoring import Selection, multiples, template
from topple.phyre.builder import H, SceneBuilder, W
from topple.phyre.tier import Tier


@template(
    "00100",
    Tier.TWO_BALLS,
    Selection(search=300, needs_two_balls=True),
    ball_size=(0.075, 0.1, 0.125),
    bar_height=multiples(0.1, 4, 5),
    glass_size=(0.2, 0.25),
    hole_left=multiples(0.1, 3, 6),
    hole_size=(0.15, 0.2, 0.25),
    left_wall=(True, False),
)
def build(
    s: SceneBuilder,
    ball_size: float,
    bar_height: float,
    glass_size: float,
    hole_left: float,
    hole_size: float,
    left_wall: bool,
) -> None:
    hole_right = hole_left + hole_size
    s.skip_if(hole_right >= 1.0)
    lip = (hole_left if left_wall else hole_right) * W
    ball = s.dynamic.ball(ball_size, center_x=lip, bottom=0.6 * H)
    s.static.bar(hole_left, left=0, bottom=bar_height * H)
    s.static.bar(1.0 - hole_right, right=W, bottom=bar_height * H)
    jar = s.dynamic.jar(glass_size, center_x=lip, bottom=0)
    s.goal(ball, jar)
