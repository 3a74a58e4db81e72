"""Reading what was built, in any format: the samples of a split by their numbers."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping
from itertools import accumulate
from pathlib import Path
from typing import Any

from topple.datasets.builder import DatasetError, manifest_fields, read_manifest
from topple.datasets.formats import ShardReader, find_format
from topple.datasets.sample import Sample
from topple.datasets.spec import spec_from_data

_OPEN = 8  # shards that stay open


class Split:
    """The samples of a split, in the order they were written.

    Shards are opened when they are first needed; copies in other processes open their own.

    Args:
        folder: of the data set.
        name: of the split.
        manifest: the contents of its ``dataset.json``.
    """

    def __init__(self, folder: Path, name: str, manifest: Mapping[str, Any]) -> None:
        self.folder, self.name = folder, name
        self.spec, self.fields = spec_from_data(manifest["spec"]), manifest_fields(manifest)
        if name not in manifest["splits"]:
            raise DatasetError(
                f"{folder} has no split {name!r}; it has {', '.join(manifest['splits'])}"
            )
        self.shards = [entry for entry in manifest["shards"] if entry["split"] == name]
        self._ends = list(accumulate(entry["samples"] for entry in self.shards))
        self._readers: dict[int, ShardReader] = {}
        find_format(self.spec.format)  # says now if its library is missing

    def __len__(self) -> int:
        return self._ends[-1] if self._ends else 0

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_readers": {}}

    def __getitem__(self, number: int) -> Sample:
        if not -len(self) <= number < len(self):
            raise IndexError(f"sample {number}: there are samples 0 to {len(self) - 1}")
        number %= len(self)
        shard = bisect_right(self._ends, number)
        return self.reader(shard)[number - (self._ends[shard - 1] if shard else 0)]

    def __iter__(self) -> Iterator[Sample]:
        return (self[number] for number in range(len(self)))

    def reader(self, shard: int) -> ShardReader:
        """The samples of one shard."""
        if shard not in self._readers:
            if len(self._readers) >= _OPEN:
                del self._readers[next(iter(self._readers))]
            form, entry = find_format(self.spec.format), self.shards[shard]
            self._readers[shard] = form.Reader(self.folder, entry, self.spec, self.fields)
        return self._readers[shard]


def open_dataset(folder: Path | str) -> dict[str, Split]:
    """The splits of a data set by their names.

    Raises:
        DatasetError: The folder holds no data set.
        ValueError: The library of its format is not installed.
    """
    manifest = read_manifest(Path(folder))
    return {name: Split(Path(folder), name, manifest) for name in manifest["splits"]}
