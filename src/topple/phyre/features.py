"""Object features: 14 numbers for each body of a known kind, as PHYRE publishes them.

Columns: x and y as shares of the scene (a jar's are those of its centre of mass), angle as a
share of a turn, diameter as a share of the scene, then one-hot kind (ball, bar, jar,
standing sticks) and one-hot colour (red, green, blue, purple, gray, black). Walls have no
features; balls of the player come last.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from topple.phyre.engine.native import SceneSet, observe_scenes
from topple.phyre.engine.result import FEATURE_COUNT

X, Y, ANGLE, DIAMETER = range(4)
KIND = slice(4, 8)
COLOR = slice(8, 14)


def scene_features(scenes: SceneSet, scene: int) -> npt.NDArray[np.float32]:
    """[objects, 14] features of a scene before the first step."""
    count = int(scenes.packed.object_counts()[scene])
    rows = np.zeros((1, count, FEATURE_COUNT), np.float32)
    observe_scenes(scenes, [scene], objects=rows)
    features: npt.NDArray[np.float32] = rows[0]
    return features
