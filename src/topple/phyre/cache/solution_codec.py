"""The coding of solution indexes: a bit per task and action, compressed by LZMA.

Neighbouring tasks of a template share solutions, so rows repeat much of the rows before them,
which LZMA finds. docs/decisions/0015-solution-index.md compares codings.
"""

from __future__ import annotations

import io
import lzma
from itertools import pairwise

import numpy as np
import numpy.typing as npt

_FILTERS = [{"id": lzma.FILTER_LZMA2, "preset": 6, "lc": 0, "lp": 0, "pb": 0}]
_ROWS = 100  # decoded together, so that little memory is needed


def encode_solutions(
    numbers: npt.NDArray[np.int32], starts: npt.NDArray[np.int64], actions: int
) -> bytes:
    """The coded numbers of the solving actions of all tasks.

    Args:
        numbers: [solutions] of all tasks, each task's in order.
        starts: [tasks + 1] where each task's numbers begin.
        actions: how many actions were tried.
    """
    rows = []
    for first, stop in pairwise(starts.tolist()):
        bits = np.zeros(actions, np.bool_)
        bits[numbers[first:stop]] = True
        rows.append(np.packbits(bits).tobytes())
    return lzma.compress(b"".join(rows), lzma.FORMAT_XZ, filters=_FILTERS)


def decode_solutions(
    payload: bytes, tasks: int, actions: int
) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int64]]:
    """The numbers and starts that were coded.

    Raises:
        ValueError: The payload is not that of so many tasks and actions.
    """
    width = -(-actions // 8)
    numbers, counts = [np.zeros(0, np.int32)], [np.zeros(1, np.int64)]
    try:
        with lzma.open(io.BytesIO(payload), format=lzma.FORMAT_XZ) as file:
            for first in range(0, tasks, _ROWS):
                rows = min(_ROWS, tasks - first)
                packed = file.read(rows * width)
                if len(packed) < rows * width:
                    raise ValueError(f"{rows * width - len(packed)} bytes are missing")
                row, number = _solved(np.frombuffer(packed, np.uint8).reshape(rows, width))
                numbers.append(number)
                counts.append(np.bincount(row, minlength=rows))
    except (lzma.LZMAError, EOFError) as error:
        raise ValueError(str(error)) from None
    found = np.concatenate(numbers)
    if found.size and int(found.max()) >= actions:
        raise ValueError("a number is beyond the list")
    return found, np.cumsum(np.concatenate(counts))


def _solved(
    packed: npt.NDArray[np.uint8],
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int32]]:
    """Row and number of every bit that is set, in order; most bytes have none."""
    row, column = np.nonzero(packed)
    bits = np.unpackbits(packed[row, column]).reshape(-1, 8)
    place, bit = np.nonzero(bits)
    return row[place], (8 * column[place] + bit).astype(np.int32)
