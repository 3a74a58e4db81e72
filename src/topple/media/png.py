"""PNG files of many pictures, written as fast as an engine draws them."""

from __future__ import annotations

import io
import struct
import zlib
from functools import lru_cache

import numpy as np
import numpy.typing as npt
from PIL import Image

from topple.media.files import FrameFileError

_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_RGB, _PALETTE = 2, 3  # colour types
_HALF = 16  # colours whose numbers fit into half a byte
_BESIDE = np.uint16(1 + (1 << 12))  # times this, the upper byte has both halves of two bytes
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

    Raises:
        FrameFileError: The library that compresses them is not installed.
    """
    try:
        from isal import isal_zlib
    except ImportError:
        raise FrameFileError("PNG needs the package isal: pip install 'topple[datasets]'") from None
    height, width = pictures.shape[1:3]
    halves = palette is not None and len(palette) <= _HALF and width % 2 == 0
    depth = 4 if halves else 8
    head = _head(width, height, depth, None if palette is None else palette.tobytes())
    samples = width * (3 if palette is None else 1)
    rows = np.zeros((height, 1 + samples * depth // 8), np.uint8)  # a row is behind a 0: no filter
    pairs = np.empty((height, width // 2), np.uint16)
    # The engine draws from the bottom: its pictures are turned when their rows are put together.
    turned = pictures.strides[1] < 0
    into = rows[::-1, 1:] if turned else rows[:, 1:]
    files: list[bytes] = []
    last = None
    for picture in pictures[:, ::-1] if turned else pictures:
        content = picture.tobytes()
        if content != last:  # what has come to rest is compressed once
            last = content
            if halves:  # the left of two numbers comes first, and first in a byte
                numbers = np.frombuffer(content, "<u2").reshape(pairs.shape)
                np.multiply(numbers, _BESIDE, out=pairs)
                into[...] = np.right_shift(pairs, 8, out=pairs)
            else:
                into[...] = np.frombuffer(content, np.uint8).reshape(height, -1)
            file = b"".join((head, *_chunk(b"IDAT", isal_zlib.compress(rows, _LEVEL)), _END))
        files.append(file)
    return files


@lru_cache
def _head(width: int, height: int, depth: int, palette: bytes | None) -> bytes:
    """What comes before the compressed rows."""
    kind = _RGB if palette is None else _PALETTE
    size = struct.pack(">IIBBBBB", width, height, depth, kind, 0, 0, 0)
    colours = () if palette is None else _chunk(b"PLTE", palette)
    return b"".join((_SIGNATURE, *_chunk(b"IHDR", size), *colours))


def _chunk(name: bytes, content: bytes) -> tuple[bytes, ...]:
    """A part of a file."""
    checksum = zlib.crc32(content, zlib.crc32(name))
    return struct.pack(">I", len(content)), name, content, struct.pack(">I", checksum)


_END = b"".join(_chunk(b"IEND", b""))


def read_png(content: bytes) -> npt.NDArray[np.uint8]:
    """The picture in the bytes of a PNG file; of one with a palette, the numbers of colours."""
    with Image.open(io.BytesIO(content)) as image:
        return np.asarray(image)
