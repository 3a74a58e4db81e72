"""Solutions: the first action of the fixed list that solves a scene."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from topple.phyre.action import discrete_actions
from topple.phyre.tier import Tier
from topple.physics.native import SceneSet, simulate_batch
from topple.scene import Scene

_TRIED_AT_ONCE = 500


def first_solution(
    scene: Scene, tier: Tier = Tier.BALL, tries: int = 10_000
) -> npt.NDArray[np.float64] | None:
    """[3 * balls] the first of some actions that solves a scene; None if none does.

    Args:
        scene: a published task's or your own; it has a goal.
        tier: how many balls to place.
        tries: how many actions of the fixed list to try.
    """
    scenes = SceneSet([scene])
    actions = discrete_actions(tier, tries)
    for first in range(0, tries, _TRIED_AT_ONCE):
        batch = actions[first : first + _TRIED_AT_ONCE]
        solved = np.flatnonzero(simulate_batch(scenes, [0] * len(batch), batch).outcome > 0)
        if solved.size:
            action: npt.NDArray[np.float64] = batch[solved[0]]
            return action
    return None
