"""Two balls are trapped under tilted jars on platforms of their own. Free them to touch."""

from topple.phyre.authoring import Selection, multiples, template
from topple.phyre.builder import BodyDraft, H, SceneBuilder, W
from topple.phyre.tier import Tier


@template(
    "00105",
    Tier.TWO_BALLS,
    Selection(solvable=True),
    platform1_x=multiples(0.05, 6, 15),
    platform1_y=multiples(0.1, 0, 7),
    platform2_x=multiples(0.05, 6, 15),
    platform2_y=multiples(0.1, 0, 7),
)
def build(
    s: SceneBuilder,
    platform1_x: float,
    platform1_y: float,
    platform2_x: float,
    platform2_y: float,
) -> None:
    s.skip_if(platform1_x + 0.3 >= platform2_x)
    s.skip_if(abs(platform1_y - platform2_y) >= 0.3)
    left = _trapped_ball(s, platform1_x, platform1_y, mirrored=False)
    right = _trapped_ball(s, platform2_x, platform2_y, mirrored=True)
    s.goal(left, right)


def _trapped_ball(s: SceneBuilder, x: float, y: float, *, mirrored: bool) -> BodyDraft:
    """A ball under a tilted jar that leans on the outer end of a platform."""
    platform = s.static.bar(0.2, bottom=y * H, center_x=x * W)
    stop = s.static.bar(0.02, angle=90, bottom=platform.top)
    if mirrored:
        stop.place(right=platform.right)
    else:
        stop.place(left=platform.left)
    offset = platform.width / 2.0 + (0.04 * W if mirrored else -0.04 * W)
    jar = s.dynamic.jar(
        0.2,
        angle=146 if mirrored else -146,
        bottom=platform.top,
        center_x=platform.left + offset,
    )
    inset = jar.width * 0.7
    return s.dynamic.ball(
        0.1, bottom=jar.bottom, center_x=jar.right - inset if mirrored else jar.left + inset
    )
