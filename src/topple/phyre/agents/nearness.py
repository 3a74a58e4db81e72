"""How near an attempt came to its goal: by how far the goal's bodies stayed apart."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

from topple.phyre.engine.request import SCENE_SIZE, STEPS_PER_SECOND, Request
from topple.phyre.engine.result import BatchResult

LOOKS_PER_SECOND = 4  # at bodies
APART = 2.0 * SCENE_SIZE  # pixels; farther than two bodies of a scene can be
#: What has to be simulated of an attempt that is watched.
LOOKS = Request(stride=STEPS_PER_SECOND // LOOKS_PER_SECOND, states=True)

_HELD_FRAMES = 3 * LOOKS_PER_SECOND  # while a goal has to hold


def kept_distances(result: BatchResult, goal: Iterable[int]) -> npt.NDArray[np.float64]:
    """[attempts] the least distance that two bodies did not exceed for as long as a goal takes.

    Args:
        result: with states, looked at so many times a second.
        goal: the numbers of the two bodies.
    """
    assert result.states is not None
    one, two = (result.states[:, :, body, :2] for body in goal)
    apart = np.hypot(*np.moveaxis(one - two, -1, 0)).astype(np.float64)
    window = min(_HELD_FRAMES, apart.shape[1])
    windows = np.lib.stride_tricks.sliding_window_view(apart, window, axis=1).max(axis=2)
    complete = np.arange(windows.shape[1]) <= result.frame_count[:, None] - window
    return np.asarray(np.where(complete, windows, APART).min(axis=1))
