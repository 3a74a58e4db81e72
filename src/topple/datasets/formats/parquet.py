"""Parquet by pyarrow: a row per attempt, for tables of states and outcomes.

Arrays are nested lists, pictures are lists of PNG images, and the features are declared in the
schema as Hugging Face's ``datasets`` reads them. With ``arrays = "bytes"`` states and features are
the bytes of an array, with its sizes in ``NAME_shape``: Parquet encodes the nesting of every number
of a list, which takes several times as long as all else. The format ``arrow`` has the same tables.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from topple.datasets.formats import ShardReader, Target
from topple.datasets.formats.pictures import picture_files
from topple.datasets.sample import Array, Batch, Column, Field, Sample
from topple.datasets.spec import Spec
from topple.files import whole_file
from topple.media.png import read_png

LIBRARIES = ("pyarrow", "isal")
LOSSY: tuple[str, ...] = ()
GROUP = 128  # rows that are written and read together
_DENSE = 3  # dimensions of arrays that may be stored as bytes
LEVEL = -5  # of zstd where it matters: as fast as LZ4, and smaller
_IMAGE = pa.struct([("bytes", pa.binary()), ("path", pa.string())])


def _kind(field: Field) -> pa.DataType:
    if field.frames:
        return pa.list_(_IMAGE)
    named = {"str": pa.string(), "large_binary": pa.large_binary()}
    kind = named.get(field.dtype) or pa.from_numpy_dtype(np.dtype(field.dtype))
    for size in reversed(field.shape):
        kind = pa.list_(kind) if size is None else pa.list_(kind, size)
    return kind


def _feature(field: Field) -> dict[str, Any]:
    """The declaration of a field for Hugging Face's ``datasets``."""
    names = {"str": "string"}
    feature: dict[str, Any] = {"dtype": names.get(field.dtype, field.dtype), "_type": "Value"}
    if field.frames:
        return {"feature": {"_type": "Image"}, "_type": "Sequence"}
    for size in reversed(field.shape):
        length = {} if size is None else {"length": size}
        feature = {"feature": feature, **length, "_type": "Sequence"}
    return feature


def _as_bytes(field: Field, spec: Spec) -> bool:
    return spec.arrays == "bytes" and not field.frames and len(field.shape) >= _DENSE


def _stored(fields: Mapping[str, Field], spec: Spec) -> dict[str, Field]:
    """The fields of the columns: an array stored as bytes has another one for its sizes."""
    found = {}
    for name, field in fields.items():
        found[name] = field
        if _as_bytes(field, spec):
            about = f"{field.about}: {np.dtype(field.dtype).str} in C order"
            found[name] = Field("large_binary", (), about)
            found[f"{name}_shape"] = Field("int32", (len(field.shape),), f"sizes of {name}")
    return found


def schema(fields: Mapping[str, Field], spec: Spec) -> pa.Schema:
    """The columns, with their declarations and what they hold."""
    stored = _stored(fields, spec)
    features = {name: _feature(field) for name, field in stored.items()}
    info = json.dumps({"info": {"features": features}})
    columns = [
        pa.field(name, _kind(field), metadata={"about": field.about})
        for name, field in stored.items()
    ]
    return pa.schema(columns, metadata={"huggingface": info})


def tables(columns: pa.Schema, target: Target, batches: Iterable[Batch]) -> Iterator[pa.Table]:
    """The samples of a shard, batch by batch."""
    for batch in batches:
        arrays: list[pa.Array] = []
        for name, field in target.fields.items():
            if _as_bytes(field, target.spec):
                arrays += _bytes(batch[name], field)
            else:
                arrays.append(_column(name, batch[name], field))
        yield pa.Table.from_arrays(arrays, schema=columns)


def write(target: Target, batches: Iterable[Batch]) -> list[str]:
    """Write a shard as one file."""
    name = f"{target.shard.name}.parquet"
    columns = schema(target.fields, target.spec)
    words = [name for name, field in target.fields.items() if field.dtype == "str"]
    options: dict[str, Any] = {
        "compression": "zstd",
        "use_dictionary": words,
        "write_statistics": words,
    }
    if dense := [name for name, field in target.fields.items() if _as_bytes(field, target.spec)]:
        options["compression_level"] = dict.fromkeys(dense, LEVEL)
    with (
        whole_file(target.folder / name) as temporary,
        pq.ParquetWriter(temporary, columns, **options) as writer,
    ):
        for table in tables(columns, target, batches):
            writer.write_table(table, GROUP)
    return [name]


