"""WebDataset tar shards: files that belong together share a name, for video and world models.

``KEY.json`` has numbers and texts, ``KEY.npz`` arrays; RGB frames lie in ``KEY.mp4``, in
``KEY.rgb.000.png`` and so on, or among the arrays.
"""

from __future__ import annotations

import io
import json
import tarfile
from collections.abc import Iterable, Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
from webdataset import TarWriter

from topple.datasets.formats import Target, frames_per_second, picture_bytes
from topple.datasets.sample import Field, Sample, Source
from topple.datasets.spec import Spec
from topple.files import whole_file
from topple.media.files import mp4_bytes, read_mp4, read_png

LIBRARIES = ("webdataset", "numpy", "pillow", "av")
LOSSY = ("rgb",)  # as MP4
_IN_JSON = ("action", "balls", "goal")  # small arrays that people look at first


def write(target: Target, samples: Iterable[Sample]) -> list[str]:
    """Write a shard as one tar file."""
    name = f"{target.shard.name}.tar"
    with whole_file(target.folder / name) as temporary, temporary.open("wb") as file:
        writer = TarWriter(file, user="topple", group="topple", mtime=0, encoder=False)
        for sample in samples:
            writer.write(encode(sample, target.fields, target.spec))
        writer.close()
    return [name]


def encode(sample: Sample, fields: Mapping[str, Field], spec: Spec) -> dict[str, Any]:
    """The files of a sample by their endings."""
    words: dict[str, Any] = {}
    arrays: dict[str, Any] = {}
    files: dict[str, Any] = {"__key__": sample["key"]}
    for name, field in fields.items():
        value = sample[name]
        if field.frames and spec.pictures != "npz":
            if name == "rgb" and spec.pictures == "mp4":
                if len(value):
                    fps = Fraction(frames_per_second(spec), spec.keep.stride)
                    files["mp4"] = mp4_bytes(list(value), fps)
            else:
                for number, picture in enumerate(value):
                    files[f"{name}.{number:03d}.png"] = picture_bytes(name, picture)
        elif field.is_scalar or name in _IN_JSON:
            words[name] = value if isinstance(value, str) else value.tolist()
        else:
            arrays[name] = value
    files["json"] = json.dumps(words, separators=(",", ":")).encode()
    if arrays:
        packed = io.BytesIO()
        np.savez(packed, **arrays)
        files["npz"] = packed.getvalue()
    return files


def decode(files: Mapping[str, bytes], fields: Mapping[str, Field], spec: Spec) -> Sample:
    """The sample of such files; a film in MP4 comes back as it was compressed."""
    words = json.loads(files["json"])
    arrays = dict(np.load(io.BytesIO(files["npz"]))) if "npz" in files else {}
    sample: Sample = {}
    for name, field in fields.items():
        if name in arrays:
            sample[name] = arrays[name]
        elif name not in words:
            sample[name] = _frames(name, field, files, spec)
        elif field.dtype == "str":
            sample[name] = words[name]
        elif field.is_scalar:
            sample[name] = np.dtype(field.dtype).type(words[name])
        else:
            known = [size or 0 for size in field.shape[1:]]
            sample[name] = np.array(words[name], field.dtype).reshape(-1, *known)
            if len(field.shape) == 1:
                sample[name] = sample[name].ravel()
    return sample


def _frames(name: str, field: Field, files: Mapping[str, bytes], spec: Spec) -> Any:
    shape = [size or 0 for size in field.shape[1:]]
    if name == "rgb" and spec.pictures == "mp4":
        pictures: Any = read_mp4(files["mp4"])[:, : shape[0], : shape[1]] if "mp4" in files else []
    else:
        endings = sorted(ending for ending in files if ending.startswith(f"{name}."))
        pictures = [read_png(files[ending]) for ending in endings]
    return np.array(pictures, np.uint8).reshape(len(pictures), *shape)


class Reader:
    """The samples of a tar file, found by one look through its headers."""

    def __init__(
        self, folder: Path, entry: Mapping[str, Any], spec: Spec, fields: Mapping[str, Field]
    ) -> None:
        self._path, self._spec, self._fields = folder / entry["files"][0], spec, fields
        self._members: dict[str, dict[str, tuple[int, int]]] = {}
        with tarfile.open(self._path) as archive:
            for member in archive:
                key, _, ending = member.name.partition(".")
                place = (member.offset_data, member.size)
                self._members.setdefault(key, {})[ending] = place
        self._keys = list(self._members)

    def __len__(self) -> int:
        return len(self._keys)

    def files(self, number: int) -> dict[str, bytes]:
        """The files of a sample by their endings, as they are stored."""
        found = {}
        with self._path.open("rb") as file:
            for ending, (start, size) in self._members[self._keys[number]].items():
                file.seek(start)
                found[ending] = file.read(size)
        return found

    def __getitem__(self, number: int) -> Sample:
        return decode(self.files(number), self._fields, self._spec)


def expected(sample: Sample, source: Source) -> Sample:
    """What comes back of a sample: a film as this encoder compresses it."""
    spec = source.spec
    if spec.pictures != "mp4" or "rgb" not in sample or not len(sample["rgb"]):
        return sample
    height, width = sample["rgb"].shape[1:3]
    fps = Fraction(frames_per_second(spec), spec.keep.stride)
    film = read_mp4(mp4_bytes(list(sample["rgb"]), fps))
    return {**sample, "rgb": np.ascontiguousarray(film[:, :height, :width])}
