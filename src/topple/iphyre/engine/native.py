"""The native I-PHYRE engine: packed scenes and arrays in, arrays out.

This is the only module of the benchmark that calls the compiled one.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache, lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from topple._native import iphyre as native
from topple.iphyre.engine.packing import pack
from topple.iphyre.engine.scene import BELOW, PUBLISHED_PARAMS, Exit, Params, Scene
from topple.progress import Progress, reporting
from topple.threads import thread_count

Floats = NDArray[np.float64]
Ints = NDArray[np.int32]

MAX_BODIES_EVER = native.MAX_BODIES  # of a world, those that edits add included
MAX_JOINTS = native.MAX_JOINTS
MAX_BLOCKS = native.MAX_BLOCKS  # that a player can remove
MAX_BODIES = native.TABLE_ROWS  # in one game: the rows of the published observation
TABLE_COLUMNS = native.TABLE_COLUMNS  # of that observation
NEVER = native.NEVER  # removal tick of a body that stays

EditKind = native.EditKind
NativeRules = native.Rules
NativeStrategy = native.Strategy
NativeVector = native.Vector

_UNINTERRUPTED = 10_000  # ticks; between them, Ctrl-C and other threads have their turn


@lru_cache(maxsize=256)
def scene_set(scenes: tuple[Scene, ...], params: Params, dt: float) -> native.Scenes:
    """Scenes checked and ready to simulate, in steps of `dt` seconds."""
    arrays, physics = pack(scenes, params, dt)
    return native.Scenes(arrays._asdict(), **physics._asdict())


@cache
def native_exit(out: Exit) -> native.Exit:
    """An exit as the engine takes it: below y, and from x to x."""
    low, high = (-math.inf, math.inf) if out.x_range is None else out.x_range
    return native.Exit(y=out.y, low=low, high=high)


def block_row(blocks: Sequence[int]) -> Ints:
    """(6,) the bodies a player can remove, then -1."""
    row = np.full(MAX_BLOCKS, -1, np.int32)
    row[: len(blocks)] = blocks
    return row


class NativeWorld:
    """One scene played tick by tick in the native engine.

    It can also be edited and copied. Calls from several threads follow each other, and a long
    `step` or `run` lets others in between: change a world in one thread only.

    Args:
        scene: what it starts from.
        dt: seconds in a tick.
        params: constants of the physics.
        builds: how often the scene was built in its space, this time included.
    """

    def __init__(
        self, scene: Scene, dt: float, params: Params = PUBLISHED_PARAMS, builds: int = 1
    ) -> None:
        self.scene = scene
        self.params = params
        self.dt = dt
        self.handle = native.Episode(scene_set((scene,), params, dt), 0, builds)

    def copy(self) -> NativeWorld:
        """An independent world in the same state."""
        return self.around(self.handle.copy(), self.scene, self.params, self.dt)

    @classmethod
    def around(cls, handle: native.Episode, scene: Scene, params: Params, dt: float) -> NativeWorld:
        """The world of an episode that plays a scene."""
        world = cls.__new__(cls)
        world.handle, world.scene, world.params, world.dt = handle, scene, params, dt
        return world

    def extend(self, scene: Scene) -> None:
        """Go on in a scene with more bodies, which enter now."""
        self.handle.extend(scene_set((scene,), self.params, self.dt), 0)
        self.scene = scene

    def reset(self, builds: int = 1) -> None:
        """Put every body back to its start."""
        self.handle.reset(builds)

    def remove(self, body: int) -> bool:
        """Take a body away, with the joints that hold it; tells whether it was there."""
        return self.handle.remove(body)

    def step(self, count: int = 1) -> None:
        """Advance by a number of ticks without looking at the balls."""
        while count > _UNINTERRUPTED:
            self.handle.step(_UNINTERRUPTED)
            count -= _UNINTERRUPTED
        self.handle.step(count)

    def run(self, ticks: int, out: Exit = BELOW) -> bool:
        """Advance until every ball is out, at most a number of ticks; tells whether they are."""
        exits = native_exit(out)
        while ticks > _UNINTERRUPTED:
            if self.handle.run(_UNINTERRUPTED, exits):
                return True
            ticks -= _UNINTERRUPTED
        return self.handle.run(ticks, exits)

    def all_out(self, out: Exit = BELOW) -> bool:
        """Whether every ball's centre is out at this instant."""
        return self.handle.is_out(native_exit(out))

    @property
    def tick(self) -> int:
        """Ticks played since the start."""
        return self.handle.tick

    @property
    def solved(self) -> bool:
        """Whether the last run got every ball out."""
        return self.handle.solved

    @solved.setter
    def solved(self, solved: bool) -> None:
        self.handle.solved = solved

    def removals(self) -> list[tuple[int, int]]:
        """The bodies removed, as (tick, body) in order."""
        return self.handle.removals()

    @property
    def present(self) -> list[bool]:
        """(bodies,) False once removed."""
        return self.handle.present()

    def poses(self) -> Floats:
        """(bodies, 3) x, y in px and angle in radians."""
        return self.handle.state()[:, :3]

    def velocities(self) -> Floats:
        """(bodies, 3) vx, vy in px/s and spin in radians/s."""
        return self.handle.state()[:, 3:]

    def ends(self) -> Floats:
        """(bodies, 4) the ends of blocks in px; a ball has its centre twice."""
        return self.handle.ends()

    def contacts(self) -> Floats:
        """(contacts, 6) points on both bodies in px, and the direction from one to the other."""
        places = self.poses()[:, :2].tolist()
        # After a removal, one may be listed twice.
        arbiters: dict[Any, Any] = {arbiter[:2]: arbiter for arbiter in self.handle.arbiters()}
        rows = [
            (places[a][0] + x1, places[a][1] + y1, places[b][0] + x2, places[b][1] + y2, nx, ny)
            for a, b, _, nx, ny, points in arbiters.values()
            for x1, y1, x2, y2, *_ in points
        ]
        return np.array(rows).reshape(-1, 6)

    def joined(self) -> tuple[tuple[bool, ...], tuple[bool, ...]]:
        """Which pins and which springs still hold."""
        holds = self.handle.holds()
        pins = len(self.scene.pins)
        return tuple(holds[:pins]), tuple(holds[pins:])


