"""Formats: how the samples of a shard are written and read, each by its own library.

A format is a module with ``write`` and ``Reader``, found by its name when it is first needed, so
that only the library of the format in use has to be installed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple, Protocol, cast

from topple.datasets.plan import ShardId
from topple.datasets.sample import Batch, Field, Sample, Source
from topple.datasets.spec import Spec


class Target(NamedTuple):
    """Where a shard goes."""

    folder: Path  # of the data set
    shard: ShardId
    spec: Spec
    source: Source

    @property
    def fields(self) -> Mapping[str, Field]:
        """What a sample holds."""
        return self.source.fields


class ShardReader:
    """The samples of a shard.

    Args:
        folder: of the data set.
        entry: what ``dataset.json`` says of the shard.
        spec: what the data set holds.
        fields: what a stored sample holds.
    """

    def __init__(
        self, folder: Path, entry: Mapping[str, Any], spec: Spec, fields: Mapping[str, Field]
    ) -> None:
        self._folder, self._path = folder, folder / entry["files"][0]
        self._entry, self._spec, self._fields = entry, spec, fields
        self._open()

    def _open(self) -> None:
        """Look into the files, if that has to be done before a sample is read."""

    def __len__(self) -> int:
        return int(self._entry["samples"])

    def __getitem__(self, number: int) -> Sample:
        raise NotImplementedError


class Format(Protocol):
    """A module that writes and reads shards.

    It may also have ``stored_fields(source)``, what a stored sample holds, if that is not what the
    source gives; ``expected(sample, source)``, what comes back of a sample; and
    ``assemble(folder, spec, manifest)``, which puts shards together at the end, changes their
    entries and returns the names of the files it wrote.
    """

    LIBRARIES: Sequence[str]  # distributions whose versions decide about the bytes
    LOSSY: Sequence[str]  # fields that come back changed; they are compared as they are stored
    Reader: type[ShardReader]

    def write(self, target: Target, batches: Iterable[Batch]) -> list[str]:
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
            f"format {name!r} needs the package {error.name}: pip install 'topple[{name}]'"
        ) from None


def stored_fields(form: Format, source: Source) -> Mapping[str, Field]:
    """What a stored sample of a format holds."""
    own = getattr(form, "stored_fields", None)
    return source.fields if own is None else cast(Mapping[str, Field], own(source))


def frames_per_second(spec: Spec) -> int:
    """Steps of the world in a second of a data set's films."""
    return 60 if spec.benchmark == "phyre" else spec.keep.hz
