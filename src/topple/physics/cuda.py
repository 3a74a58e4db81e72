"""Batches on a device: what is uploaded, in which order attempts are made, what comes back.

A warp's lanes advance together only while they do the same, so attempts are ordered: one
scene after the other, and within a scene along a curve through the space of actions that
keeps near ones near. Actions that do not fit are sorted out before.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from topple.physics.cuda_device import LIMITS
from topple.physics.packing import PackedScenes
from topple.physics.params import Request
from topple.physics.progress import Progress
from topple.physics.trajectory import CONTACT_DTYPE, OUT_OF_CONTACTS, BatchResult

CHUNK = 2**20  # attempts in one launch: a second or two of a large GPU
CHUNK_BYTES = 2 * 2**30  # of observations in one launch
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


class Device(Protocol):
    """What a batch needs of a device; :class:`CudaDevice` is one."""

    xp: Any
    lanes: int

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
    done = 0
    for chunk in _chunks(numbers, index, result):
        launch = _Launch(device, scenes, index[chunk], actions[chunk], request, result)
        outgrown = launch.run(result, chunk)
        left.append(chunk[outgrown])
        done += len(chunk)
        if progress is not None:
            progress(done, total)
    return np.concatenate(left)


def _fitting(scenes: PackedScenes, balls: int) -> npt.NDArray[np.bool_]:
    bodies = np.diff(scenes.body_start)
    shapes = np.diff(scenes.fixture_start[scenes.body_start])
    fits: npt.NDArray[np.bool_] = (bodies + balls <= LIMITS["BODIES"]) & (
        shapes + balls <= LIMITS["FIXTURES"]
    )
    return fits


def _chunks(
    numbers: npt.NDArray[np.int64], index: npt.NDArray[np.int32], result: BatchResult
) -> Iterator[npt.NDArray[np.int64]]:
    """Attempts of one launch: not too many, nor too many bytes, nor too many scenes."""
    size = sum(array.nbytes // max(len(array), 1) for _, array in result.arrays())
    most = max(1, min(CHUNK, CHUNK_BYTES // max(size, 1)))
    for first in range(0, len(numbers), most):
        part = numbers[first : first + most]
        scene = np.searchsorted(np.unique(index[part]), index[part])
        for low in range(0, int(scene[-1]) + 1, _SCENES):
            yield part[(scene >= low) & (scene < low + _SCENES)]


class _Launch:
    """One chunk of attempts on the device."""

    def __init__(
        self,
        device: Device,
        scenes: PackedScenes,
        index: npt.NDArray[np.int32],
        actions: npt.NDArray[np.float64],
        request: Request,
        result: BatchResult,
    ) -> None:
        xp = device.xp
        self.device = device
        self.count = len(index)
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
        self._scene_count = len(scenes)
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

    def run(self, result: BatchResult, rows: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """Make the attempts and write them into rows of a result; returns those outgrown."""
        device, xp = self.device, self.device.xp
        world_bytes = xp.zeros(1, np.int64)
        device.launch("describe", world_bytes)
        worlds = xp.empty(self._scene_count * int(device.download(world_bytes)[0]), np.uint8)
        device.launch("build", self._words, self._used, len(self._used), worlds)
        valid = xp.zeros(self.count, np.uint8)
        device.launch("check", self._words, valid)
        order = xp.flatnonzero(valid)
        order = order[xp.argsort(self._curve(order))]
        counter = xp.zeros(1, np.uint64)
        device.launch("attempts", self._words, order, len(order), worlds, counter)
        outcome = device.download(self.outcome)
        outgrown = np.flatnonzero(outcome == OUT_OF_CONTACTS)
        result.outcome[rows] = outcome
        result.steps[rows] = device.download(self.steps)
        for name, array in self.observations.items():
            target = getattr(result, name)
            values = device.download(array)
            target[rows] = values.view(target.dtype)[..., 0] if name == "contacts" else values
        return outgrown

    def _curve(self, order: Any) -> Any:
        """A number for each attempt: the scene, then a Z-order curve through the actions."""
        xp = self.device.xp
        place = xp.searchsorted(self._used, self.index[order]).astype(np.uint64)
        axes = self.actions.shape[1]
        if axes == 0:
            return place
        bits = min(_AXIS_BITS, _CURVE_BITS // axes)
        cells = (self.actions[order] * (2**bits - 1)).astype(np.uint64)
        for bit in range(bits - 1, -1, -1):
            for axis in range(axes):
                place = (place << np.uint64(1)) | (
                    (cells[:, axis] >> np.uint64(bit)) & np.uint64(1)
                )
        return place
