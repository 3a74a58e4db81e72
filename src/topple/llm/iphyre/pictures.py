"""Pictures of games and plays for models, with labels if they are wanted."""

from __future__ import annotations

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from topple.iphyre.engine.batch import Floats, World
from topple.iphyre.game import Game
from topple.iphyre.pictures import SIZE, draw
from topple.llm.iphyre.feedback import WatchedPlay
from topple.llm.iphyre.scene import body_names
from topple.media.files import Frame

PICTURE = 300  # px
LABELLED = 600  # px, so that names can be read
GRID_STEP = 100  # px of the scene between two lines
_SMOOTH = 2
_LINE, _TEXT = (215, 215, 215), (90, 0, 90)


def draw_world(game: Game, world: World, labels: bool) -> Frame:
    """The state a world is in."""
    return _draw(game, world.poses(), np.asarray(world.present), labels)


def draw_play(seen: WatchedPlay, second: float, labels: bool) -> Frame:
    """A play at a time."""
    tick = seen.tick(second)
    return _draw(seen.game, seen.trace.poses[tick], seen.trace.present[tick], labels)


def numbered_blocks(game: Game, world: World) -> Frame:
    """The start, with the number of each gray block from 0 on it."""
    image = Image.fromarray(
        draw(game.scene, world.poses(), world.present, game.eliminable, LABELLED, _SMOOTH)
    )
    pen, font = ImageDraw.Draw(image), ImageFont.load_default(size=18)
    for number, body in enumerate(game.eliminable):
        x, y = game.centre(body)
        pen.text((x, y), str(number), fill=(255, 0, 0), font=font, anchor="mm")
    return np.asarray(image)


def _draw(game: Game, poses: Floats, present: np.typing.NDArray[np.bool_], labels: bool) -> Frame:
    size = LABELLED if labels else PICTURE
    frame = draw(game.scene, poses, present, game.eliminable, size, _SMOOTH)
    if not labels:
        return frame
    image = Image.fromarray(frame)
    pen, font = ImageDraw.Draw(image), ImageFont.load_default(size=11)
    for value in range(GRID_STEP, SIZE, GRID_STEP):
        at = value * size / SIZE
        pen.line((at, 0, at, size), fill=_LINE)
        pen.line((0, at, size, at), fill=_LINE)
        pen.text((at + 1, 1), str(value), fill=_TEXT, font=font)
        pen.text((1, at + 1), str(value), fill=_TEXT, font=font)
    for body, name in enumerate(body_names(game)):
        x, y = (float(number) * size / SIZE for number in poses[body][:2])
        if present[body] and 0 <= x < size and 0 <= y < size:
            pen.text((x, y), name, fill=_TEXT, font=font, anchor="mm")
    return np.asarray(image)
