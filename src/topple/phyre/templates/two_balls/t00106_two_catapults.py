"""Two loaded catapults face each other. Set them off so that the balls touch."""

from topple.phyre.authoring import multiples, template
from topple.phyre.builder import BodyDraft, H, SceneBuilder, W
from topple.phyre.tier import Tier


@template(
    "00106",
    Tier.TWO_BALLS,
    catapult1_x=multiples(0.1, 2, 8),
    catapult1_y=multiples(0.1, 0, 6),
    catapult2_x=multiples(0.1, 2, 8),
    catapult2_y=multiples(0.1, 0, 6),
)
def build(
    s: SceneBuilder,
    catapult1_x: float,
    catapult1_y: float,
    catapult2_x: float,
    catapult2_y: float,
) -> None:
    s.skip_if(catapult1_x + 0.3 >= catapult2_x)
    left = _catapult(s, catapult1_x, catapult1_y, left=True)
    right = _catapult(s, catapult2_x, catapult2_y, left=False)
    s.goal(left, right)


def _catapult(s: SceneBuilder, x: float, y: float, *, left: bool) -> BodyDraft:
    """A plank on a hinge with a ball on its outer end; returns the ball."""
    base = s.static.bar(0.1, bottom=y * H, center_x=x * W)
    s.static.bar(0.02, angle=90, bottom=base.top, left=base.left)
    s.static.bar(0.02, angle=90, bottom=base.top, right=base.right)
    middle = base.left + base.width / 2
    hinge = s.static.ball(0.05, bottom=base.top, center_x=middle)
    # Tilted last, about its centre: one end dips below the top of the hinge.
    plank = s.dynamic.bar(0.25, center_x=middle, bottom=hinge.top, angle=20 if left else -20)
    load = s.dynamic.ball(0.07, bottom=plank.top)
    if left:
        return load.place(left=plank.left)
    return load.place(right=plank.right)
