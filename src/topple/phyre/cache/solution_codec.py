"""stub."""

from __future__ import annotations

import lzma

import numpy as np
import numpy.typing as npt


def encode_solutions(
    numbers: npt.NDArray[np.int32], starts: npt.NDArray[np.int64], actions: int
) -> bytes:
    """Code."""
    data = np.concatenate([np.diff(starts), numbers]).astype("<i4").tobytes()
    return lzma.compress(data, preset=9)


def decode_solutions(
    payload: bytes, tasks: int, actions: int
) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int64]]:
    """Decode."""
    data = np.frombuffer(lzma.decompress(payload), "<i4")
    return data[tasks:].astype(np.int32), np.cumsum([0, *data[:tasks].tolist()])
