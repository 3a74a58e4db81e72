"""A bar stands upright in a small jar like a flower in a vase. Tip it against the near wall."""

from topple.phyre.authoring import Selection, lin, template
from topple.phyre.builder import SceneBuilder, W
from topple.phyre.tier import Tier


@template(
    "00003",
    Tier.BALL,
    Selection(solvable=True),
    bar_scale=lin(0.2, 0.5, 4),
    jar_x=lin(0.05, 0.95, 20),
    jitter_x=lin(-2, 2, 5),
)
def build(s: SceneBuilder, bar_scale: float, jar_x: float, jitter_x: float) -> None:
    vase = s.dynamic.jar(0.1, angle=0, bottom=0, center_x=jar_x * W)
    bar = s.dynamic.bar(bar_scale, angle=90, bottom=4, center_x=vase.center_x + jitter_x)
    s.skip_if(vase.left <= bar.width or vase.right >= W - 1 - bar.width)
    # The wall has to be within reach of the falling bar.
    reach = bar.height + 40
    if reach > bar.left:
        wall = s.static.bar(1.0, angle=90, left=0, bottom=0)
    elif reach > W - bar.right:
        wall = s.static.bar(1.0, angle=90, right=W, bottom=0)
    else:
        s.skip()
    s.goal(bar, wall)
