"""Samples: one attempt with what is kept of it, and the fields that a data set has.

Every format writes the same samples, so that what one library reads is what another reads.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from topple.datasets.spec import Keep, Spec, SpecError

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


class Source(Protocol):
    """Attempts of a benchmark: drawn, then made."""

    spec: Spec
    splits: dict[str, list[str]]  # the tasks of each split, by name

    @property
    def engine(self) -> str:
        """The hash of the engine."""
        ...

    @property
    def fields(self) -> dict[str, Field]:
        """What a sample holds."""
        ...

    def draw(self, task: str) -> list[Draw]:
        """All attempts of a task; the same each time."""
        ...

    def samples(self, rows: Sequence[Row], threads: int | None = None) -> Iterator[Sample]:
        """Make attempts; a sample for each row, in order."""
        ...


def generator(seed: int, *words: str) -> np.random.Generator:
    """Random numbers that depend on a seed and on words alone."""
    digest = hashlib.blake2b("\0".join(words).encode(), digest_size=8).digest()
    return np.random.default_rng([seed, int.from_bytes(digest, "little")])


def draw_by_kind(
    spec: Spec, task: str, draw: Callable[[str, int, np.random.Generator], npt.ArrayLike]
) -> list[Draw]:
    """All attempts of a task, kind by kind.

    Args:
        spec: what the data set holds.
        task: the name of the task or game.
        draw: returns so many actions of a kind, one in a row.
    """
    return [
        Draw(kind, tuple(action))
        for kind, count in spec.actions.counts().items()
        for action in np.asarray(draw(kind, count, generator(spec.seed, task, kind))).tolist()
    ]


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
