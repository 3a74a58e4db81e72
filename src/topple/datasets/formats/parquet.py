"""Parquet by pyarrow: a row per attempt, for tables of states and outcomes.

Arrays are nested lists, pictures are lists of PNG images, and the features are declared in the
schema as Hugging Face's ``datasets`` reads them.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from topple.datasets.formats import Target, picture_bytes
from topple.datasets.sample import Array, Field, Sample
from topple.datasets.spec import Spec
from topple.files import whole_file
from topple.media.files import read_png

LIBRARIES = ("pyarrow", "pillow")
LOSSY: tuple[str, ...] = ()
_GROUP = 64  # rows that are written and read together
_IMAGE = pa.struct([("bytes", pa.binary()), ("path", pa.string())])


def _kind(field: Field) -> pa.DataType:
    if field.frames:
        return pa.list_(_IMAGE)
    kind = pa.string() if field.dtype == "str" else pa.from_numpy_dtype(np.dtype(field.dtype))
    for _ in field.shape:
        kind = pa.list_(kind)
    return kind


def _feature(field: Field) -> dict[str, Any]:
    """The declaration of a field for Hugging Face's ``datasets``."""
    names = {"str": "string"}
    feature: dict[str, Any] = {"dtype": names.get(field.dtype, field.dtype), "_type": "Value"}
    if field.frames:
        return {"feature": {"_type": "Image"}, "_type": "Sequence"}
    for _ in field.shape:
        feature = {"feature": feature, "_type": "Sequence"}
    return feature


def schema(fields: Mapping[str, Field]) -> pa.Schema:
    """The columns, with their declarations and what they hold."""
    features = {name: _feature(field) for name, field in fields.items()}
    info = json.dumps({"info": {"features": features}})
    columns = [
        pa.field(name, _kind(field), metadata={"about": field.about})
        for name, field in fields.items()
    ]
    return pa.schema(columns, metadata={"huggingface": info})


def write(target: Target, samples: Iterable[Sample]) -> list[str]:
    """Write a shard as one file."""
    name = f"{target.shard.name}.parquet"
    columns, rest = schema(target.fields), iter(samples)
    with (
        whole_file(target.folder / name) as temporary,
        pq.ParquetWriter(temporary, columns, compression="zstd") as writer,
    ):
        while group := list(islice(rest, _GROUP)):
            arrays = [
                _column(name, [sample[name] for sample in group], field)
                for name, field in target.fields.items()
            ]
            writer.write_table(pa.Table.from_arrays(arrays, schema=columns))
    return [name]


def _column(name: str, values: Sequence[Any], field: Field) -> pa.Array:
    if field.frames:
        images = [
            [{"bytes": picture_bytes(name, p), "path": None} for p in value] for value in values
        ]
        return pa.array(images, _kind(field))
    if field.dtype == "str":
        return pa.array(values, pa.string())
    if field.is_scalar:
        return pa.array(np.array(values, np.dtype(field.dtype)))
    flat = np.concatenate([np.asarray(value, field.dtype).ravel() for value in values])
    column: pa.Array = pa.array(flat)
    for depth in reversed(range(len(field.shape))):  # from the innermost lists outwards
        counts = [
            np.full(int(np.prod(value.shape[:depth])), value.shape[depth], np.int32)
            for value in values
        ]
        starts = np.concatenate([[0], np.cumsum(np.concatenate(counts))]).astype(np.int32)
        column = pa.ListArray.from_arrays(pa.array(starts), column)
    return column


class Reader:
    """The rows of a file, read by groups."""

    def __init__(
        self, folder: Path, entry: Mapping[str, Any], spec: Spec, fields: Mapping[str, Field]
    ) -> None:
        self._file = pq.ParquetFile(folder / entry["files"][0])
        self._fields = fields
        self._group: tuple[int, pa.Table] | None = None

    def __len__(self) -> int:
        return int(self._file.metadata.num_rows)

    def __getitem__(self, number: int) -> Sample:
        place = number // _GROUP
        if self._group is None or self._group[0] != place:
            self._group = (place, self._file.read_row_group(place))
        row = number % _GROUP
        columns = self._group[1]
        return {name: _value(columns[name][row], field) for name, field in self._fields.items()}


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
