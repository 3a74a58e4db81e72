"""Dominoes of growing height stand under a shelf. Bring the ball on the shelf to the floor."""

from topple.phyre.authoring import Selection, lin, template
from topple.phyre.builder import H, SceneBuilder, W
from topple.phyre.tier import Tier


@template(
    "00112",
    Tier.TWO_BALLS,
    Selection(search=300, solvable=True),
    ball_x=lin(0.1, 0.4, 10),
    bar_y=lin(0.4, 0.8, 10),
    left=(True, False),
    num_bars=range(5, 9),
)
def build(s: SceneBuilder, ball_x: float, bar_y: float, left: bool, num_bars: int) -> None:
    floor = s.static.bar(1.0, left=0, bottom=0)
    start, step = (0.2, 0.1) if left else (1.0 - 0.2, -0.1)
    dominoes = [
        s.dynamic.bar(0.15 + 0.05 * k, angle=90, left=(start + step * k) * W, bottom=floor.top)
        for k in range(num_bars)
    ]
    tallest = dominoes[-1]
    shelf = s.static.bar(0.7, bottom=bar_y * H)
    ball = s.dynamic.ball(0.1, center_x=(1.0 - ball_x if left else ball_x) * W, bottom=0.9 * H)
    middle = tallest.top + (shelf.bottom - tallest.top) / 2.0
    loose = s.dynamic.ball(0.1, center_y=middle)
    if left:
        shelf.place(right=W)
        loose.place(left=tallest.left)
    else:
        shelf.place(left=0)
        loose.place(right=tallest.right)
    s.skip_if(loose.bottom <= tallest.top or loose.top >= shelf.bottom)
    s.goal(ball, floor)
