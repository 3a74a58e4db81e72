"""Mined attempts: beside known solutions, where a little decides between success and failure.

Listed actions are far apart, with two balls above all. Solutions that are changed a little give
near misses and further solutions, which teach a network where the borders are.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from topple.phyre.action import Actions, small_changes
from topple.phyre.cache.shard import Outcomes
from topple.phyre.engine.backend import Backend
from topple.phyre.engine.native import SceneSet, simulate_batch
from topple.phyre.engine.result import Outcome
from topple.phyre.scene import Scene


class Mined(NamedTuple):
    """Equally many attempts on each of some scenes; those on a scene never solved are invalid."""

    actions: npt.NDArray[np.float32]  # [scenes, attempts, action_size]
    outcomes: Outcomes  # [scenes, attempts]


def changed(actions: Actions, rng: np.random.Generator) -> Actions:
    """[actions, action_size] actions that differ a little from the given ones."""
    near: Actions = np.clip(actions + small_changes(actions.shape, rng), 0, 1)
    return near


def mine(
    scenes: Sequence[Scene],
    actions: Actions,
    tried: npt.NDArray[np.int32] | None,
    outcomes: Outcomes,
    count: int,
    rng: np.random.Generator,
    *,
    threads: int | None = None,
    backend: Backend = "cpu",
) -> Mined:
    """Change known solutions of scenes, and simulate what becomes of them.

    Args:
        scenes: the scenes.
        actions: the list that was tried on them.
        tried: [scenes, tried] numbers of the actions that were tried on each; None: the first ones.
        outcomes: [scenes, tried] what came of them.
        count: attempts on each scene.
        rng: for all random choices.
        threads: at most this many; all cores by default.
        backend: where they are simulated.
    """
    width = outcomes.shape[1]
    solutions = np.flatnonzero(outcomes == Outcome.SOLVED)
    starts = np.searchsorted(solutions, np.arange(len(scenes) + 1) * width)
    solved = np.flatnonzero(np.diff(starts))
    size = actions.shape[1]
    found = Mined(
        np.zeros((len(scenes), count, size), np.float32),
        np.full((len(scenes), count), Outcome.INVALID, np.int8),
    )
    if not len(solved):
        return found
    place = np.repeat(solved, count)
    column = solutions[rng.integers(starts[place], starts[place + 1])] % width
    number = column if tried is None else tried[place, column]
    # In the precision that they are learned with.
    near = changed(actions[number], rng).astype(np.float32)
    result = simulate_batch(
        SceneSet(scenes), place, near.astype(np.float64), threads=threads, backend=backend
    )
    found.actions[solved] = near.reshape(len(solved), count, size)
    found.outcomes[solved] = result.outcome.reshape(len(solved), count)
    return found
