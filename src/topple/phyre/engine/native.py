"""The native engine: scenes and actions in, outcomes and observations out.

This is the only module of PHYRE that knows the compiled extension. :func:`simulate_batch` is the
one way to simulate attempts: whoever has packed scenes calls it, and
:class:`topple.phyre.simulator.Simulator` calls it for whoever has tasks.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from copy import copy
from dataclasses import asdict, replace
from itertools import chain
from typing import Any

import numpy as np
import numpy.typing as npt

from topple._native import phyre as _native
from topple.phyre.engine.backend import Backend, device_for
from topple.phyre.engine.buffers import result_buffers
from topple.phyre.engine.cuda import simulate_on_device
from topple.phyre.engine.packing import PackedScenes, offsets, pack, pack_shapes
from topple.phyre.engine.physics import Physics
from topple.phyre.engine.request import PIXELS_PER_METRE, SCENE_SIZE, Request
from topple.phyre.engine.result import CONTACT_DTYPE, OUT_OF_CONTACTS, BatchResult
from topple.phyre.scene import Scene, SceneError, Shape
from topple.progress import Progress, reporting
from topple.threads import can_start_threads, thread_count

EditKind = _native.EditKind
# Attempts in Chipmunk, an engine of agents that imagine.
ChipmunkLibrary = _native.ChipmunkLibrary
ChipmunkPace = _native.ChipmunkPace
ChipmunkSpace = _native.ChipmunkSpace
MAX_BODIES: int = _native.MAX_BODIES  # of a world, balls of the player included


class SceneSet:
    """Scenes checked and ready to simulate, any number of times.

    They never change, so threads may share them.

    Args:
        scenes: what to simulate.
        numbered: paint each body with its number, counted from 1, in place of its colour, so
            that images are instance masks; balls of the player stay red.

    Raises:
        SceneError: if a scene breaks a rule of the engine; the message names the scene,
            the body and the rule.
    """

    def __init__(self, scenes: Sequence[Scene], *, numbered: bool = False) -> None:
        self.packed: PackedScenes = pack(scenes)
        if numbered:
            counts = self.packed.body_counts()
            numbers = np.concatenate([np.arange(1, count + 1) for count in counts.tolist()])
            self.packed = replace(self.packed, color=numbers.astype(np.uint8))
        self.handle = _native.Scenes(**self.packed.arrays())
        fault = self.handle.fault()
        if fault is not None:
            scene, body, rule = fault
            name = self.packed.names[scene]
            raise SceneError(f"{name if body < 0 else f'{name}, body {body}'}: {rule}")

    def __len__(self) -> int:
        return len(self.packed)

    def __getstate__(self) -> PackedScenes:
        return self.packed

    def __setstate__(self, packed: PackedScenes) -> None:
        self.packed = packed
        self.handle = _native.Scenes(**packed.arrays())


def _scene_indices(scenes: SceneSet, index: npt.ArrayLike) -> npt.NDArray[np.int32]:
    raw = np.asarray(index)
    if raw.ndim != 1 or (raw.size and raw.dtype.kind not in "iu"):
        raise ValueError(
            f"scene_index has shape {raw.shape} and type {raw.dtype}; "
            "it is a vector of whole numbers, one per action"
        )
    bad = (raw < 0) | (raw >= len(scenes))
    if bad.any():
        raise ValueError(
            f"scene_index has {raw[bad][0]}; there are {len(scenes)} scenes, counted from 0"
        )
    return np.array(raw, dtype=np.int32)  # a copy, which nobody changes while it is read


def _action_array(actions: npt.ArrayLike, count: int) -> npt.NDArray[np.float64]:
    array = np.ascontiguousarray(actions, dtype=np.float64)
    widths = [3 * balls for balls in range(_native.MAX_BALLS + 1)]
    if array.ndim != 2 or array.shape[1] not in widths:
        raise ValueError(
            f"actions have shape {array.shape}; they are a matrix with 3 columns per ball "
            f"(0, 3 or 6), one row per attempt"
        )
    if len(array) != count:
        raise ValueError(f"there are {len(array)} actions for {count} scene indices")
    if not np.isfinite(array).all():
        row = int(np.argwhere(~np.isfinite(array))[0, 0])
        raise ValueError(f"action {row} is {array[row].tolist()}; all numbers have to be finite")
    return array


def _ball_array(balls: npt.ArrayLike) -> npt.NDArray[np.float64]:
    array = np.ascontiguousarray(balls, dtype=np.float64)
    if array.size == 0:
        return array.reshape(0, 3)
    if array.ndim != 2 or array.shape[1] != 3 or len(array) > _native.MAX_BALLS:
        raise ValueError(
            f"balls have shape {array.shape}; they are at most {_native.MAX_BALLS} rows of "
            "x, y and radius"
        )
    limit = _native.MAX_COORDINATE * PIXELS_PER_METRE
    low, high = (-limit, -limit, _native.MIN_RADIUS), (limit, limit, limit)
    good = ((array >= low) & (array <= high)).all(axis=1)
    if not good.all():
        row = int(np.argmin(good))
        raise ValueError(
            f"ball {row} is {array[row].tolist()}; coordinates stay within {limit:g} pixels "
            f"and the radius is at least {_native.MIN_RADIUS:g}"
        )
    return array


def simulate_batch(
    scenes: SceneSet,
    scene_index: npt.ArrayLike,
    actions: npt.ArrayLike,
    request: Request | None = None,
    *,
    threads: int | None = None,
    progress: Progress | None = None,
    out: BatchResult | None = None,
    backend: Backend = "cpu",
    physics: Physics | Sequence[Physics] | None = None,
) -> BatchResult:
    """Simulates many attempts on all cores, or on a GPU.

    The result does not depend on the backend, the number of threads or the order of the
    batch. Ctrl-C stops within a second, on a GPU within a few.

    Args:
        scenes: the scenes the attempts are made on.
        scene_index: [attempts] the scene of each attempt.
        actions: [attempts, 3 * balls] numbers between 0 and 1: x, y and radius of each ball
            the player adds. With no columns, nothing is added.
        request: what to simulate and what to keep; outcomes alone by default.
        threads: at most this many; all cores by default.
        progress: called about five times a second from another thread, and at the end.
        out: an earlier result of the same shape to write into, which spares the time to
            get fresh memory for images. What this batch does not write (frames beyond
            ``frame_count``, objects and bodies a scene does not have) keeps its old value.
        backend: "cpu", "cuda", or "auto" for a GPU if there is one and the batch is large.
        physics: other physics than PHYRE's, of all scenes or of each of them; ``max_steps`` and
            ``stride`` then count steps of theirs. Outcomes are what these physics imagine, no
            results.

    Raises:
        ValueError: if an array has a wrong shape or value.
        SceneError: if more contacts come about in a scene than the engine can hold.
        CudaError: if a GPU is asked for and cannot be used.
    """
    index = _scene_indices(scenes, scene_index)
    array = _action_array(actions, len(index))
    request = request or Request()
    result = result_buffers(scenes.packed, index, array.shape[1] // 3, request, out)
    if isinstance(physics, Sequence) and len(physics) != len(scenes):
        raise ValueError(f"there are {len(physics)} physics for {len(scenes)} scenes")
    device = device_for(backend, len(index), imagined=physics is not None)
    if device is None and not isinstance(physics, Sequence):
        chosen = _believed(physics)
        return _run(scenes, index, array, request, threads, progress, result, **chosen)
    left = np.arange(len(index))
    if device is not None:  # what outgrows the device's small worlds is left
        each = [physics] * len(scenes) if isinstance(physics, Physics) else physics
        left = simulate_on_device(
            device, scenes.packed, index, array, request, result, progress, each
        )
    for rows, chosen in _by_physics(physics, index, left):
        part = result.rows(rows)
        part = _run(scenes, index[rows], array[rows], request, threads, None, part, **chosen)
        result.put(rows, part)
    return result


def _believed(physics: Physics | None) -> dict[str, Any]:
    return {} if physics is None else {"physics": _native.Physics(**asdict(physics))}


def _by_physics(
    physics: Physics | Sequence[Physics] | None,
    index: npt.NDArray[np.int32],
    left: npt.NDArray[np.int64],
) -> Iterator[tuple[npt.NDArray[np.int64], dict[str, Any]]]:
    """The attempts that the CPU makes, which knows one physics at a time."""
    if not isinstance(physics, Sequence):
        if left.size:
            yield left, _believed(physics)
        return
    for scene in np.unique(index[left]).tolist():
        yield left[index[left] == scene], _believed(physics[scene])


def simulate_branches(
    scenes: SceneSet,
    scene_index: npt.ArrayLike,
    origin: Simulation,
    edit_start: npt.NDArray[np.int32],
    edits: npt.NDArray[np.int32],
    request: Request | None = None,
    *,
    threads: int | None = None,
    progress: Progress | None = None,
) -> BatchResult:
    """Runs edited copies of one world; called by :meth:`topple.phyre.engine.world.World.branch`.

    Args:
        scenes: the scene of the world, extended by the bodies that branches add.
        scene_index: [branches] the scene of each branch.
        origin: the world they all start from.
        edit_start: [branches + 1] where the edits of each branch begin.
        edits: [edits, 6] packed edits.
        request: what to keep; ``stable`` is not possible.
        threads: at most this many; all cores by default.
        progress: called with (branches done, branches in all).
    """
    request = request or Request()
    if request.stable:
        raise ValueError("stable is True; a branch has no neighbours to compare with")
    index = _scene_indices(scenes, scene_index)
    nothing = np.zeros((len(index), 0))
    result = result_buffers(scenes.packed, index, 0, request, None)
    return _run(
        scenes,
        index,
        nothing,
        request,
        threads,
        progress,
        result,
        origin=origin.native,
        edit_start=edit_start,
        edits=edits,
    )


def _run(
    scenes: SceneSet,
    index: npt.NDArray[np.int32],
    actions: npt.NDArray[np.float64],
    request: Request,
    threads: int | None,
    progress: Progress | None,
    result: BatchResult,
    **more: Any,
) -> BatchResult:
    """Simulates a batch on the CPU, into the arrays of a result."""
    count = len(index)
    arrays: dict[str, Any] = {**more, **result.arrays()}
    if result.contacts is not None:  # the extension takes no structured types
        words = result.contacts.view(np.int32)
        arrays["contacts"] = words.reshape(count, -1, CONTACT_DTYPE.itemsize // 4)
    rules = _native.Rules(
        max_steps=request.max_steps,
        stride=request.stride if request.keeps_frames else 0,
        stable=request.stable,
        shortcuts=request.shortcuts,
    )
    workers = thread_count(threads, count)
    with reporting(progress, count) as counter:
        _native.simulate(
            scenes.handle,
            index,
            actions,
            rules,
            threads=workers,
            progress=counter,
            **arrays,
        )
    overgrown = np.flatnonzero(result.outcome == OUT_OF_CONTACTS)
    if overgrown.size:
        name = scenes.packed.names[index[overgrown[0]]]
        raise SceneError(f"{name}: more than {_native.MAX_CONTACTS} pairs of shapes came close")
    return result


def observe_scenes(
    scenes: SceneSet,
    scene_index: npt.ArrayLike,
    balls: npt.ArrayLike = (),
    *,
    images: npt.NDArray[np.uint8] | None = None,
    objects: npt.NDArray[np.float32] | None = None,
) -> None:
    """Writes images and object features of scenes before the first step.

    Args:
        scenes: what to observe.
        scene_index: [rows] which of them.
        balls: [balls, 3] x, y and radius in pixels of red balls added to each.
        images: [rows, 256, 256] to write into.
        objects: [rows, objects, 14] to write into.
    """
    placed = _ball_array(balls)
    index = _scene_indices(scenes, scene_index)
    _native.observe(scenes.handle, index, placed, images, objects)


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


def map_actions(
    scenes: SceneSet, scene_index: npt.ArrayLike, actions: npt.ArrayLike
) -> tuple[npt.NDArray[np.bool_], npt.NDArray[np.float64]]:
    """Tells which actions fit their scenes, without simulating them.

    Returns:
        valid: [attempts].
        balls: [attempts, balls, 3] x, y and radius in whole pixels, as simulated; zero
            where invalid.
    """
    index = _scene_indices(scenes, scene_index)
    array = _action_array(actions, len(index))
    valid = np.zeros(len(index), np.uint8)
    balls = np.zeros((len(index), array.shape[1] // 3, 3))
    _native.map_actions(scenes.handle, index, array, valid, balls)
    return valid.astype(bool), balls


_VALIDITY_SCENES = 50  # scenes that a thread works on together


def valid_actions(
    scenes: SceneSet, actions: npt.ArrayLike, threads: int | None = None
) -> npt.NDArray[np.bool_]:
    """[scenes, actions] whether each action is valid on each scene, without simulating.

    Many times faster than :func:`map_actions` where many actions meet each scene.

    Args:
        scenes: the scenes, one row each.
        actions: [actions, 3 * balls].
        threads: at most this many; all cores by default.
    """
    array = np.asarray(actions)
    array = _action_array(array, len(array))
    valid = np.empty((len(scenes), len(array)), np.uint8)

    def fill(first: int) -> None:
        part = valid[first : first + _VALIDITY_SCENES]
        _native.valid_actions(scenes.handle, first, array, part)

    starts = range(0, len(scenes), _VALIDITY_SCENES)
    count = thread_count(threads, len(starts))
    if count > 1 and can_start_threads():
        with ThreadPoolExecutor(count) as pool:
            list(pool.map(fill, starts))
    else:
        for start in starts:
            fill(start)
    return valid.view(np.bool_)


def place_bodies(
    outlines: Sequence[tuple[Shape, ...]],
    body_start: npt.NDArray[np.int32],
    outline: npt.NDArray[np.int32],
    pose: npt.NDArray[np.float64],
    dynamic: npt.NDArray[np.bool_],
    *,
    limit: int = MAX_BODIES,
    statics_overlap: bool = False,
    threads: int | None = None,
) -> npt.NDArray[np.int8]:
    """Gives each body of unfinished scenes the first of its places where it fits.

    Bodies take their places in order. A dynamic body lies inside the scene; a static one may reach
    over its edge. Bodies may touch, but not overlap by more than a tenth of a pixel.

    Args:
        outlines: the shapes of bodies.
        body_start: [scenes + 1] where the bodies of each scene begin.
        outline: [bodies, places] the number of a body's outline at each of its places.
        pose: [bodies, places, 3] x and y in pixels, and the angle, of each of its places.
        dynamic: [bodies].
        limit: bodies that find a place in a scene, at most.
        statics_overlap: whether static bodies may overlap each other, as in published scenes.
        threads: at most this many; all cores by default.

    Returns:
        [bodies] the number of the place, or -1 for a body that has none.
    """
    chosen = np.empty(len(outline), np.int8)
    _native.place_bodies(
        offsets([len(parts) for parts in outlines]),
        *pack_shapes(list(chain.from_iterable(outlines))),
        np.ascontiguousarray(body_start, np.int32),
        np.ascontiguousarray(outline, np.int32),
        np.ascontiguousarray(pose, np.float64),
        np.ascontiguousarray(dynamic).astype(np.uint8),
        limit=limit,
        statics_overlap=statics_overlap,
        threads=thread_count(threads, max(1, (len(body_start) - 1) // _VALIDITY_SCENES)),
        chosen=chosen,
    )
    return chosen


class Simulation:
    """One world, step by step, with every number the engine holds.

    Units are metres here: this is the view for checking the engine, not for playing. Step it in
    one thread only; another one may copy and read it between two steps.

    Args:
        scenes: where the scene is taken from.
        scene: its index.
        balls: [balls, 3] x, y and radius in pixels of what the player adds; not checked
            against the scene.
        shortcuts: leave out work that cannot change a bit of the result.
    """

    def __init__(
        self,
        scenes: SceneSet,
        scene: int = 0,
        balls: npt.ArrayLike = (),
        *,
        shortcuts: bool = True,
    ) -> None:
        placed = _ball_array(balls)
        index = int(_scene_indices(scenes, [scene])[0])
        self.shortcuts = shortcuts
        self.native = _native.Simulation(scenes.handle, index, placed)

    def copy(self) -> Simulation:
        """An independent simulation in the same state."""
        other = copy(self)
        other.native = self.native.copy()
        return other

    def progress(self) -> tuple[int, int]:
        """Steps made, and for how many of the last ones the goal has held."""
        return self.native.progress()

    def step(self) -> None:
        """Makes one step."""
        self.native.step(self.shortcuts)

    def step_recorded(self) -> tuple[list[tuple[object, ...]], list[tuple[object, ...]]]:
        """Makes one step; returns its islands and its time-of-impact events."""
        return self.native.step_recorded(self.shortcuts)

    def holds_goal(self) -> bool:
        """Whether the goal holds after the last step."""
        return self.native.holds_goal()

    def sleeps(self) -> bool:
        """Whether all dynamic bodies are asleep."""
        return self.native.sleeps()

    def bodies(self) -> npt.NDArray[np.float32]:
        """[bodies, 10]: origin, angle, velocity, spin, sleep time, centre of mass, awake."""
        return self.native.bodies()

    def masses(self) -> npt.NDArray[np.float32]:
        """[bodies, 6]: local centre, mass, inverse mass, inertia, inverse inertia."""
        return self.native.masses()

    def fixtures(self) -> npt.NDArray[np.float32]:
        """[fixtures, 9]: radius, mass, centre, inertia about the origin, fat box."""
        return self.native.fixtures()

    def polygon(self, fixture: int) -> npt.NDArray[np.float32]:
        """[vertices, 4]: vertices and edge normals of a fixture in the engine's order."""
        return self.native.polygon(fixture)

    def contacts(self) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.float32]]:
        """Contacts newest first.

        Returns:
            [contacts, 7] fixtures a and b, touching, manifold type, points, two point ids;
            [contacts, 12] local point and normal, then place and impulses of two points.
        """
        return self.native.contacts()


def rotations(
    angles: npt.NDArray[np.float32],
) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]]:
    """Sine and cosine as the engine computes them."""
    flat = np.ascontiguousarray(angles, dtype=np.float32)
    bad = ~(np.abs(flat) < _native.MAX_ANGLE)
    if flat.ndim != 1 or bad.any():
        what = flat[bad][0] if bad.any() else f"of shape {flat.shape}"
        raise ValueError(f"an angle is {what}; they are a vector below {_native.MAX_ANGLE:g}")
    sine, cosine = np.empty_like(flat), np.empty_like(flat)
    _native.rotations(flat, sine, cosine)
    return sine, cosine
