"""The arrays that the results of a batch are written to."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from topple.phyre.engine.packing import PackedScenes
from topple.phyre.engine.request import SCENE_SIZE, Request
from topple.phyre.engine.result import (
    CONTACT_DTYPE,
    FEATURE_COUNT,
    OUTPUTS,
    STATE_FIELDS,
    BatchResult,
)

MAX_BYTES = 16 * 2**30  # of one batch; a typo in a stride should not fill the memory
LINE = 64  # bytes of a cache line, which the engine writes pictures by


def _size(shape: tuple[int, ...], kind: npt.DTypeLike) -> int:
    """Bytes of an array."""
    return math.prod(shape) * np.dtype(kind).itemsize


def aligned_zeros(shape: tuple[int, ...], kind: npt.DTypeLike) -> npt.NDArray[Any]:
    """Zeros that start with a cache line."""
    memory = np.zeros(_size(shape, kind) + LINE, np.uint8)
    return np.ndarray(shape, kind, memory, -memory.ctypes.data % LINE)


def result_buffers(
    scenes: PackedScenes,
    index: npt.NDArray[np.int32],
    balls: int,
    request: Request,
    out: BatchResult | None,
    frames_array: Callable[[tuple[int, ...], npt.DTypeLike], npt.NDArray[Any]] = aligned_zeros,
) -> BatchResult:
    """Arrays for the result of a batch, those of an earlier one if that is given.

    Args:
        scenes: of the attempts.
        index: [attempts] the scene of each.
        balls: that each places.
        request: what to keep.
        out: an earlier result of the same shape.
        frames_array: gives an array for what is kept frame by frame, of a shape and type.

    Raises:
        ValueError: if the earlier result has another shape, or the arrays would be too large.
    """
    count, frames = len(index), request.frames
    used = np.unique(index)
    bodies = int(scenes.body_counts()[used].max(initial=0)) + balls
    objects = int(scenes.object_counts()[used].max(initial=0)) + balls
    shapes: dict[str, tuple[tuple[int, ...], npt.DTypeLike]] = {
        "outcome": ((count,), np.int8),
        "steps": ((count,), np.int32),
        "frame_count": ((count,), np.int32),
        "balls": ((count, balls, 3), np.float64),
    }
    if request.images:
        shapes["images"] = ((count, frames, SCENE_SIZE, SCENE_SIZE), np.uint8)
    if request.objects:
        shapes["objects"] = ((count, frames, objects, FEATURE_COUNT), np.float32)
    if request.states:
        shapes["states"] = ((count, frames, bodies, len(STATE_FIELDS)), np.float32)
    if request.final_state:
        shapes["final_state"] = ((count, bodies, len(STATE_FIELDS)), np.float32)
    if request.max_contacts:
        shapes["contacts"] = ((count, request.max_contacts), CONTACT_DTYPE)
        shapes["contact_count"] = ((count,), np.int64)
    if out is not None:
        given = out.arrays()
        for name in OUTPUTS:
            have = given[name].shape if name in given else None
            want = shapes[name][0] if name in shapes else None
            if have != want:
                raise ValueError(f"out.{name} has shape {have}, this batch needs {want}")
        return out
    size = sum(_size(*buffer) for buffer in shapes.values())
    if size > MAX_BYTES:
        raise ValueError(
            f"the observations would take {size / 2**30:.1f} GiB, the limit is "
            f"{MAX_BYTES / 2**30:.0f}; use smaller batches or a larger stride"
        )
    buffers: dict[str, Any] = dict.fromkeys(OUTPUTS)
    for name, (shape, kind) in shapes.items():
        by_frame = name in ("images", "objects", "states")
        buffers[name] = (frames_array if by_frame else aligned_zeros)(shape, kind)
    return BatchResult(**buffers)
