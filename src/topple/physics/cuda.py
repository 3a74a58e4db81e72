"""Batches on a device: what is uploaded, in which order attempts are made, what comes back.

A warp's lanes advance together only while they do the same, so attempts are ordered: one
scene after the other, and within a scene along a curve through the space of actions that
keeps near ones near. Actions that do not fit are sorted out before.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Iterator
from contextlib import AbstractContextManager
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from topple.physics.cuda_device import LIMITS
from topple.physics.packing import PackedScenes
from topple.physics.params import Request
from topple.physics.progress import Progress
from topple.physics.trajectory import CONTACT_DTYPE, OUT_OF_CONTACTS, BatchResult

ROUNDS = 256  # attempts of a lane in one launch: some ten seconds on any device
CHUNK_BYTES = 2**30  # of observations in one launch
_IN_FLIGHT = 2  # launches at a time: one starts while the last attempts of another run alone
_PATIENCE = 0.005  # seconds between looks at a launch
_CURVE_BITS = 48  # of an action's place on the curve; the scene has the other 16
_AXIS_BITS = 10  # an axis of an action has 256 pixels, or 31 radii
_SCENES = 2**16  # of one launch

_SCENE_ARRAYS = (
    "body_start",
    "goals",
    "fixture_start",
    "vertex_start",
    "dynamic",
    "color",
    "kind",
    "diameter",
    "feature_offset",
    "pose_px",
    "pose_m",
    "velocity",
    "radius_px",
    "radius_m",
    "vertices_px",
    "vertices_m",
)
_OBSERVATIONS = (
    "images",
    "objects",
    "states",
    "final_state",
    "frame_count",
    "contacts",
    "contact_count",
)


class Queue(AbstractContextManager[Any], Protocol):
    """What is asked for inside it runs in order, beside what other queues hold."""

    @property
    def done(self) -> bool:
        """Whether all of it has run."""


class Device(Protocol):
    """What a batch needs of a device; :class:`CudaDevice` is one."""

    xp: Any
    lanes: int

    def queue(self) -> Queue:
        """A new queue."""

    def launch(self, kernel: str, *arguments: Any) -> None:
        """Start a kernel on all lanes."""

    def pointer(self, array: Any) -> int:
        """The address of an array on the device."""

    def download(self, array: Any) -> Any:
        """The array as a NumPy array."""


def simulate_on_device(
    device: Device,
    scenes: PackedScenes,
    index: npt.NDArray[np.int32],
    actions: npt.NDArray[np.float64],
    request: Request,
    result: BatchResult,
    progress: Progress | None = None,
) -> npt.NDArray[np.int64]:
    """Simulates attempts into the arrays of a result.

    Returns:
        Numbers of the attempts that outgrow the device's worlds and were not made.
    """
    total = len(index)
    fits = _fitting(scenes, actions.shape[1] // 3)[index]
    left = [np.flatnonzero(~fits)]
    numbers = np.flatnonzero(fits)
    if (np.diff(index[numbers]) < 0).any():
        numbers = numbers[np.argsort(index[numbers], kind="stable")]
    waiting: deque[_Launch] = deque()
    done = 0
    try:
        for chunk in (*_chunks(device, numbers, index, result), None):
            if chunk is not None:
                waiting.append(_Launch(device, scenes, index, actions, request, result, chunk))
            while waiting and (chunk is None or len(waiting) == _IN_FLIGHT):
                left.append(waiting[0].finish(result))
                done += waiting.popleft().count
                if progress is not None:
                    progress(done, total)
    finally:
        for launch in waiting:  # none, unless something went wrong or was interrupted
            launch.abandon()
    return np.concatenate(left)


def _fitting(scenes: PackedScenes, balls: int) -> npt.NDArray[np.bool_]:
    bodies = np.diff(scenes.body_start)
    shapes = np.diff(scenes.fixture_start[scenes.body_start])
    fits: npt.NDArray[np.bool_] = (bodies + balls <= LIMITS["BODIES"]) & (
        shapes + balls <= LIMITS["FIXTURES"]
    )
    return fits


def _chunks(
    device: Device,
    numbers: npt.NDArray[np.int64],
    index: npt.NDArray[np.int32],
    result: BatchResult,
) -> Iterator[npt.NDArray[np.int64]]:
    """Attempts of one launch: not too many, nor too many bytes, nor too many scenes."""
    size = sum(array.nbytes // max(len(array), 1) for _, array in result.arrays())
    most = max(1, min(ROUNDS * device.lanes, CHUNK_BYTES // max(size, 1)))
    for first in range(0, len(numbers), most):
        part = numbers[first : first + most]
        scene = np.searchsorted(np.unique(index[part]), index[part])
        for low in range(0, int(scene[-1]) + 1, _SCENES):
            yield part[(scene >= low) & (scene < low + _SCENES)]


class _Launch:
    """One chunk of attempts on the device, which begins to work on it at once."""

    def __init__(
        self,
        device: Device,
        scenes: PackedScenes,
        index: npt.NDArray[np.int32],
        actions: npt.NDArray[np.float64],
        request: Request,
        result: BatchResult,
        rows: npt.NDArray[np.int64],
    ) -> None:
        self.device = device
        self.count = len(rows)
        self._rows = rows
        self._queue = device.queue()
        with self._queue:
            self._upload(scenes, index[rows], actions[rows], request, result)
            self._start(len(scenes))

    def _upload(
        self,
        scenes: PackedScenes,
        index: npt.NDArray[np.int32],
        actions: npt.NDArray[np.float64],
        request: Request,
        result: BatchResult,
    ) -> None:
        """Put the job on the device, with room for what comes out."""
        xp = self.device.xp
        self.index = xp.asarray(index)
        self.actions = xp.asarray(actions)
        self.outcome = xp.zeros(self.count, np.int8)
        self.steps = xp.zeros(self.count, np.int32)
        self.observations: dict[str, Any] = {}
        for name in _OBSERVATIONS:
            array = getattr(result, name)
            if array is not None:
                shape, kind = array.shape[1:], array.dtype
                if name == "contacts":  # device arrays have no structured types
                    shape, kind = (*shape, CONTACT_DTYPE.itemsize // 4), np.dtype(np.int32)
                self.observations[name] = xp.zeros((self.count, *shape), kind)
        self._scenes = [xp.asarray(getattr(scenes, name)) for name in _SCENE_ARRAYS]
        self._words = xp.asarray(np.array(self._job(scenes, request, actions), np.int64))
        self._used = xp.asarray(np.unique(index))

    def _job(
        self, scenes: PackedScenes, request: Request, actions: npt.NDArray[np.float64]
    ) -> list[int]:
        """The words of the kernels' job, in their order."""
        address = self.device.pointer
        seen = self.observations
        frames = [seen[name].shape[1] for name in ("images", "objects", "states") if name in seen]
        bodies = [seen[name].shape[-2] for name in ("states", "final_state") if name in seen]
        return [
            len(scenes),
            *map(address, self._scenes),
            self.count,
            address(self.index),
            address(self.actions),
            actions.shape[1] // 3,
            request.max_steps,
            request.stride if request.keeps_frames else 0,
            request.stable,
            request.shortcuts,
            address(self.outcome),
            address(self.steps),
            frames[0] if frames else 0,
            seen["objects"].shape[2] if "objects" in seen else 0,
            bodies[0] if bodies else 0,
            request.max_contacts,
            *(address(seen[name]) if name in seen else 0 for name in _OBSERVATIONS),
        ]

    def _start(self, scene_count: int) -> None:
        """Sort out what does not fit, and let the device make the rest in a good order."""
        device, xp = self.device, self.device.xp
        world_bytes = xp.zeros(1, np.int64)
        device.launch("describe", world_bytes)
        self._worlds = xp.empty(scene_count * int(device.download(world_bytes)[0]), np.uint8)
        device.launch("build", self._words, self._used, len(self._used), self._worlds)
        valid = xp.zeros(self.count, np.uint8)
        device.launch("check", self._words, valid)
        order = xp.flatnonzero(valid)
        self._order = order[xp.argsort(self._curve(order))]
        self._taken = xp.zeros(1, np.uint64)
        device.launch(
            "attempts", self._words, self._order, len(self._order), self._worlds, self._taken
        )

    def finish(self, result: BatchResult) -> npt.NDArray[np.int64]:
        """Wait for the attempts and write them into the result; returns those outgrown."""
        download, rows = self.device.download, self._rows
        self._wait()
        with self._queue:
            outcome = download(self.outcome)
            result.outcome[rows] = outcome
            result.steps[rows] = download(self.steps)
            for name, array in self.observations.items():
                target = getattr(result, name)
                values = download(array)
                target[rows] = values.view(target.dtype)[..., 0] if name == "contacts" else values
        outgrown: npt.NDArray[np.int64] = rows[outcome == OUT_OF_CONTACTS]
        return outgrown

    def _wait(self) -> None:
        """Until the launch is over, in small naps: Ctrl-C is heard before that."""
        while not self._queue.done:
            time.sleep(_PATIENCE)

    def abandon(self) -> None:
        """Leave no attempt to take: lanes stop after the one they are at."""
        with self.device.queue():
            self._taken.fill(self.count)
        self._wait()

    def _curve(self, order: Any) -> Any:
        """A number for each attempt: the scene, then a Z-order curve through the actions."""
        xp = self.device.xp
        place = xp.searchsorted(self._used, self.index[order]).astype(np.uint64)
        axes = _axes(xp, self.actions[order])
        if not axes:
            return place
        bits = min(_AXIS_BITS, _CURVE_BITS // len(axes))
        cells = [(axis * (2**bits - 1)).astype(np.uint64) for axis in axes]
        for bit in range(bits - 1, -1, -1):
            for cell in cells:
                place = (place << np.uint64(1)) | ((cell >> np.uint64(bit)) & np.uint64(1))
        return place


def _axes(xp: Any, actions: Any) -> list[Any]:
    """In what attempts of a scene should be near: every number of the balls, left to right."""
    balls = actions.reshape(len(actions), actions.shape[1] // 3, 3)
    left_first = xp.argsort(balls[:, :, :1], axis=1)
    balls = xp.take_along_axis(balls, left_first, axis=1)
    return [balls[:, ball, k] for ball in range(balls.shape[1]) for k in range(3)]
