"""The colours PHYRE's pictures are published in."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from topple.phyre.scene import Color

#: [7, 3] red, green and blue of each colour code, as in the figures of the PHYRE paper.
PHYRE_RGB: npt.NDArray[np.uint8] = np.array(
    [
        (255, 255, 255),  # white
        (243, 79, 70),  # red
        (107, 206, 187),  # green
        (24, 119, 242),  # blue
        (75, 74, 164),  # purple
        (185, 202, 210),  # gray
        (0, 0, 0),  # black
    ],
    dtype=np.uint8,
)
PHYRE_RGB.flags.writeable = False


def _pairs(channels: int, kind: str) -> npt.NDArray[Any]:
    """The colours of two codes by the number of their two bytes, which takes half as long."""
    table = np.full((len(Color), 256, 2, channels), 255, np.uint8)  # by the right code, then left
    table[:, : len(Color), 0, :3] = PHYRE_RGB
    table[:, : len(Color), 1, :3] = PHYRE_RGB[:, None]
    return table.reshape(-1, 2 * channels).view(kind).ravel()


_PAIRS = _pairs(3, "V6")
_OPAQUE_PAIRS = _pairs(4, "u8")


def to_rgb(codes: npt.ArrayLike) -> npt.NDArray[np.uint8]:
    """Paints colour codes.

    Args:
        codes: [...] values of Color, of any whole type.

    Returns:
        [..., 3] in the same order of rows.

    Raises:
        ValueError: if a number is no colour code.
    """
    array = np.asarray(codes)
    if array.size and (array.min() < 0 or array.max() >= len(Color)):
        bad = array[(array < 0) | (array >= len(Color))][0]
        raise ValueError(f"{bad} is no colour code; codes run from 0 to {len(Color) - 1}")
    if array.dtype == np.uint8 and array.size and array.shape[-1] % 2 == 0:
        pairs = np.ascontiguousarray(array).view("<u2")
        return np.take(_PAIRS, pairs).view(np.uint8).reshape(*array.shape, 3)
    return np.take(PHYRE_RGB, array, axis=0)  # three times as fast as an index


def to_rgba(
    codes: npt.NDArray[np.uint8], out: npt.NDArray[np.uint8] | None = None
) -> npt.NDArray[np.uint8]:
    """Paints a picture of colour codes in opaque colours, in a third of the time of three channels.

    Args:
        codes: [height, width] values of Color, with an even width.
        out: an earlier picture of the same size to paint over.

    Returns:
        [height, width, 4].
    """
    pairs = np.ascontiguousarray(codes).view("<u2")
    found = np.empty((*codes.shape, 4), np.uint8) if out is None else out
    np.take(_OPAQUE_PAIRS, pairs, out=found.reshape(len(codes), -1).view(np.uint64), mode="clip")
    return found
