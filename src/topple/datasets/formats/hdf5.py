"""HDF5 by h5py: dense arrays, one file per shard, a row per attempt.

Rows are padded with zeros to the largest of the shard; ``shape/NAME`` has the size of each.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import h5py
import numpy as np

from topple.datasets.formats import Target
from topple.datasets.sample import Array, Field, Sample
from topple.datasets.spec import Spec
from topple.files import whole_file

LIBRARIES = ("h5py",)
LOSSY: tuple[str, ...] = ()
_LEVEL = 1  # of compression: what is padded costs nothing, and little time is spent


def write(target: Target, samples: Iterable[Sample]) -> list[str]:
    """Write a shard as one file; pictures as they come, all else at the end, at once."""
    name = f"{target.shard.name}.h5"
    columns: dict[str, list[Any]] = {name: [] for name in target.fields}
    with whole_file(target.folder / name) as temporary, h5py.File(temporary, "w") as file:
        file.attrs["fields"] = list(target.fields)
        for number, sample in enumerate(samples):
            for field_name, field in target.fields.items():
                value = sample[field_name]
                if field.frames:
                    _append(file, number, field_name, value)
                columns[field_name].append(value.shape if field.frames else value)
        for field_name, field in target.fields.items() if columns["key"] else ():
            _write_column(file, field_name, field, columns[field_name])
            file[field_name].attrs["about"] = field.about
    return [name]


def _append(file: h5py.File, number: int, name: str, value: Array) -> None:
    """Add the pictures of a sample, below those before."""
    if name not in file:
        _create(file, name, (0, *value.shape), value.dtype)
    data = file[name]
    data.resize((number + 1, *np.maximum(data.shape[1:], value.shape).tolist()))
    data[(number, *(slice(0, size) for size in value.shape))] = value


def _create(file: h5py.File, name: str, shape: tuple[int, ...], kind: Any) -> h5py.Dataset:
    return file.create_dataset(
        name,
        shape,
        kind,
        maxshape=(None,) * len(shape),
        chunks=(1, *(max(1, size) for size in shape[1:])),
        compression="gzip",
        compression_opts=_LEVEL,
        shuffle=True,
        track_times=False,
    )


def _write_column(file: h5py.File, name: str, field: Field, values: list[Any]) -> None:
    if field.dtype == "str":
        file.create_dataset(name, data=values, dtype=h5py.string_dtype(), track_times=False)
        return
    if field.is_scalar:
        file.create_dataset(name, data=np.array(values, field.dtype), track_times=False)
        return
    shapes = np.array([v if field.frames else v.shape for v in values], np.int32)
    sizes = file.create_dataset(f"shape/{name}", data=shapes, track_times=False)
    sizes.attrs["about"] = f"size of {name} in each row"
    if not field.frames:
        padded = np.zeros((len(values), *shapes.max(axis=0).tolist()), field.dtype)
        for row, value in zip(padded, values, strict=True):
            row[tuple(slice(0, size) for size in value.shape)] = value
        _create(file, name, padded.shape, field.dtype)[...] = padded


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
