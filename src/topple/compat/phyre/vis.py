"""The original's pictures of observations."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

from topple.phyre.frames import code_frame
from topple.phyre.palette import PHYRE_RGB
from topple.phyre.scene import Color

MARK_RGB = (255, 0, 0)  # of single points the player drew
NOT_SOLVED_RGB = (121, 6, 4)
SOLVED_RGB = (11, 102, 35)
BAR = 5  # pixels: height of the bar that tells the status, and its margin left and right


def observations_to_uint8_rgb(
    scene: npt.NDArray[np.integer],
    user_input: Iterable[tuple[int, int]] = (),
    is_solved: bool | None = None,
) -> npt.NDArray[np.uint8]:
    """An observation as a picture with the top row first.

    Args:
        scene: [rows, columns] colour codes, row 0 at the bottom.
        user_input: points (column, row) to mark.
        is_solved: if given, a bar above the picture says so in green or red.

    Returns:
        [rows, columns, 3], five rows more with the bar.
    """
    picture = code_frame(np.asarray(scene, np.uint8))
    rows, columns = scene.shape
    for column, row in user_input:
        if 0 <= row < rows and 0 <= column < columns:
            picture[rows - 1 - row, column] = MARK_RGB
    if is_solved is None:
        return picture
    bar = np.tile(PHYRE_RGB[Color.WHITE], (BAR, columns, 1))
    bar[:, BAR:-BAR] = SOLVED_RGB if is_solved else NOT_SOLVED_RGB
    return np.concatenate([bar, picture])


def observations_to_float_rgb(
    scene: npt.NDArray[np.integer],
    user_input: Iterable[tuple[int, int]] = (),
    is_solved: bool | None = None,
) -> npt.NDArray[np.float64]:
    """The same picture in numbers from 0 to 1."""
    return observations_to_uint8_rgb(scene, user_input, is_solved) / 255.0
