"""I-PHYRE physics on pymunk: packed scenes and arrays in, arrays out.

The seam is that of the PHYRE engine. A scene is capsules and balls in pixels with
y pointing down; an episode removes bodies at given ticks and ends when every ball
is out, or at a limit.

Chipmunk's results depend on the order in which shapes enter a space and on the
number the first shape gets, so both are part of the interface. The original
benchmark rebuilds a scene in one space, which counts on: after `resets` builds the
first shape has number `(resets - 1) * bodies`.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from topple.physics.munk_memory import Floats
from topple.physics.munk_world import (
    BELOW,
    MAX_BODIES,
    PUBLISHED_PARAMS,
    Exit,
    MunkParams,
    MunkScene,
    MunkWorld,
)

NEVER = -1  # removal tick of a body that stays


class MunkRequest(NamedTuple):
    """How to run an episode."""

    dt: float  # seconds in a tick
    ticks: int  # the limit
    resets: int = 1  # how often the scene was built in its space, this time included
    out: Exit = BELOW
    params: MunkParams = PUBLISHED_PARAMS


class MunkOutcomes(NamedTuple):
    """What happened, one entry per episode."""

    solved: NDArray[np.bool_]  # (episodes,)
    ticks: NDArray[np.int32]  # (episodes,) ticks played, the solving one included
    removed: NDArray[np.int32]  # (episodes,) bodies removed by then


class Trace(NamedTuple):
    """An episode tick by tick; row 0 is the start."""

    solved: bool
    poses: Floats  # (ticks + 1, bodies, 3) x, y in px, angle in radians
    velocities: Floats  # (ticks + 1, bodies, 3) px/s, px/s, radians/s
    present: NDArray[np.bool_]  # (ticks + 1, bodies) False once removed


class _Worlds(threading.local):
    """Worlds are reused, and each belongs to one thread."""

    def __init__(self) -> None:
        self.cache: dict[tuple[MunkScene, MunkParams], MunkWorld] = {}


_worlds = _Worlds()
_MAX_CACHED = 128  # worlds of a thread; searches over user games stay bounded


def world_for(scene: MunkScene, params: MunkParams = PUBLISHED_PARAMS) -> MunkWorld:
    """This thread's world for a scene; the caller resets it before use."""
    cache = _worlds.cache
    world = cache.get((scene, params))
    if world is None:
        if len(cache) >= _MAX_CACHED:
            cache.clear()
        world = cache[scene, params] = MunkWorld(scene, params)
    return world


def reset_world(world: MunkWorld, resets: int) -> None:
    """Start over as after a number of builds in one space."""
    world.reset((resets - 1) * len(world.scene.radii))


def run_episode(
    world: MunkWorld, removals: Sequence[tuple[int, int]], request: MunkRequest
) -> tuple[bool, int, int]:
    """Play from the start; `removals` are (tick, body) by rising tick.

    Returns:
        Whether it was solved, the ticks played and the bodies removed.
    """
    reset_world(world, request.resets)
    tick = removed = 0
    for due, body in removals:
        if due >= request.ticks:
            break
        taken = world.run(due - tick, request.dt, request.out)
        if taken:
            return True, tick + taken, removed
        tick = due
        world.remove(body)
        removed += 1
    taken = world.run(request.ticks - tick, request.dt, request.out)
    return (True, tick + taken, removed) if taken else (False, request.ticks, removed)


def simulate_batch(
    scenes: Sequence[MunkScene],
    scene_index: ArrayLike,
    removals: ArrayLike,
    request: MunkRequest,
    resets: ArrayLike | None = None,
) -> MunkOutcomes:
    """Play many episodes.

    Args:
        scenes: the scenes played.
        scene_index: (episodes,) which scene each episode plays.
        removals: (episodes, bodies) tick before which a body goes, or NEVER; rows
            are as long as the largest scene. Bodies due at one tick go in order.
        request: how to run all of them.
        resets: (episodes,) builds of each episode, in place of the request's.

    Returns:
        The outcomes, in order.

    Raises:
        ValueError: the arrays do not fit together; the message names the episode.
    """
    index = np.asarray(scene_index, dtype=np.int64)
    table = np.asarray(removals, dtype=np.int64)
    builds = np.broadcast_to(request.resets if resets is None else resets, index.shape)
    if table.ndim != 2 or len(table) != len(index):
        raise ValueError(f"removals have shape {table.shape}, expected ({len(index)}, bodies)")
    outcomes = MunkOutcomes(
        np.zeros(len(index), dtype=np.bool_),
        np.zeros(len(index), dtype=np.int32),
        np.zeros(len(index), dtype=np.int32),
    )
    for episode, which in enumerate(index.tolist()):
        if not 0 <= which < len(scenes):
            raise ValueError(f"episode {episode}: no scene {which}")
        bodies = len(scenes[which].radii)
        row = table[episode].tolist()
        if len(row) < bodies or any(tick >= 0 for tick in row[bodies:]):
            raise ValueError(f"episode {episode}: removals do not fit {bodies} bodies")
        due = sorted((tick, body) for body, tick in enumerate(row) if tick >= 0)
        world = world_for(scenes[which], request.params)
        request = request._replace(resets=int(builds[episode]))
        solved, ticks, removed = run_episode(world, due, request)
        outcomes.solved[episode] = solved
        outcomes.ticks[episode] = ticks
        outcomes.removed[episode] = removed
    return outcomes


def trace_episode(
    scene: MunkScene, removals: Sequence[tuple[int, int]], request: MunkRequest
) -> Trace:
    """Play one episode and keep every tick; `removals` as in `run_episode`."""
    world = world_for(scene, request.params)
    reset_world(world, request.resets)
    due: dict[int, list[int]] = {}
    for when, body in removals:
        due.setdefault(when, []).append(body)
    poses, velocities, present = [world.poses()], [world.velocities()], [list(world.present)]
    solved = False
    for tick in range(request.ticks):
        for body in due.get(tick, ()):
            world.remove(body)
        world.step(request.dt)
        poses.append(world.poses())
        velocities.append(world.velocities())
        present.append(list(world.present))
        if world.all_out(request.out):
            solved = True
            break
    return Trace(solved, np.array(poses), np.array(velocities), np.array(present))


__all__ = [
    "MAX_BODIES",
    "NEVER",
    "Exit",
    "MunkOutcomes",
    "MunkParams",
    "MunkRequest",
    "MunkScene",
    "MunkWorld",
    "Trace",
    "reset_world",
    "run_episode",
    "simulate_batch",
    "trace_episode",
    "world_for",
]
