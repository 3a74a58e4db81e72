"""The original's pictures of observations, and GIFs of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
from PIL import Image, ImageSequence

from topple.compat.phyre.objects_util import (
    featurized_objects_vector_to_raster as featurized_objects_vector_to_raster,
)
from topple.media.files import Frame, save_frames
from topple.phyre.palette import PHYRE_RGB

#: [8, 3] red, green and blue of each colour code; the last, light red, is in no observation.
WAD_COLORS: npt.NDArray[np.uint8] = np.array([*PHYRE_RGB, (252, 223, 227)], np.uint8)
#: [2, 3] of the bar that tells whether the task was solved: no, yes.
SOLVE_STATUS_COLORS: npt.NDArray[np.uint8] = np.array([(121, 6, 4), (11, 102, 35)], np.uint8)

MARK_RGB = (255, 0, 0)  # of single points the player drew
BAR = 5  # pixels: height of the bar that tells the status, and its margin left and right
GIF_FPS = 10


def observations_to_uint8_rgb(
    scene: npt.ArrayLike,
    user_input: Iterable[tuple[int, int]] = (),
    is_solved: bool | None = None,
) -> npt.NDArray[np.uint8]:
    """An observation as a picture with the top row first.

    Args:
        scene: [rows, columns] colour codes, row 0 at the bottom. With more dimensions, the
            first one is turned over instead of the rows, as in the original.
        user_input: points (column, row) to mark.
        is_solved: if given, a bar above the picture says so in green or red.

    Returns:
        [rows, columns, 3], five rows more with the bar.
    """
    picture = WAD_COLORS[np.asarray(scene)]
    for column, row in user_input:
        if 0 <= row < picture.shape[0] and 0 <= column < picture.shape[1]:
            picture[row, column] = MARK_RGB
    if is_solved is None:
        return np.ascontiguousarray(picture[::-1])
    bar = np.tile(WAD_COLORS[0], (BAR, picture.shape[1], 1))
    bar[:, BAR:-BAR] = SOLVE_STATUS_COLORS[int(is_solved)]
    return np.concatenate([bar, picture[::-1]])


def observations_to_float_rgb(
    scene: npt.ArrayLike,
    user_input: Iterable[tuple[int, int]] = (),
    is_solved: bool | None = None,
) -> npt.NDArray[np.float64]:
    """The same picture in numbers from 0 to 1."""
    return observations_to_uint8_rgb(scene, user_input, is_solved) / 255.0


def save_observation_series_to_gif(
    batched_observation_series: Sequence[npt.NDArray[np.integer]],
    fpath: str | Path,
    solved_states: Sequence[bool] | None = None,
) -> None:
    """Write simulations side by side; shorter ones rest on their last frame.

    Args:
        batched_observation_series: [simulations] images [frames, rows, columns] of each.
        fpath: a file that ends in .gif.
        solved_states: [simulations] if given, a bar above each says whether it was solved.
    """
    states = [None] * len(batched_observation_series) if solved_states is None else solved_states
    columns = [
        [observations_to_uint8_rgb(image, is_solved=state) for image in images]
        for images, state in zip(batched_observation_series, states, strict=True)
    ]
    save_frames(_in_step(columns, 1), fpath, GIF_FPS)


def compose_gifs(input_fpathes: Sequence[str | Path], output_fpath: str | Path) -> None:
    """Write several GIFs below each other in one; shorter ones rest on their last frame."""
    save_frames(_in_step([_read_gif(path) for path in input_fpathes], 0), output_fpath, GIF_FPS)


def compose_gifs_compact(input_fpathes: Sequence[str | Path], output_fpath: str | Path) -> None:
    """Write a GIF with a frame for each given one: its first picture above its last."""
    ends = [_read_gif(path) for path in input_fpathes]
    if ends:
        frames = [np.concatenate([gif[0], gif[-1]]) for gif in ends]
        save_frames(frames, output_fpath, GIF_FPS)


def _in_step(series: Sequence[Sequence[Frame]], axis: int) -> list[Frame]:
    """Frame by frame, all series joined along an axis."""
    length = max(map(len, series))
    return [
        np.concatenate([frames[min(step, len(frames) - 1)] for frames in series], axis)
        for step in range(length)
    ]


def _read_gif(path: str | Path) -> list[Frame]:
    """The frames of a GIF, as often as they are shown for a frame's time."""
    frames: list[Frame] = []
    with Image.open(path) as gif:
        for frame in ImageSequence.Iterator(gif):
            times = max(1, round(frame.info.get("duration", 0) * GIF_FPS / 1000))
            frames += [np.asarray(frame.convert("RGB"))] * times
    return frames
