"""Actions: sampling, and the fixed lists agents choose from.

An action is a vector of numbers between 0 and 1: x, y and radius of each ball. It *fits*
if its balls lie inside the scene and apart from each other, whatever the task; it is
*valid* on a task if they also cover none of its bodies.
"""

from __future__ import annotations

from functools import cache, lru_cache

import numpy as np
import numpy.typing as npt

from topple.phyre.engine.native import SceneSet, map_actions
from topple.phyre.scene import Scene
from topple.phyre.tier import Tier

Actions = npt.NDArray[np.float64]

CACHE_SEED = 42  # of the fixed list behind the published tables
_LEAST_LISTED = 1024  # actions drawn together
_SPREADS = (0.01, 0.03, 0.1)  # standard deviations of small changes


@cache
def _empty_scene() -> SceneSet:
    return SceneSet([Scene((), name="empty scene")])


def map_to_balls(actions: npt.ArrayLike) -> tuple[npt.NDArray[np.bool_], Actions]:
    """[actions] which fit, and [actions, balls, 3] their balls in whole pixels, zero if not."""
    array = np.asarray(actions, dtype=np.float64)
    return map_actions(_empty_scene(), np.zeros(len(array), np.int32), array)


def fits(actions: npt.ArrayLike) -> npt.NDArray[np.bool_]:
    """[actions] whether the balls of each action lie inside the scene and apart."""
    return map_to_balls(actions)[0]


def sample_actions(tier: Tier, count: int, rng: np.random.RandomState) -> Actions:
    """[count, 3 * balls] actions that fit, drawn as the original draws them.

    The generator is NumPy's frozen legacy one, because published lists come from it. It
    is left where drawing one action after the other would leave it.
    """
    if count < 0:
        raise ValueError(f"count is {count}; it has to be 0 or more")
    kept: list[Actions] = []
    missing = count
    while missing > 0:
        state = rng.get_state()
        drawn = rng.uniform(size=(missing, tier.action_size))
        good = np.flatnonzero(fits(drawn))
        kept.append(drawn[good])
        missing -= len(good)
        if missing == 0 and good[-1] + 1 < len(drawn):
            rng.set_state(state)
            rng.uniform(size=(good[-1] + 1, tier.action_size))
    return np.concatenate(kept) if kept else np.zeros((0, tier.action_size))


def small_changes(shape: tuple[int, int], rng: np.random.Generator) -> Actions:
    """[actions, 3 * balls] what to add to actions to search beside them: mostly little."""
    changes: Actions = rng.choice(_SPREADS, (shape[0], 1)) * rng.standard_normal(shape)
    return changes


def discrete_actions(tier: Tier, count: int, seed: int = CACHE_SEED) -> Actions:
    """The first actions of a seed's fixed list; longer lists begin with shorter ones."""
    return sample_actions(tier, count, np.random.RandomState(seed))


def listed_actions(tier: Tier, count: int, seed: int = CACHE_SEED) -> Actions:
    """[count, 3 * balls] the first actions of the fixed list, as they are simulated.

    The published list was stored, and then simulated, in single precision.
    """
    # Few lengths, because callers ask for many.
    length = max(_LEAST_LISTED, 1 << int(max(count - 1, 0)).bit_length())
    return _rounded(tier, length, seed)[:count]


@lru_cache(maxsize=8)
def _rounded(tier: Tier, count: int, seed: int) -> Actions:
    rounded = discrete_actions(tier, count, seed).astype(np.float32).astype(np.float64)
    rounded.flags.writeable = False
    return rounded
