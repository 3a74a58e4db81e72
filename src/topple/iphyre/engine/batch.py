"""I-PHYRE physics: packed scenes and arrays in, arrays out.

The seam is that of the PHYRE engine. A scene is capsules and balls in pixels with
y pointing down; an episode removes bodies at given ticks and ends when every ball
is out, or at a limit.

Results depend on the order in which shapes enter a space and on the number the first
shape gets, so both are part of the interface. The original benchmark rebuilds a scene
in one space, which counts on: after `builds` builds the first shape has number
`(builds - 1) * bodies`.

Two engines give the same bits: the native one, and pymunk, which is slow and an optional
dependency.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from topple.iphyre.engine.native import MAX_BODIES, MAX_JOINTS, NEVER, scene_set, simulate
from topple.iphyre.engine.scene import (
    BELOW,
    PUBLISHED_PARAMS,
    Exit,
    Params,
    Scene,
)
from topple.iphyre.engine.world import Engine, EngineError, World, new_world
from topple.progress import Progress
from topple.threads import MAX_COUNT, thread_count

Floats = NDArray[np.float64]


class Request(NamedTuple):
    """How to run an episode."""

    dt: float  # seconds in a tick
    ticks: int  # the limit
    builds: int = 1  # how often the scene was built in its space, this time included
    out: Exit = BELOW
    params: Params = PUBLISHED_PARAMS
    engine: Engine = Engine.NATIVE


class Outcomes(NamedTuple):
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


def simulate_batch(
    scenes: Sequence[Scene],
    scene_index: ArrayLike,
    removals: ArrayLike,
    request: Request,
    builds: ArrayLike | None = None,
    limits: ArrayLike | None = None,
    *,
    threads: int | None = None,
    progress: Progress | None = None,
) -> Outcomes:
    """Play many episodes; the result does not depend on the threads or on their order.

    Args:
        scenes: the scenes played.
        scene_index: (episodes,) which scene each episode plays.
        removals: (episodes, bodies) tick before which a body goes, or NEVER; rows
            are as long as the largest scene. Bodies due at one tick go in order.
        request: how to run all of them.
        builds: (episodes,) how often each scene was built, in place of the request's.
        limits: (episodes,) ticks of each episode, in place of the request's.
        threads: at most this many; all cores by default.
        progress: called with (episodes done, episodes in all).

    Returns:
        The outcomes, in order.

    Raises:
        ValueError: the arrays do not fit together; the message names the episode.
        EngineError: pymunk was asked for and is not installed.
    """
    index = _whole_numbers("scene_index", scene_index)
    if index.ndim != 1:
        raise ValueError(f"scene_index has shape {index.shape}, expected (episodes,)")
    workers = thread_count(threads, len(index))
    table = np.ascontiguousarray(_whole_numbers("removals", removals), dtype=np.int32)
    if table.ndim != 2 or len(table) != len(index):
        raise ValueError(f"removals have shape {table.shape}, expected ({len(index)}, bodies)")
    _check_episodes(scenes, index, table)
    if any(map(math.isnan, (request.out.y, *(request.out.x_range or ())))):
        raise ValueError(f"{request.out} has a border that is not a number")
    counts, ends = np.empty(len(index), np.int64), np.empty(len(index), np.int32)
    counts[:] = _whole_numbers("builds", request.builds if builds is None else builds)
    ends[:] = _whole_numbers("limits", request.ticks if limits is None else limits)
    if request.engine is not Engine.NATIVE:
        return _simulate_one_by_one(scenes, index, table, counts, ends, request)
    batch = simulate(
        scene_set(tuple(scenes), request.params, request.dt),
        index.astype(np.int32),
        table,
        counts,
        ends,
        request.out,
        threads=workers,
        progress=progress,
    )
    return Outcomes(batch.solved, batch.ticks, batch.removed)


def _whole_numbers(name: str, values: ArrayLike) -> NDArray[np.int64]:
    """Values that fit the engines' 32 bits; numpy alone would cut off what does not."""
    raw = np.asarray(values)
    bad = ~((raw == np.floor(raw)) & (np.abs(raw) <= MAX_COUNT))
    if bad.any():
        raise ValueError(
            f"{name} has {raw[bad].flat[0]}; all are whole numbers of at most {MAX_COUNT}"
        )
    return raw.astype(np.int64)


