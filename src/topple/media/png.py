"""PNG files of many pictures, written as fast as an engine draws them."""

from __future__ import annotations

import io
import struct
import zlib

import numpy as np
import numpy.typing as npt
from isal import isal_zlib
from PIL import Image

_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_RGB, _PALETTE = 2, 3  # colour types
_LEVEL = 0  # the fastest: scenes are flat areas, which become small anyway


def png_files(
    pictures: npt.NDArray[np.uint8], palette: npt.NDArray[np.uint8] | None = None
) -> list[bytes]:
    """Pictures as the bytes of PNG files.

    A library for pictures takes longer to set up each file than to compress it, so the few
    fields around the compressed rows are written here.

    Args:
        pictures: [pictures, height, width, 3] RGB, or [pictures, height, width] numbers of colours.
        palette: [colours, 3] what the numbers look like.
    """
    height, width = pictures.shape[1:3]
    kind = _RGB if palette is None else _PALETTE
    head = _SIGNATURE + _chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, kind, 0, 0, 0))
    if palette is not None:
        head += _chunk(b"PLTE", palette.tobytes())
    end = _chunk(b"IEND", b"")
    rows = np.zeros((height, 1 + width * (3 if palette is None else 1)), np.uint8)
    files = []
    for picture in pictures:
        rows[:, 1:] = picture.reshape(height, -1)  # behind a 0: rows are not filtered
        files.append(head + _chunk(b"IDAT", isal_zlib.compress(rows, _LEVEL)) + end)
    return files


def _chunk(name: bytes, content: bytes) -> bytes:
    checksum = zlib.crc32(content, zlib.crc32(name))
    return b"".join((struct.pack(">I", len(content)), name, content, struct.pack(">I", checksum)))


def read_png(content: bytes) -> npt.NDArray[np.uint8]:
    """The picture in the bytes of a PNG file; of one with a palette, the numbers of colours."""
    with Image.open(io.BytesIO(content)) as image:
        return np.asarray(image)
