"""WebDataset tar shards: files that belong together share a name, for video and world models.

``KEY.json`` has numbers and texts, ``KEY.NAME.npy`` an array; RGB frames lie in ``KEY.mp4``, in
``KEY.rgb.000.png`` and so on, or among the arrays.
"""

from __future__ import annotations

import io
import json
import tarfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from itertools import chain
from typing import Any

import numpy as np

from topple.datasets.formats import ShardReader, Target, frames_per_second
from topple.datasets.formats.pictures import picture_files
from topple.datasets.sample import Array, Batch, Column, Field, Sample, Source, film_frames
from topple.datasets.spec import Spec
from topple.files import whole_file
from topple.media.files import mp4_bytes, read_mp4
from topple.media.png import read_png

LIBRARIES = ("numpy", "isal", "av")
LOSSY = ("rgb",)  # as MP4
_BUFFER = 1 << 20  # bytes; what is smaller is written together
_IN_JSON = ("action", "balls", "goal")  # small arrays that people look at first
_IN_COMMON = ("description", "scene")  # texts of a task, the last in a sample


def write(target: Target, batches: Iterable[Batch]) -> list[str]:
    """Write a shard as one tar file."""
    name = f"{target.shard.name}.tar"
    with whole_file(target.folder / name) as temporary, temporary.open("wb", _BUFFER) as file:
        for batch in batches:
            for key, files in encode(batch, target.fields, target.spec):
                contents: list[bytes | memoryview] = []
                for ending, parts in sorted(files.items()):
                    size = sum(map(len, parts))
                    padding = _PADDING[: -size % tarfile.BLOCKSIZE]
                    contents += (_header(f"{key}.{ending}", size), *parts, padding)
                file.writelines(contents)
        file.write(2 * _PADDING)
    return [name]


def _header(name: str, size: int) -> bytes:
    """The header of a file in a tar archive: that of an empty one with this name and size.

    A shard may hold a file per frame, and tarfile takes longer for a header than the engine for
    the frame; so it makes one of them.
    """
    before, between, after, rest = _EMPTY
    path, length = name.encode(), b"%011o\0" % size
    total = b"%06o\0 " % (rest + sum(path) + sum(length))
    return b"".join((path.ljust(_NAME, b"\0"), before, length, between, total, after))


def _empty() -> tuple[bytes, bytes, bytes, int]:
    """The header of an empty file around its size and its sum, and their sum."""
    info = tarfile.TarInfo()
    info.mode, info.uname, info.gname = 0o444, "topple", "topple"
    header = info.tobuf(tarfile.USTAR_FORMAT)
    parts = header[_NAME:124], header[136:148], header[156:]
    spaces = 8 * ord(" ")  # in place of the sum itself
    return *parts, sum(map(sum, parts)) + spaces


_PADDING = bytes(tarfile.BLOCKSIZE)
_NAME = 100  # bytes of a header for the name
_EMPTY = _empty()


def encode(
    batch: Batch, fields: Mapping[str, Field], spec: Spec
) -> Iterator[tuple[str, dict[str, list[bytes | memoryview]]]]:
    """The files of each sample by their endings, in parts to be used before the next sample."""
    scratch = _Scratch()
    fps = Fraction(frames_per_second(spec), spec.keep.stride)
    in_json = [name for name, field in fields.items() if field.is_scalar or name in _IN_JSON]
    rest = [(name, field, batch[name]) for name, field in fields.items() if name not in in_json]
    for number, (key, text) in enumerate(
        zip(batch["key"].rows, _texts(batch, in_json), strict=True)
    ):
        files: dict[str, list[bytes | memoryview]] = {"json": [text.encode()]}
        for name, field, column in rest:
            if name == "rgb" and spec.pictures == "mp4":
                frames = iter(film_frames(column, number))
                if (first := next(frames, None)) is not None:
                    files["mp4"] = [mp4_bytes(chain([first], frames), fps)]
                continue
            value = column[number]
            if not field.frames or spec.pictures == "npy":
                numbers = scratch.bytes_of(name, value)
                files[f"{name}.npy"] = [_npy_header(value.shape, value.dtype), numbers]
            else:
                contents = picture_files(name, value)
                for ending, content in zip(_endings(name, len(value)), contents, strict=True):
                    files[ending] = [content]
        yield key, files


@lru_cache(maxsize=256)
def _endings(name: str, count: int) -> list[str]:
    """The endings of the pictures of a field."""
    return [f"{name}.{frame:03d}.png" for frame in range(count)]


def _texts(batch: Batch, names: Sequence[str]) -> Iterator[str]:
    """The JSON of each sample; texts that many have in common are encoded once."""
    own = [name for name in names if name not in _IN_COMMON]
    common = [(name, batch[name].rows) for name in names if name in _IN_COMMON]
    rows = zip(*(_plain(batch[name]) for name in own), strict=True)
    for number, values in enumerate(rows):
        text = _JSON.encode(dict(zip(own, values, strict=True)))
        more = [f',"{name}":{_quoted(texts[number])}' for name, texts in common]
        yield "".join((text[:-1], *more, "}"))


def _plain(column: Column) -> Sequence[Any]:
    """The values of a column as JSON has them."""
    rows = column.rows
    if isinstance(rows, np.ndarray):
        if column.sizes is None:
            return list(rows.tolist())
    elif rows and isinstance(rows[0], str):
        return rows
    return [column[number].tolist() for number in range(len(column))]


class _Scratch:
    """Copies of arrays that do not lie in one piece, in memory that is used again."""

    def __init__(self) -> None:
        self._held: dict[str, Array] = {}

    def bytes_of(self, name: str, value: Array) -> memoryview:
        """The bytes of an array, until the next one of the same name."""
        if not value.flags.c_contiguous:
            held = self._held.get(name)
            if held is None or len(held) < value.size or held.dtype != value.dtype:
                held = self._held[name] = np.empty(value.size, value.dtype)
            copied = held[: value.size].reshape(value.shape)
            copied[...] = value
            value = copied
        return value.reshape(-1).view(np.uint8).data


_JSON = json.JSONEncoder(separators=(",", ":"))
_quoted = lru_cache(maxsize=4096)(_JSON.encode)


@lru_cache(maxsize=4096)
def _npy_header(shape: tuple[int, ...], dtype: np.dtype[Any]) -> bytes:
    """What comes before the numbers in an NPY file."""
    file = io.BytesIO()
    described = {"descr": dtype.str, "fortran_order": False, "shape": shape}
    np.lib.format.write_array_header_1_0(file, described)
    return file.getvalue()


def decode(files: Mapping[str, bytes], fields: Mapping[str, Field], spec: Spec) -> Sample:
    """The sample of such files; a film in MP4 comes back as it was compressed."""
    words = json.loads(files["json"])
    sample: Sample = {}
    for name, field in fields.items():
        if (ending := f"{name}.npy") in files:
            sample[name] = np.load(io.BytesIO(files[ending]))
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


class Reader(ShardReader):
    """The samples of a tar file, found by one look through its headers."""

    def _open(self) -> None:
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
    film = read_mp4(mp4_bytes(sample["rgb"], fps))
    return {**sample, "rgb": np.ascontiguousarray(film[:, :height, :width])}
