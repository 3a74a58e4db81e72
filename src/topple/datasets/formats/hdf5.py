"""HDF5 by h5py: dense arrays, one file per shard, a row per attempt.

Rows are padded with zeros to the largest of the shard; ``shape/NAME`` has the size of each.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import product, repeat
from math import prod
from operator import add, gt
from typing import Any

import h5py
import numpy as np
import numpy.typing as npt
from isal import isal_zlib

from topple.datasets.formats import ShardReader, Target
from topple.datasets.sample import Array, Batch, Column, Field, Sample
from topple.files import whole_file

LIBRARIES = ("h5py", "isal")
LOSSY: tuple[str, ...] = ()
_LEVEL = 0  # of isal, its fastest: what is padded costs nothing, and little time is spent
_SMALL = 4096  # bytes of rows that are not worth compressing
_ROWS = 256  # of these that lie together
_BODIES = 16  # of states and features that lie together


def write(target: Target, batches: Iterable[Batch]) -> list[str]:
    """Write a shard as one file, batch by batch."""
    name = f"{target.shard.name}.h5"
    with whole_file(target.folder / name) as temporary, h5py.File(temporary, "w") as file:
        file.attrs["fields"] = list(target.fields)
        first = 0
        for batch in batches:
            for field_name, field in target.fields.items():
                _write_column(file, first, field_name, field, batch[field_name])
            first += len(batch["key"])
    return [name]


def _write_column(file: h5py.File, first: int, name: str, field: Field, column: Column) -> None:
    if field.is_scalar:
        kind = h5py.string_dtype() if field.dtype == "str" else field.dtype
        _append(file, first, name, np.asarray(column.rows, kind), field.about)
        return
    shapes = column.shapes().astype(np.int32)
    _append(file, first, f"shape/{name}", shapes, f"size of {name} in each row")
    largest = shapes.max(axis=0, initial=1).tolist()
    size = prod(largest) * np.dtype(field.dtype).itemsize
    if file[name].compression if name in file else size > _SMALL:
        _append_large(file, first, name, field, column, largest)
    else:
        _append(file, first, name, column.padded(field.dtype), field.about)


def _append(file: h5py.File, first: int, name: str, rows: Array, about: str) -> None:
    """Add rows below those before; all are padded to the largest."""
    if name not in file:
        sizes = [max(1, size) for size in rows.shape[1:]]
        _create(file, name, rows.dtype, rows.shape[1:], (_ROWS, *sizes), about)
    data = file[name]
    data.resize((first + len(rows), *np.maximum(data.shape[1:], rows.shape[1:]).tolist()))
    data[(slice(first, None), *(slice(0, size) for size in rows.shape[1:]))] = rows


def _append_large(
    file: h5py.File, first: int, name: str, field: Field, column: Column, largest: list[int]
) -> None:
    """Add arrays below those before, in pieces that are compressed one by one.

    A piece has some of the bodies: what is beyond those of an attempt is not stored, and is zero.
    """
    if name not in file:
        piece = list(largest)
        if not field.frames and len(piece) > 1:
            piece[1] = min(piece[1], _BODIES)
        options = {"compression": "gzip", "compression_opts": 1}
        _create(file, name, field.dtype, largest, (1, *piece), field.about, **options)
    data = file[name]
    data.resize((first + len(column), *np.maximum(data.shape[1:], largest).tolist()))
    sizes = data.chunks[1:]
    block = np.zeros(sizes, field.dtype)
    filled = (0,) * len(sizes)  # what of the block is not zero
    for row in range(len(column)):
        value = column[row]
        for corner in product(*map(range, repeat(0), value.shape, sizes)):
            part = value[tuple(map(slice, corner, map(add, corner, sizes)))]
            if any(map(gt, filled, part.shape)):
                block[...] = 0
            filled = part.shape
            block[tuple(map(slice, filled))] = part
            packed = isal_zlib.compress(block, _LEVEL)  # what the filter gzip stores, and faster
            data.id.write_direct_chunk((first + row, *corner), packed)


def _create(
    file: h5py.File,
    name: str,
    kind: npt.DTypeLike,
    shape: Sequence[int],
    chunks: tuple[int, ...],
    about: str,
    **options: Any,
) -> None:
    """An empty array of such rows."""
    data = file.create_dataset(
        name,
        (0, *shape),
        kind,
        maxshape=(None,) * len(chunks),
        chunks=chunks,
        track_times=False,
        **options,
    )
    data.attrs["about"] = about


class Reader(ShardReader):
    """The rows of a file."""

    def _open(self) -> None:
        with h5py.File(self._path) as file:
            self._length = len(file["key"]) if "key" in file else 0

    def __len__(self) -> int:
        return self._length

    def __getitem__(self, number: int) -> Sample:
        with h5py.File(self._path) as file:  # opened anew, so that processes may share a reader
            return {name: _value(file, name, field, number) for name, field in self._fields.items()}


def _value(file: h5py.File, name: str, field: Field, number: int) -> Any:
    data = file[name]
    if field.dtype == "str":
        return data[number].decode()
    if field.is_scalar:
        return np.dtype(field.dtype).type(data[number])
    sizes = file[f"shape/{name}"][number].tolist()
    return data[(number, *(slice(0, size) for size in sizes))]
