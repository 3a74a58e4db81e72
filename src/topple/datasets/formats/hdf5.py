"""HDF5 by h5py: dense arrays, one file per shard, a row per attempt.

Rows are padded with zeros to the largest of the shard; ``shape/NAME`` has the size of each.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import prod
from pathlib import Path
from typing import Any

import h5py
import numpy as np
from isal import isal_zlib

from topple.datasets.formats import Target
from topple.datasets.sample import Array, Batch, Column, Field, Sample
from topple.datasets.spec import Spec
from topple.files import whole_file

LIBRARIES = ("h5py", "isal")
LOSSY: tuple[str, ...] = ()
_LEVEL = 0  # of isal, its fastest: what is padded costs nothing, and little time is spent
_SMALL = 4096  # bytes of rows that are not worth compressing
_ROWS = 256  # of these that lie together


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
    if not field.frames:
        _append(file, first, name, column.padded(field.dtype), field.about)
        return
    for number, value in enumerate(column.rows):
        _append(file, first + number, name, value[None], field.about)


def _append(file: h5py.File, first: int, name: str, rows: Array, about: str) -> None:
    """Add rows below those before; all are padded to the largest."""
    if name not in file:
        _create(file, name, rows).attrs["about"] = about
    data = file[name]
    largest = np.maximum(data.shape[1:], rows.shape[1:]).tolist()
    data.resize((first + len(rows), *largest))
    if data.chunks[1:] != rows.shape[1:] or data.compression is None:
        data[(slice(first, None), *(slice(0, size) for size in rows.shape[1:]))] = rows
        return
    for number, row in enumerate(rows):  # what the filter gzip stores, several times as fast
        packed = isal_zlib.compress(np.ascontiguousarray(row), _LEVEL)
        data.id.write_direct_chunk((first + number, *(0 for _ in row.shape)), packed)


def _create(file: h5py.File, name: str, rows: Array) -> h5py.Dataset:
    """An empty array of such rows; large ones are compressed, each row by itself."""
    sizes = [max(1, size) for size in rows.shape[1:]]
    large = prod(sizes) * rows.dtype.itemsize > _SMALL
    packed = {"compression": "gzip", "compression_opts": 1} if large else {}
    return file.create_dataset(
        name,
        (0, *rows.shape[1:]),
        rows.dtype,
        maxshape=(None,) * rows.ndim,
        chunks=(1 if large else _ROWS, *sizes),
        track_times=False,
        **packed,
    )


class Reader:
    """The rows of a file."""

    def __init__(
        self, folder: Path, entry: Mapping[str, Any], spec: Spec, fields: Mapping[str, Field]
    ) -> None:
        self._path, self._fields = folder / entry["files"][0], fields
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
