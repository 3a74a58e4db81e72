"""Two jars lie on their sides, a ball in the mouth of each. Roll the balls out so they meet."""

from topple.phyre.authoring import lin, template
from topple.phyre.builder import BodyDraft, H, SceneBuilder, W
from topple.phyre.tier import Tier


@template(
    "00118",
    Tier.TWO_BALLS,
    j1_left=(True, False),
    j1_size=(0.3, 0.35),
    j2_left=(True, False),
    j2_size=(0.3, 0.35),
    y1=lin(0.2, 0.7, 5),
    y2=lin(0.2, 0.7, 5),
)
def build(
    s: SceneBuilder,
    j1_left: bool,
    j1_size: float,
    j2_left: bool,
    j2_size: float,
    y1: float,
    y2: float,
) -> None:
    # A large jar that opens outwards would reach through the wall.
    s.skip_if(j1_left and j1_size == 0.35)
    s.skip_if(not j2_left and j2_size == 0.35)
    s.static.bar(1.0, angle=15, bottom=0, left=W / 2)
    s.static.bar(1.0, angle=-15, bottom=0, right=W / 2)
    left = _jar_with_ball(s, 0.25, y1, j1_size, opens_left=j1_left)
    right = _jar_with_ball(s, 0.75, y2, j2_size, opens_left=j2_left)
    s.goal(left, right)


def _jar_with_ball(
    s: SceneBuilder, x: float, y: float, scale: float, *, opens_left: bool
) -> BodyDraft:
    """A fixed jar on its side; returns the ball in its mouth."""
    jar = s.static.jar(scale, angle=85 if opens_left else -85, bottom=y * H, center_x=x * W)
    ball = s.dynamic.ball(0.07, bottom=jar.bottom + 0.02 * H)
    if opens_left:
        return ball.place(left=jar.left - 0.03 * W)
    return ball.place(right=jar.right + 0.03 * W)
