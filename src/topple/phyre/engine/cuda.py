"""Batches on a device: what is uploaded, in which order attempts are made, what comes back.

A warp's lanes advance together only while they do the same, so attempts are ordered: one
scene after the other, and within a scene along a curve through the space of actions that
keeps near ones near. Scenes with much that moves come first, since the last attempts of a
launch run almost alone. Actions that do not fit are sorted out before.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from topple.phyre.engine.cuda_device import LIMITS
from topple.phyre.engine.packing import PackedScenes
from topple.phyre.engine.physics import Physics, physics_bytes
from topple.phyre.engine.request import Request
from topple.phyre.engine.result import CONTACT_DTYPE, OUT_OF_CONTACTS, OUTPUTS, BatchResult
from topple.progress import Progress, reporting

ROUNDS = 1024  # attempts of a lane in one launch: so many that its slow end hardly counts
CHUNK_BYTES = 2**30  # of observations in one launch
_POLL_SECONDS = 0.005  # seconds between looks at a launch
_PLACE_BITS = 63  # of an attempt's place: first its scene, then where it is on the curve
_AXIS_BITS = 10  # an axis of an action has 256 pixels, or 31 radii


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
    physics: Sequence[Physics] | None = None,
) -> npt.NDArray[np.int64]:
    """Simulates attempts into the arrays of a result.

    Args:
        device: with kernels for imagined physics if there are any.
        scenes: of the attempts.
        index: [attempts] the scene of each.
        actions: [attempts, 3 * balls] checked.
        request: what to simulate.
        result: what it keeps.
        progress: called with attempts that are settled, and all of them.
        physics: of each scene; PHYRE's by default.

    Returns:
        Numbers of the attempts that outgrow the device's worlds and were not made.
    """
    fitting = _fitting(scenes, actions.shape[1] // 3)
    fits = fitting[index]
    left = [np.flatnonzero(~fits)]
    worlds = _Worlds(device, scenes, fitting, index, physics)
    under_way: deque[_Launch] = deque()
    done = 0
    with reporting(progress, len(index)) as counter:

        def report(settled: int) -> None:
            if counter is not None:
                counter[0] = done + settled

        try:
            for rows in (*_chunks(device, fits, result), None):
                if rows is not None:
                    launch = _Launch(worlds, rows, index[rows], actions[rows], request, result)
                    if under_way:
                        under_way[0].wait(report, over=False)
                    under_way.append(launch)
                    launch.start()
                if under_way and (rows is None or len(under_way) == 2):
                    under_way[0].wait(report)
                    left.append(under_way[0].collect(result))
                    done += under_way.popleft().count
        finally:
            for launch in under_way:  # none, unless something went wrong or was interrupted
                launch.abandon()
        report(len(index) - done)
    return np.concatenate(left)


def _fitting(scenes: PackedScenes, balls: int) -> npt.NDArray[np.bool_]:
    bodies = np.diff(scenes.body_start)
    shapes = np.diff(scenes.fixture_start[scenes.body_start])
    fits: npt.NDArray[np.bool_] = (bodies + balls <= LIMITS["BODIES"]) & (
        shapes + balls <= LIMITS["FIXTURES"]
    )
    return fits


def _chunks(
    device: Device, fits: npt.NDArray[np.bool_], result: BatchResult
) -> Iterator[slice | npt.NDArray[np.int64]]:
    """Attempts of one launch: not too many, nor too many bytes."""
    size = sum(array.nbytes // max(len(array), 1) for array in result.arrays().values())
    most = max(1, min(ROUNDS * device.lanes, CHUNK_BYTES // max(size, 1)))
    if fits.all():  # slices spare copies
        for first in range(0, len(fits), most):
            yield slice(first, min(first + most, len(fits)))
        return
    numbers = np.flatnonzero(fits)
    for first in range(0, len(numbers), most):
        yield numbers[first : first + most]


class _Worlds:
    """The scenes of a batch on the device, and the world of each before its first step.

    Attributes:
        device: where they are.
        words: the scenes' part of a job.
        fresh: the worlds.
        rank: [scenes] the order in which their attempts are made.
        physics: [scenes] of each, or a byte that is not read.
    """

    def __init__(
        self,
        device: Device,
        scenes: PackedScenes,
        fitting: npt.NDArray[np.bool_],
        index: npt.NDArray[np.int32],
        physics: Sequence[Physics] | None,
    ) -> None:
        xp = device.xp
        self.device = device
        listed = np.zeros(1, np.uint8) if physics is None else physics_bytes(physics)
        used = np.flatnonzero(fitting & (np.bincount(index, minlength=len(scenes)) > 0))
        queue = device.queue()
        with queue:
            self._arrays = [xp.asarray(array) for array in scenes.arrays().values()]
            self.words = [len(scenes), *map(device.pointer, self._arrays)]
            self.rank = xp.asarray(_rank(scenes))
            self.physics = xp.asarray(listed)
            size = xp.zeros(1, np.int64)
            device.launch("describe", size)
            self.fresh = xp.empty(len(scenes) * int(device.download(size)[0]), np.uint8)
            words, numbers = np.array(self.words, np.int64), used.astype(np.int32)
            device.launch("build", xp.asarray(words), xp.asarray(numbers), len(used), self.fresh)
        while not queue.done:  # launches have queues of their own
            time.sleep(_POLL_SECONDS)


def _rank(scenes: PackedScenes) -> npt.NDArray[np.uint64]:
    """[scenes] by how many shapes can move: what takes long comes first."""
    body_shapes = np.diff(scenes.fixture_start) * (scenes.dynamic != 0)
    before = np.concatenate([[0], np.cumsum(body_shapes)])
    moving = np.diff(before[scenes.body_start])
    rank = np.empty(len(scenes), np.uint64)
    rank[np.argsort(-moving, kind="stable")] = np.arange(len(scenes), dtype=np.uint64)
    return rank


class _Launch:
    """One chunk of attempts on the device, put in a good order; then started, then finished."""

    def __init__(
        self,
        worlds: _Worlds,
        rows: slice | npt.NDArray[np.int64],
        index: npt.NDArray[np.int32],
        actions: npt.NDArray[np.float64],
        request: Request,
        result: BatchResult,
    ) -> None:
        self.device = worlds.device
        self.count = len(index)
        self._rows = rows
        self._worlds = worlds
        self._queue, self._looks = self.device.queue(), self.device.queue()
        xp = self.device.xp
        with self._queue:
            self.index = xp.asarray(index)
            self.actions = xp.asarray(actions)
            self.outputs: dict[str, Any] = {}
            for name, array in result.arrays().items():
                shape, kind = array.shape[1:], array.dtype
                if name == "contacts":  # device arrays have no structured types
                    shape, kind = (*shape, CONTACT_DTYPE.itemsize // 4), np.dtype(np.int32)
                self.outputs[name] = xp.zeros((self.count, *shape), kind)
            self._words = xp.asarray(np.array(self._job(request), np.int64))
            self._sort()

    def _job(self, request: Request) -> list[int]:
        """The words of the kernels' job, in their order."""
        address = self.device.pointer
        out = self.outputs
        frames = [out[name].shape[1] for name in ("images", "objects", "states") if name in out]
        bodies = [out[name].shape[-2] for name in ("states", "final_state") if name in out]
        return [
            *self._worlds.words,
            self.count,
            address(self.index),
            address(self.actions),
            self.actions.shape[1] // 3,
            request.max_steps,
            request.stride if request.keeps_frames else 0,
            request.stable,
            request.shortcuts,
            *(address(out[name]) if name in out else 0 for name in OUTPUTS),
            frames[0] if frames else 0,
            out["objects"].shape[2] if "objects" in out else 0,
            bodies[0] if bodies else 0,
            request.max_contacts,
        ]

    def _sort(self) -> None:
        """Sort out what does not fit, and find a good order for the rest."""
        xp = self.device.xp
        self._taken = xp.zeros(1, np.uint64)
        valid = xp.zeros(self.count, np.uint8)
        self.device.launch("check", self._words, valid)
        order = xp.flatnonzero(valid)
        self._order = order[xp.argsort(self._curve(order))]

    def _curve(self, order: Any) -> Any:
        """A number for each attempt: its scene's, then a Z-order curve through the actions."""
        xp = self.device.xp
        place = self._worlds.rank[self.index[order]]
        axes = _axes(xp, self.actions[order])
        if not axes:
            return place
        free = _PLACE_BITS - len(self._worlds.rank).bit_length()
        bits = min(_AXIS_BITS, free // len(axes))
        cells = [(axis * (2**bits - 1)).astype(np.uint64) for axis in axes]
        for bit in range(bits - 1, -1, -1):
            for cell in cells:
                place = (place << np.uint64(1)) | ((cell >> np.uint64(bit)) & np.uint64(1))
        return place

    def start(self) -> None:
        """Let the device make the attempts."""
        with self._queue:
            self.device.launch(
                "attempts",
                self._words,
                self._order,
                len(self._order),
                self._worlds.fresh,
                self._worlds.physics,
                self._taken,
            )

    def wait(self, report: Callable[[int], None], *, over: bool = True) -> None:
        """Until the attempts are made; or only until the last are at work, and lanes are free."""
        while not self._queue.done:
            settled = self._settled()
            report(settled)
            if not over and settled == self.count:
                return
            time.sleep(_POLL_SECONDS)  # a nap: Ctrl-C is heard after it

    def _settled(self) -> int:
        """Attempts that are made, or at work, or not valid."""
        with self._looks:
            taken = int(self.device.download(self._taken)[0])
        valid = len(self._order)
        return self.count - valid + min(taken, valid)

    def collect(self, result: BatchResult) -> npt.NDArray[np.int64]:
        """Write what came out into the result; returns the attempts that were outgrown."""
        download, rows = self.device.download, self._rows
        with self._queue:
            for name, target in result.arrays().items():
                values = download(self.outputs[name])
                target[rows] = values.view(target.dtype)[..., 0] if name == "contacts" else values
        outgrown = np.flatnonzero(result.outcome[rows] == OUT_OF_CONTACTS)
        return outgrown + rows.start if isinstance(rows, slice) else rows[outgrown]

    def abandon(self) -> None:
        """Leave no attempt to take: lanes stop after the one they are at."""
        with self._looks:
            self._taken.fill(self.count)
        self.wait(lambda _: None)


def _axes(xp: Any, actions: Any) -> list[Any]:
    """In what attempts of a scene should be near: every number of the balls, left to right."""
    balls = actions.reshape(len(actions), actions.shape[1] // 3, 3)
    left_first = xp.argsort(balls[:, :, :1], axis=1)
    balls = xp.take_along_axis(balls, left_first, axis=1)
    return [balls[:, ball, k] for ball in range(balls.shape[1]) for k in range(3)]
