"""Samples: one attempt with what is kept of it, and the fields that a data set has.

Every format writes the same samples, so that what one library reads is what another reads. They
come in batches, a column per field, as the engine gives them; formats that store columns write
them without touching a single sample.
"""

from __future__ import annotations

import hashlib
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from math import prod
from pathlib import Path
from typing import Any, NamedTuple, overload

import numpy as np
import numpy.typing as npt

from topple.datasets.spec import Keep, Spec, SpecError

SOURCES = "sources"  # folder of what a spec refers to, kept beside the data

Array = npt.NDArray[Any]
Sample = dict[str, Any]  # values of the fields: arrays, numbers and texts


class Field(NamedTuple):
    """What a sample holds under a name."""

    dtype: str  # of NumPy, or "str"
    shape: tuple[int | None, ...]  # of one sample; None differs from sample to sample
    about: str  # what it is, with units
    frames: bool = False  # whether it is a sequence of pictures

    @property
    def is_scalar(self) -> bool:
        """Whether a sample has one value."""
        return not self.shape


class Draw(NamedTuple):
    """An attempt to be made."""

    kind: str  # how it was drawn, one of topple.datasets.spec.DRAWS
    action: tuple[float, ...]  # PHYRE: x, y, radius of each ball; I-PHYRE: ticks, NEVER or not


class Row(NamedTuple):
    """An attempt of a data set, before it is made."""

    key: str  # unique in the data set, and the order of its rows
    split: str
    task: str
    draw: Draw


@dataclass(frozen=True, eq=False)
class Column:
    """The values of a field in a batch of samples.

    Attributes:
        rows: a value per sample: a list, or an array whose rows may be padded.
        sizes: [samples, dimensions] of each value within its padded row; None if rows are whole.
    """

    rows: Array | Sequence[Any]
    sizes: Array | None = None

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, number: int) -> Any:
        """A value, as a view where it is an array."""
        value = self.rows[number]
        if self.sizes is None:
            return value
        return value[tuple(slice(0, size) for size in self.sizes[number].tolist())]

    def part(self, first: int, end: int) -> Column:
        """The values of some samples, as views."""
        sizes = None if self.sizes is None else self.sizes[first:end]
        return Column(self.rows[first:end], sizes)

    def shapes(self) -> Array:
        """[samples, dimensions] the shape of each array."""
        if self.sizes is not None:
            return self.sizes
        if isinstance(self.rows, np.ndarray):
            return np.tile(np.array(self.rows.shape[1:], np.int64), (len(self), 1))
        shapes = [value.shape for value in self.rows]
        return np.array(shapes, np.int64).reshape(len(shapes), -1)

    def flat(self, dtype: str) -> Array:
        """All numbers of all arrays, one after the other."""
        if self.sizes is None and isinstance(self.rows, np.ndarray):
            return np.ascontiguousarray(self.rows, dtype).ravel()
        if self.sizes is None:
            values = [value.reshape(-1) for value in self.rows]
            return np.concatenate([np.empty(0, dtype), *values], dtype=dtype)
        shapes = self.shapes()
        found = np.empty(int(shapes.prod(axis=1).sum()), dtype)
        first = 0
        for number, shape in enumerate(shapes.tolist()):
            end = first + prod(shape)
            found[first:end].reshape(shape)[...] = self[number]
            first = end
        return found

    def padded(self, dtype: str) -> Array:
        """[samples, ...] the arrays, padded with zeros to the largest."""
        shapes = self.shapes()
        largest = shapes.max(axis=0, initial=0).tolist()
        if isinstance(self.rows, np.ndarray):  # what is beyond a value's size is zero already
            return self.rows[(slice(None), *(slice(0, size) for size in largest))]
        found = np.zeros((len(self), *largest), dtype)
        for row, value in zip(found, self.rows, strict=True):
            row[tuple(slice(0, size) for size in value.shape)] = value
        return found


