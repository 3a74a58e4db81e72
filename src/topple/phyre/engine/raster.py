"""Scenes as 256 x 256 images of colour codes, drawn by the engine."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from topple.phyre.engine.native import SceneSet, observe_scenes
from topple.phyre.engine.request import SCENE_SIZE


def draw_scenes(
    scenes: SceneSet,
    scene_index: npt.ArrayLike | None = None,
    balls: npt.ArrayLike = (),
) -> npt.NDArray[np.uint8]:
    """Draws scenes before the first step.

    Args:
        scenes: what to draw.
        scene_index: [images] which of them; all by default.
        balls: [balls, 3] x, y and radius in pixels of red balls added to each.

    Returns:
        [images, 256, 256] values of Color; row 0 is the bottom row.
    """
    index = np.arange(len(scenes)) if scene_index is None else np.asarray(scene_index)
    images = np.empty((len(index), SCENE_SIZE, SCENE_SIZE), np.uint8)
    observe_scenes(scenes, index, balls, images=images)
    return images
