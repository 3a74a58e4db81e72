"""Formats: how the samples of a shard are written and read, each by its own library.

A format is a module with ``write`` and ``Reader``, found by its name when it is first needed, so
that only the library of the format in use has to be installed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import NamedTuple, Protocol, cast

from topple.datasets.plan import ShardId
from topple.datasets.sample import Field, Sample
from topple.datasets.spec import Spec


class Target(NamedTuple):
    """Where a shard goes."""

    folder: Path  # of the data set
    shard: ShardId
    spec: Spec
    fields: Mapping[str, Field]


class Reader(Protocol):
    """The samples of a shard."""

    def __init__(
        self, folder: Path, files: Sequence[str], spec: Spec, fields: Mapping[str, Field]
    ) -> None: ...

    def __len__(self) -> int: ...

    def __getitem__(self, number: int) -> Sample: ...


class Format(Protocol):
    """A module that writes and reads shards."""

    LIBRARIES: Sequence[str]  # distributions whose versions decide about the bytes
    LOSSY: Sequence[str]  # fields that come back changed; they are compared as they are stored
    Reader: type[Reader]

    def write(self, target: Target, samples: Iterable[Sample]) -> list[str]:
        """Write a shard; returns patterns of its files, relative to the folder."""
        ...


def find_format(name: str) -> Format:
    """The format of a name.

    Raises:
        ValueError: Its library is not installed; the message says how to get it.
    """
    try:
        return cast(Format, import_module(f"topple.datasets.formats.{name}"))
    except ModuleNotFoundError as error:
        raise ValueError(
            f"format {name!r} needs the package {error.name}: pip install 'topple[datasets]'"
        ) from None


def frames_per_second(spec: Spec) -> int:
    """Steps of the world in a second of a data set's films."""
    return 60 if spec.benchmark == "phyre" else spec.keep.hz
