"""HDF5 by h5py: dense arrays, one file per shard, a row per attempt.

Rows are padded with zeros to the largest of the shard; ``shape/NAME`` has the size of each.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import chain
from pathlib import Path
from typing import Any

import h5py
import numpy as np

from topple.datasets.formats import Target
from topple.datasets.sample import Field, Sample
from topple.datasets.spec import Spec
from topple.files import whole_file

LIBRARIES = ("h5py",)
LOSSY: tuple[str, ...] = ()
_LEVEL = 1  # of compression: what is padded costs nothing, and little time is spent


def write(target: Target, samples: Iterable[Sample]) -> list[str]:
    """Write a shard as one file."""
    name = f"{target.shard.name}.h5"
    rest = iter(samples)
    first = next(rest, None)
    with whole_file(target.folder / name) as temporary, h5py.File(temporary, "w") as file:
        file.attrs["fields"] = list(target.fields)
        if first is None:
            return [name]
        for field_name, field in target.fields.items():
            _create(file, field_name, field, first[field_name])
        for number, sample in enumerate(chain([first], rest)):
            for field_name, field in target.fields.items():
                _append(file, number, field_name, field, sample[field_name])
    return [name]


def _create(file: h5py.File, name: str, field: Field, value: Any) -> None:
    if field.dtype == "str":
        options: dict[str, Any] = {"dtype": h5py.string_dtype(), "chunks": (64,)}
    else:
        options = {"dtype": field.dtype, "chunks": (64,)}
    shape = np.shape(value)
    if shape:
        options["chunks"] = (1, *(max(1, size) for size in shape))
        options |= {"compression": "gzip", "compression_opts": _LEVEL, "shuffle": True}
        sizes = file.create_dataset(
            f"shape/{name}",
            (0, len(shape)),
            "int32",
            maxshape=(None, len(shape)),
            chunks=(64, len(shape)),
            track_times=False,
        )
        sizes.attrs["about"] = f"size of {name} in each row"
    data = file.create_dataset(
        name, (0, *shape), maxshape=(None,) * (1 + len(shape)), track_times=False, **options
    )
    data.attrs["about"] = field.about


def _append(file: h5py.File, number: int, name: str, field: Field, value: Any) -> None:
    data = file[name]
    if field.is_scalar:
        data.resize(number + 1, axis=0)
        data[number] = value
        return
    shape = value.shape
    data.resize((number + 1, *np.maximum(data.shape[1:], shape).tolist()))
    if value.size:
        data[(number, *(slice(0, size) for size in shape))] = value
    sizes = file[f"shape/{name}"]
    sizes.resize(number + 1, axis=0)
    sizes[number] = shape


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
