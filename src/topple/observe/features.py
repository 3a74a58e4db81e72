"""Object features: 14 numbers for each body of a known kind, as PHYRE publishes them.

Columns: x and y as shares of the scene (a jar's are those of its centre of mass), angle as a
share of a turn, diameter as a share of the scene, then one-hot kind (ball, bar, jar,
standing sticks) and one-hot colour (red, green, blue, purple, gray, black). Walls have no
features; balls of the player come last.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from topple import _native
from topple.physics.native import SceneSet
from topple.physics.trajectory import FEATURE_COUNT

X, Y, ANGLE, DIAMETER = range(4)
KIND = slice(4, 8)
COLOR = slice(8, 14)


def scene_features(scenes: SceneSet, scene: int) -> npt.NDArray[np.float32]:
    """[objects, 14] features of a scene before the first step."""
    count = int(scenes.packed.object_counts()[scene])
    objects = np.zeros((1, count, FEATURE_COUNT), np.float32)
    _native.observe(scenes.handle, np.array([scene], np.int32), np.zeros((0, 3)), None, objects)
    return objects[0]