class Painted(Sequence[Array]):
    """Pictures that are painted when they are asked for, since they take much memory.

    Args:
        count: how many samples there are.
        paint: [frames, height, width, 3] the pictures of a sample.
        film: the same one by one, each to be used before the next, for an encoder.
    """

    def __init__(
        self,
        count: int,
        paint: Callable[[int], Array],
        film: Callable[[int], Iterable[Array]],
    ) -> None:
        self._numbers, self._paint, self._film = range(count), paint, film

    def __len__(self) -> int:
        return len(self._numbers)

    @overload
    def __getitem__(self, number: int) -> Array: ...
    @overload
    def __getitem__(self, number: slice) -> Painted: ...
    def __getitem__(self, number: int | slice) -> Array | Painted:
        if isinstance(number, slice):
            found = Painted(0, self._paint, self._film)
            found._numbers = self._numbers[number]
            return found
        return self._paint(self._numbers[number])

    def film(self, number: int) -> Iterable[Array]:
        """The pictures of a sample one by one."""
        return self._film(self._numbers[number])


def film_frames(column: Column, number: int) -> Iterable[Array]:
    """The pictures of a sample one by one, each to be used before the next."""
    found = column.rows
    return found.film(number) if isinstance(found, Painted) else column[number]


Batch = dict[str, Column]  # by field


def batch_samples(batches: Iterable[Batch]) -> Iterator[Sample]:
    """The samples of some batches, as views of their columns."""
    for batch in batches:
        for number in range(len(batch["key"])):
            yield {name: column[number] for name, column in batch.items()}


def merged(parts: Sequence[tuple[Array, Batch]]) -> Batch:
    """One batch of several.

    Args:
        parts: the places of their samples, and the batches.
    """
    if len(parts) == 1:
        return parts[0][1]
    order = np.argsort(np.concatenate([places for places, _ in parts])).tolist()
    found = {}
    for name in parts[0][1]:
        values = [part[name][k] for _, part in parts for k in range(len(part[name]))]
        found[name] = Column([values[k] for k in order])
    return found


class Source(ABC):
    """Attempts of a benchmark: drawn, then made.

    Args:
        spec: what to draw and keep.
        base: the folder that names of files are relative to.
    """

    splits: dict[str, list[str]]  # the tasks of each split, by name
    _known: Callable[[str], tuple[Array, Array]]  # actions that solve a task, and others

    def __init__(self, spec: Spec, base: Path) -> None:
        self.spec, self.base = spec, base
        self._drawn: dict[str, list[Draw]] = {}

    @property
    @abstractmethod
    def engine(self) -> str:
        """The hash of the engine."""

    @property
    @abstractmethod
    def fields(self) -> dict[str, Field]:
        """What a sample holds."""

    def draw(self, task: str) -> list[Draw]:
        """All attempts of a task, kind by kind; the same each time."""
        if task not in self._drawn:
            self._drawn[task] = [
                Draw(kind, tuple(action))
                for kind, count in self.spec.actions.counts().items()
                for action in self._actions(task, kind, count).tolist()
            ]
        return self._drawn[task]

    def _actions(self, task: str, kind: str, count: int) -> Array:
        """[count or fewer, ...] actions of a kind, drawn by the method with its name."""
        rng = generator(self.spec.seed, task, kind)
        found: Array = getattr(self, f"_{kind}")(task, count, rng)
        return found

    def _solutions(self, task: str, count: int, rng: np.random.Generator) -> Array:
        solving, _ = self._known(task)
        return rng.permutation(solving)[:count]

    def _failures(self, task: str, count: int, rng: np.random.Generator) -> Array:
        _, failing = self._known(task)
        return failing[rng.permutation(len(failing))[:count]]

    @abstractmethod
    def _batch_size(self) -> int:
        """Attempts that are made together, so that they fit into memory."""

    @abstractmethod
    def _batch(self, rows: Sequence[Row], threads: int | None) -> Batch:
        """Make attempts together."""

    def made_together(self) -> int:
        """Attempts that are worth making together, though they are given batch by batch."""
        return 1

    def batches(self, rows: Sequence[Row], threads: int | None = None) -> Iterator[Batch]:
        """Make attempts; a sample for each row, in order.

        Arrays of a batch may be overwritten when the next one is asked for.
        """
        return next(self.batches_of([rows], threads))

    def batches_of(
        self, lists: Iterable[Sequence[Row]], threads: int | None = None
    ) -> Iterator[Iterator[Batch]]:
        """The batches of each list of rows, to be taken in order.

        Batches end where a list ends, however many attempts are made together.
        """
        size = self._batch_size()
        parts = [[rows[k : k + size] for k in range(0, len(rows), size)] for rows in lists]
        made = self._made([part for some in parts for part in some], threads)
        for some in parts:
            yield islice(made, len(some))

    def _made(self, parts: Sequence[Sequence[Row]], threads: int | None) -> Iterator[Batch]:
        """A batch for each part; several parts are made together."""
        together: list[Sequence[Row]] = []
        count = 0
        for number, part in enumerate(parts, start=1):
            together.append(part)
            count += len(part)
            if count < self.made_together() and number < len(parts):
                continue
            whole = self._batch([row for some in together for row in some], threads)
            ends = np.cumsum([len(some) for some in together]).tolist()
            for first, end in zip([0, *ends], ends, strict=False):
                yield {name: column.part(first, end) for name, column in whole.items()}
            together, count = [], 0

    def samples(self, rows: Sequence[Row], threads: int | None = None) -> Iterator[Sample]:
        """Make attempts; a sample for each row, in order, which owns its arrays."""
        for sample in batch_samples(self.batches(rows, threads)):
            yield {
                name: value.copy() if isinstance(value, np.ndarray) else value
                for name, value in sample.items()
            }


