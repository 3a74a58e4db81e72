"""Named arrays as the bytes of an NPZ file, read without trust in what its headers claim."""

from __future__ import annotations

import hashlib
import io
import math
import zipfile
from collections.abc import Mapping
from typing import Any, cast

import numpy as np
import numpy.typing as npt

Arrays = Mapping[str, npt.NDArray[Any]]

MOST_BYTES = 1 << 30  # of all arrays together, once they are unpacked
_DIGEST_BYTES = 16


def pack_arrays(arrays: Arrays) -> bytes:
    """The compressed file of some arrays."""
    buffer = io.BytesIO()
    cast(Any, np.savez_compressed)(buffer, **arrays)
    return buffer.getvalue()


def unpack_arrays(content: bytes, most: int = MOST_BYTES) -> dict[str, npt.NDArray[Any]]:
    """The arrays in a file, which cannot be changed.

    Raises:
        ValueError: The file is damaged, holds anything but plain arrays, or unpacks to more than
            `most` bytes.
    """
    found: dict[str, npt.NDArray[Any]] = {}
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            members = archive.infolist()
            if sum(member.file_size for member in members) > most:
                raise ValueError(f"it unpacks to more than {most:,} bytes")
            for member in members:
                found[member.filename.removesuffix(".npy")] = _array(archive.read(member))
    except Exception as error:  # zipfile raises whatever the broken part of a file leads to
        raise ValueError(f"it is no file of plain arrays, or a damaged one ({error})") from error
    return found


def _array(raw: bytes) -> npt.NDArray[Any]:
    """An array, if its header promises just what follows it."""
    stream = io.BytesIO(raw)
    version = np.lib.format.read_magic(stream)
    read = {
        (1, 0): np.lib.format.read_array_header_1_0,
        (2, 0): np.lib.format.read_array_header_2_0,
    }.get(version)
    if read is None:
        raise ValueError(f"an array has format {version}")
    shape, in_columns, dtype = read(stream)
    left = len(raw) - stream.tell()
    if dtype.hasobject or min(shape, default=0) < 0 or math.prod(shape) * dtype.itemsize != left:
        raise ValueError(f"an array of shape {shape} and type {dtype} has {left} bytes")
    flat = np.frombuffer(raw, dtype, offset=stream.tell())
    return flat.reshape(shape, order="F" if in_columns else "C")


def arrays_digest(arrays: Arrays) -> str:
    """A digest of names, types, shapes and contents."""
    digest = hashlib.blake2b(digest_size=_DIGEST_BYTES)
    for name, array in arrays.items():
        digest.update(f"{name} {array.dtype.str} {array.shape} ".encode())
        digest.update(np.ascontiguousarray(array).tobytes())
    return digest.hexdigest()
