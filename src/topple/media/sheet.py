"""Contact sheets: many pictures in rows, each with its name beneath."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from topple.media.files import Frame

_PAPER = (255, 255, 255)
_INK = (60, 60, 60)
_EDGE = (190, 190, 190)
_MIN_TEXT = 9  # pixels; smaller captions cannot be read


def contact_sheet(
    frames: Sequence[Frame], labels: Sequence[str], columns: int, margin: int = 12
) -> Frame:
    """Lay frames of one size out in rows, each with its label beneath.

    Args:
        frames: what to show, row by row.
        labels: one per frame.
        columns: frames in a row.
        margin: pixels between frames and around them.

    Raises:
        ValueError: if there are no frames, no columns, or more or fewer labels than frames.
    """
    if not frames or columns < 1:
        raise ValueError(f"a sheet needs frames and columns, not {len(frames)} and {columns}")
    if len(labels) != len(frames):
        raise ValueError(f"there are {len(labels)} labels for {len(frames)} frames")
    height, width = frames[0].shape[:2]
    text = max(_MIN_TEXT, width // 14)
    line = text + text // 2
    across, rows = min(columns, len(frames)), math.ceil(len(frames) / columns)
    step_x, step_y = width + margin, height + line + margin
    sheet = Image.new("RGB", (across * step_x + margin, rows * step_y + margin), _PAPER)
    pen = ImageDraw.Draw(sheet)
    font = ImageFont.load_default(text)
    for k, (frame, label) in enumerate(zip(frames, labels, strict=True)):
        x, y = margin + k % columns * step_x, margin + k // columns * step_y
        sheet.paste(Image.fromarray(frame), (x, y))
        pen.rectangle((x - 1, y - 1, x + width, y + height), outline=_EDGE)
        middle = (x + width / 2, y + height + line / 2 + 1)
        pen.text(middle, label, fill=_INK, font=font, anchor="mm")
    return np.array(sheet)
