"""Plans: which attempts lie in which shard.

A split has a place for each attempt of each of its tasks. Shards are stretches of these places,
shuffled or not, so every shard can be made by itself, anywhere and in any order.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

import numpy as np

from topple.datasets.iphyre_source import IPhyreSource
from topple.datasets.phyre_source import PhyreSource
from topple.datasets.sample import Array, Row, Source, generator
from topple.datasets.spec import Spec, SpecError
from topple.phyre.engine.backend import WORTH_A_GPU, Backend, device_for


class ShardId(NamedTuple):
    """A part of a split that is written as one file."""

    split: str
    number: int
    total: int  # shards of the split

    @property
    def name(self) -> str:
        """The file's name without its ending."""
        return f"{self.split}-{self.number:05d}-of-{self.total:05d}"


def choose_backend(spec: Spec, backend: Backend) -> Backend:
    """Where the attempts of a spec are made: "auto" becomes "cuda" if there is a GPU, else "cpu".

    Raises:
        SpecError: A GPU is asked for, and the benchmark is I-PHYRE.
    """
    if spec.benchmark == "iphyre":
        if backend == "cuda":
            raise SpecError("backend is 'cuda', but I-PHYRE is simulated on the CPU; use 'cpu'")
        return "cpu"
    if backend == "auto":
        return "cpu" if device_for("auto", WORTH_A_GPU) is None else "cuda"
    return backend


def open_source(spec: Spec, base: Path = Path(), backend: Backend = "cpu") -> Source:
    """The source of a spec's benchmark; names of files are relative to a folder."""
    backend = choose_backend(spec, backend)
    return (
        PhyreSource(spec, base, backend) if spec.benchmark == "phyre" else IPhyreSource(spec, base)
    )


class Plan:
    """The rows of every shard of a data set.

    Args:
        spec: what the data set holds.
        source: where its attempts come from.
    """

    def __init__(self, spec: Spec, source: Source) -> None:
        self.spec, self.source = spec, source
        self.shard_size = spec.actions.per_task if spec.by_task else spec.shard_size
        self._orders = lru_cache(maxsize=4)(self._order)  # each shard and batch asks for one

    def places(self, split: str) -> int:
        """Places for attempts in a split; some stay empty where a task has too few."""
        return len(self.source.splits[split]) * self.spec.actions.per_task

    def shards(self) -> list[ShardId]:
        """All shards, split by split."""
        found = []
        for split in self.source.splits:
            count = -(-self.places(split) // self.shard_size)
            found += [ShardId(split, number, count) for number in range(count)]
        return found

    def order(self, split: str, epoch: int = 0) -> Array:
        """The places of a split in the order they are written, or seen in an epoch."""
        return self._orders(split, epoch)

    def _order(self, split: str, epoch: int) -> Array:
        places = np.arange(self.places(split))
        if self.spec.shuffle and not self.spec.by_task:
            places = generator(self.spec.seed, "order", split, str(epoch)).permutation(places)
        places.setflags(write=False)
        return places

    def rows(self, shard: ShardId) -> list[Row]:
        """The attempts of a shard."""
        size = self.shard_size
        places = self.order(shard.split)[shard.number * size : (shard.number + 1) * size]
        return list(self.rows_at(shard.split, places))

    def rows_at(self, split: str, places: Array) -> Iterator[Row]:
        """The attempts at some places of a split, leaving out empty ones."""
        tasks = self.source.splits[split]
        for place in places.tolist():
            task_number, number = divmod(place, self.spec.actions.per_task)
            task = tasks[task_number]
            draws = self.source.draw(task)
            if number < len(draws):
                yield Row(f"{split}_{place:08d}", split, task, draws[number])
