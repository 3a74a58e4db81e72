"""Pictures of tasks and attempts for models, with a grid and labels if they are wanted."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from PIL import Image, ImageDraw, ImageFont

from topple.llm.phyre.scene import WALLS, body_names
from topple.media.files import Frame
from topple.phyre.frames import draw_scene, draw_states, start_poses
from topple.phyre.scene import Scene

PICTURE = 256  # px: one to a pixel of the scene
LABELLED = 512  # px, so that names can be read
GRID_STEP = 32  # px of the scene between two lines
_LINE, _TEXT = (200, 200, 200), (90, 0, 90)


def draw(scene: Scene, poses: npt.ArrayLike | None, labels: bool) -> Frame:
    """A state of a scene; the start by default."""
    size = LABELLED if labels else PICTURE
    if poses is None:
        frame = draw_scene(scene, size)
    else:
        (frame,) = draw_states(scene, np.asarray(poses)[None], size)
    return label(frame, scene, poses) if labels else frame


def label(frame: Frame, scene: Scene, poses: npt.ArrayLike | None = None) -> Frame:
    """Add lines every 32 px of the scene with their coordinates, and names of bodies."""
    image = Image.fromarray(frame)
    pen, font = ImageDraw.Draw(image), ImageFont.load_default(size=11)
    scale = image.width / scene.width
    for value in range(GRID_STEP, round(scene.width), GRID_STEP):
        x, y = value * scale, image.height - value * scale
        pen.line((x, 0, x, image.height), fill=_LINE)
        pen.line((0, y, image.width, y), fill=_LINE)
        pen.text((x + 1, image.height - 13), str(value), fill=_TEXT, font=font)
        pen.text((1, y - 13), str(value), fill=_TEXT, font=font)
    places = start_poses(scene) if poses is None else np.asarray(poses)
    for name, pose in list(zip(body_names(scene), places.tolist(), strict=False))[len(WALLS) :]:
        at = (pose[0] * scale, image.height - pose[1] * scale)
        pen.text(at, name, fill=_TEXT, font=font, anchor="mm")
    return np.asarray(image)


def numbered(frame: Frame, columns: int, rows: int) -> Frame:
    """Add the lines of a grid and number its cells row by row from the top left, from 1."""
    image = Image.fromarray(frame)
    pen, font = ImageDraw.Draw(image), ImageFont.load_default(size=14)
    width, height = image.width / columns, image.height / rows
    red = (255, 0, 0)
    for column in range(1, columns):
        pen.line((column * width, 0, column * width, image.height), fill=red)
    for row in range(1, rows):
        pen.line((0, row * height, image.width, row * height), fill=red)
    for cell in range(columns * rows):
        row, column = divmod(cell, columns)
        at = ((column + 0.5) * width, (row + 0.5) * height)
        pen.text(at, str(cell + 1), fill=red, font=font, anchor="mm")
    return np.asarray(image)