def _check_episodes(
    scenes: Sequence[Scene], index: NDArray[np.int64], table: NDArray[np.int32]
) -> None:
    wrong = (index < 0) | (index >= len(scenes))
    if wrong.any():
        episode = int(np.argmax(wrong))
        raise ValueError(f"episode {episode}: no scene {index[episode]}")
    if not len(index):
        return
    bodies = np.array([len(scene.radii) for scene in scenes])[index]
    columns = np.arange(table.shape[1])
    wrong = (bodies > table.shape[1]) | ((columns >= bodies[:, None]) & (table >= 0)).any(axis=1)
    if wrong.any():
        episode = int(np.argmax(wrong))
        raise ValueError(f"episode {episode}: removals do not fit {bodies[episode]} bodies")


def _simulate_one_by_one(
    scenes: Sequence[Scene],
    index: NDArray[np.int64],
    table: NDArray[np.int32],
    builds: NDArray[np.int64],
    limits: NDArray[np.int32],
    request: Request,
) -> Outcomes:
    worlds: dict[int, World] = {}
    rows = []
    for which, row, build, limit in zip(index.tolist(), table, builds, limits, strict=True):
        if which not in worlds:
            worlds[which] = new_world(
                scenes[which], request.dt, request.params, engine=request.engine
            )
        world = worlds[which]
        world.reset(int(build))
        for tick, body in sorted((tick, body) for body, tick in enumerate(row) if tick >= 0):
            if tick >= limit or world.run(int(tick) - world.tick, request.out):
                break
            world.remove(body)
        if not world.solved:
            world.run(int(limit) - world.tick, request.out)
        rows.append((world.solved, world.tick, len(world.removals())))
    solved, ticks, removed = zip(*rows, strict=True) if rows else ((), (), ())
    return Outcomes(
        np.array(solved, np.bool_), np.array(ticks, np.int32), np.array(removed, np.int32)
    )


def trace_episode(scene: Scene, removals: Sequence[tuple[int, int]], request: Request) -> Trace:
    """Play one episode and keep every tick; `removals` are (tick, body) by rising tick."""
    bodies = len(scene.radii)
    due = np.full(bodies, NEVER, np.int32)
    for tick, body in removals:
        due[body] = tick
    if request.engine is not Engine.NATIVE:
        solved, states = _trace_by_steps(scene, due, request)
    else:
        batch = simulate(
            scene_set((scene,), request.params, request.dt),
            np.zeros(1, np.int32),
            due[None],
            np.full(1, request.builds, np.int64),
            np.full(1, request.ticks, np.int32),
            request.out,
            threads=1,
            stride=1,
            bodies=bodies,
        )
        assert batch.states is not None
        solved, states = bool(batch.solved[0]), batch.states[0, : batch.ticks[0] + 1]
    present = (due < 0) | (np.arange(len(states))[:, None] <= due)
    return Trace(solved, states[:, :, :3].copy(), states[:, :, 3:].copy(), present)


def _trace_by_steps(scene: Scene, due: NDArray[np.int32], request: Request) -> tuple[bool, Floats]:
    world = new_world(scene, request.dt, request.params, request.builds, request.engine)
    states = [np.hstack((world.poses(), world.velocities()))]
    while world.tick < request.ticks and not world.solved:
        for body in np.flatnonzero(due == world.tick).tolist():
            world.remove(body)
        world.run(1, request.out)
        states.append(np.hstack((world.poses(), world.velocities())))
    return world.solved, np.array(states)


__all__ = [
    "MAX_BODIES",
    "MAX_JOINTS",
    "NEVER",
    "Engine",
    "EngineError",
    "Exit",
    "Outcomes",
    "Params",
    "Request",
    "Scene",
    "Trace",
    "World",
    "new_world",
    "simulate_batch",
    "trace_episode",
]