class BranchPoint(NamedTuple):
    """Where the episodes of a batch start, if not at their scenes."""

    origin: NativeWorld
    edit_start: Ints  # (episodes + 1,)
    edits: NDArray[np.int64]  # (edits, 6) packed edits


class Batch(NamedTuple):
    """What came out of a batch, one entry per episode."""

    solved: NDArray[np.bool_]  # (episodes,)
    ticks: Ints  # (episodes,) ticks played, the solving one included
    removed: Ints  # (episodes,) bodies removed by plan
    final: Floats | None  # (episodes, bodies, 6) pose and velocity at the end
    states: Floats | None  # (episodes, frames, bodies, 6) at the start, then as they were kept
    frame_count: Ints | None  # (episodes,)


def simulate(
    scenes: native.Scenes,
    scene_index: Ints,
    removals: Ints,
    builds: NDArray[np.int64],
    limits: Ints,
    out: Exit,
    *,
    threads: int | None = None,
    final: bool = False,
    stride: int = 0,
    bodies: int = 0,
    branch: BranchPoint | None = None,
    progress: Progress | None = None,
) -> Batch:
    """Play many episodes on many threads; results do not depend on how many.

    Args:
        scenes: what is played.
        scene_index: (episodes,) which scene each episode plays.
        removals: (episodes, bodies) tick before which a body goes; negative for never.
        builds: (episodes,) how often each scene was built in its space.
        limits: (episodes,) ticks at which an episode ends.
        out: where balls have to go.
        threads: at most this many; all cores by default.
        final: keep the state at the end.
        stride: keep the start, every so many ticks, and the end if solved; 0 for none.
        bodies: rows of the states kept.
        branch: where episodes start, if not at their scenes.
        progress: called with (episodes done, episodes in all).
    """
    count = len(scene_index)
    frames = int(limits.max(initial=0)) // max(stride, 1) + 2
    solved = np.zeros(count, np.uint8)
    ticks, removed = np.zeros(count, np.int32), np.zeros(count, np.int32)
    last = np.zeros((count, bodies, 6)) if final else None
    states = np.zeros((count, frames, bodies, 6)) if stride else None
    frame_count = np.zeros(count, np.int32) if stride else None
    with reporting(progress, count) as counter:
        native.simulate(
            scenes,
            scene_index=scene_index,
            removals=removals,
            builds=builds,
            limits=limits,
            out=native_exit(out),
            threads=thread_count(threads, count),
            solved=solved,
            ticks=ticks,
            removed=removed,
            stride=max(stride, 1),
            states=states,
            frame_count=frame_count,
            final_state=last,
            progress=counter,
            origin=None if branch is None else branch.origin.handle,
            edit_start=None if branch is None else branch.edit_start,
            edits=None if branch is None else branch.edits,
        )
    return Batch(solved.view(np.bool_), ticks, removed, last, states, frame_count)