def _bytes(column: Column, field: Field) -> list[pa.Array]:
    """The bytes of arrays, and their sizes."""
    shapes, numbers = column.shapes().astype(np.int32), column.flat(field.dtype)
    starts = np.concatenate([[0], shapes.prod(axis=1).cumsum()]) * numbers.itemsize
    buffers = [None, pa.py_buffer(starts.astype(np.int64)), pa.py_buffer(numbers)]
    return [
        pa.Array.from_buffers(pa.large_binary(), len(shapes), buffers),
        pa.FixedSizeListArray.from_arrays(pa.array(shapes.ravel()), shapes.shape[1]),
    ]


def _column(name: str, column: Column, field: Field) -> pa.Array:
    if field.frames:
        return _pictures(name, column)
    if field.dtype == "str":
        return pa.array(column.rows, pa.string())
    if field.is_scalar:
        return pa.array(np.asarray(column.rows, field.dtype))
    shapes = column.shapes()
    values: pa.Array = pa.array(column.flat(field.dtype))
    for depth in reversed(range(len(field.shape))):  # from the innermost lists outwards
        if (size := field.shape[depth]) is not None:
            values = pa.FixedSizeListArray.from_arrays(values, size)
            continue
        counts = np.repeat(shapes[:, depth], shapes[:, :depth].prod(axis=1))
        starts = np.concatenate([[0], counts.cumsum()]).astype(np.int32)
        values = pa.ListArray.from_arrays(pa.array(starts), values)
    return values


def _pictures(name: str, column: Column) -> pa.Array:
    files = [picture_files(name, value) for value in column.rows]
    contents = pa.array([content for some in files for content in some], pa.binary())
    images = pa.StructArray.from_arrays(
        [contents, pa.nulls(len(contents), pa.string())], fields=list(_IMAGE)
    )
    starts = np.concatenate([[0], np.cumsum([len(some) for some in files])]).astype(np.int32)
    return pa.ListArray.from_arrays(pa.array(starts), images)


class Reader(ShardReader):
    """The rows of a file, read by groups."""

    _group: tuple[int, pa.Table] | None = None  # the one that was read last

    def _open(self) -> None:
        self._file = pq.ParquetFile(self._path)
        metadata = self._file.metadata
        sizes = [metadata.row_group(group).num_rows for group in range(metadata.num_row_groups)]
        self._ends = np.cumsum(sizes, dtype=int)

    def _read(self, group: int) -> pa.Table:
        return self._file.read_row_group(group)

    def __len__(self) -> int:
        return int(self._ends[-1]) if len(self._ends) else 0

    def __getitem__(self, number: int) -> Sample:
        group = int(np.searchsorted(self._ends, number, "right"))
        if self._group is None or self._group[0] != group:
            self._group = (group, self._read(group))
        columns = self._group[1]
        row = number - int(self._ends[group]) + columns.num_rows
        return {
            name: (
                np.frombuffer(columns[name][row].as_buffer(), field.dtype)
                .reshape(columns[f"{name}_shape"][row].as_py())
                .copy()
                if _as_bytes(field, self._spec)
                else _value(columns[name][row], field)
            )
            for name, field in self._fields.items()
        }


def _value(cell: Any, field: Field) -> Any:
    if field.dtype == "str":
        return cell.as_py()
    if field.frames:
        images = [read_png(image["bytes"].as_py()) for image in cell]
        return np.array(images, np.uint8).reshape(
            len(images), *(size or 0 for size in field.shape[1:])
        )
    if field.is_scalar:
        return np.dtype(field.dtype).type(cell.as_py())
    return _array(cell, field)


def _array(cell: Any, field: Field) -> Array:
    """An array from nested lists: their sizes, then all values at once."""
    values, shape = cell.values, [len(cell.values)]
    for known in field.shape[1:]:
        count = len(values[0]) if len(values) else known or 0
        values = values.flatten()
        shape.append(count)
    numbers = values.to_numpy(zero_copy_only=False)
    return np.ascontiguousarray(numbers, np.dtype(field.dtype)).reshape(shape)