def row_columns(rows: Sequence[Row]) -> Batch:
    """The columns of what rows say before they are made."""
    return {
        "key": Column([row.key for row in rows]),
        "split": Column([row.split for row in rows]),
        "task": Column([row.task for row in rows]),
        "draw": Column([row.draw.kind for row in rows]),
    }


def generator(seed: int, *words: str) -> np.random.Generator:
    """Random numbers that depend on a seed and on words alone."""
    digest = hashlib.blake2b("\0".join(words).encode(), digest_size=8).digest()
    return np.random.default_rng([seed, int.from_bytes(digest, "little")])


def check_splits(splits: Mapping[str, Sequence[str]], what: str) -> None:
    """Refuse a task or game that is in two splits."""
    seen: dict[str, str] = {}
    for part, names in splits.items():
        for name in names:
            if seen.setdefault(name, part) != part:
                raise SpecError(f"{what} {name!r} is in {seen[name]} and in {part}; choose one")


def differences(one: Mapping[str, Any], other: Mapping[str, Any]) -> list[str]:
    """The fields in which two samples differ in any bit."""
    found = []
    for name in sorted({*one, *other}):
        if name not in one or name not in other or not _same(one[name], other[name]):
            found.append(name)
    return found


def _same(one: Any, other: Any) -> bool:
    if isinstance(one, str) or isinstance(other, str):
        return bool(one == other)
    one, other = np.asarray(one), np.asarray(other)
    return bool(
        one.dtype == other.dtype and one.shape == other.shape and one.tobytes() == other.tobytes()
    )


#: What the samples of both benchmarks hold.
COMMON = {
    "key": Field("str", (), "unique name of the sample"),
    "split": Field("str", (), "train, dev or test"),
    "task": Field("str", (), "id of the task, or name of the game"),
    "draw": Field("str", (), "how the attempt was drawn"),
}


def text_fields(keep: Keep) -> dict[str, Field]:
    """The fields of a task in words."""
    if not keep.text:
        return {}
    return {
        "description": Field("str", (), "the goal in a sentence"),
        "scene": Field("str", (), "a line of JSON for each body"),
    }


def picture_fields(keep: Keep) -> dict[str, Field]:
    """The fields of pictures that are drawn from shapes."""
    found = {}
    if keep.rgb:
        shape = (None, keep.rgb, keep.rgb, 3)
        found["rgb"] = Field("uint8", shape, "RGB pictures, first row on top", True)
    if keep.masks:
        about = "number of the body at each pixel, from 1; 0 for none; first row on top"
        found["masks"] = Field("uint8", (None, keep.masks, keep.masks), about, True)
    return found
