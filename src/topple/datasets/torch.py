"""PyTorch data sets: what was built, by number or as a stream, and samples made on the fly.

Streams yield whole batches, so give a ``DataLoader`` ``batch_size=None``. The batches and their
order depend on the seed alone, not on the number of workers, and each rank of a distributed job
takes its own. A stream goes on where it stopped: count the batches that were seen and pass the
number to ``load_state_dict``.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch.utils.data import Dataset, IterableDataset, get_worker_info

from topple.datasets.builder import read_manifest
from topple.datasets.plan import Plan, open_source
from topple.datasets.read import Split
from topple.datasets.sample import Array, Column, Sample, generator
from topple.datasets.spec import Spec
from topple.phyre.engine.backend import Backend
from topple.threads import check_count

Batch = dict[str, Any]  # tensors by field, and lists of texts


def to_tensors(sample: Mapping[str, Any]) -> dict[str, Any]:
    """A sample with tensors in place of arrays and numbers; texts stay."""
    return {
        name: value if isinstance(value, str) else torch.from_numpy(np.array(value))
        for name, value in sample.items()
    }


def collate(samples: Sequence[Mapping[str, Any]]) -> Batch:
    """A batch of samples: arrays padded with zeros to the largest.

    Where sizes differ, ``NAME_shape`` has those of each sample; texts become lists.
    """
    batch: Batch = {}
    for name in samples[0]:
        values = [sample[name] for sample in samples]
        if isinstance(values[0], str):
            batch[name] = values
            continue
        arrays = [np.asarray(value) for value in values]
        column = Column(arrays)
        shapes = column.shapes()
        if (shapes == shapes[0]).all():
            batch[name] = torch.from_numpy(np.stack(arrays))
            continue
        batch[name] = torch.from_numpy(column.padded(arrays[0].dtype.str))
        batch[f"{name}_shape"] = torch.from_numpy(shapes)
    return batch


class SplitDataset(Dataset[dict[str, Any]]):
    """The samples of a split by their numbers; use ``collate`` as ``collate_fn``.

    Args:
        folder: of a data set that was built.
        split: its name.
    """

    def __init__(self, folder: Path | str, split: str = "train") -> None:
        self._samples = Split(Path(folder), split, read_manifest(Path(folder)))

    def __len__(self) -> int:
        return len(self._samples)

    def __getitem__(self, number: int) -> dict[str, Any]:
        return to_tensors(self._samples[number])


class _Stream(IterableDataset[Batch], ABC):
    """Batches numbered without end, of which workers and ranks take their own."""

    def __init__(self, batch_size: int, epochs: int | None, rank: int, ranks: int) -> None:
        check_count("batch_size", batch_size, 1)
        check_count("ranks", ranks, 1)
        check_count("rank", rank, 0, ranks - 1)
        self.batch_size, self.epochs = batch_size, epochs
        self.rank, self.ranks = rank, ranks
        self._start = self._next = 0  # batches of this rank

    @property
    @abstractmethod
    def places(self) -> int:
        """Samples of an epoch, at most."""

    @abstractmethod
    def _samples(self, epoch: int, places: slice) -> list[Sample]:
        """The samples at some places of an epoch."""

    @property
    def batches_per_epoch(self) -> int:
        """Whole batches of an epoch, of all ranks; samples that fill none are left out."""
        return max(1, self.places // self.batch_size)

    def state_dict(self) -> dict[str, int]:
        """How many batches this copy has come to, for ``load_state_dict``."""
        return {"start": self._start, "batch": self._next}

    def load_state_dict(self, state: Mapping[str, int]) -> None:
        """Go on after so many batches of this rank: ``{"batch": 1000}`` is enough."""
        self._next = state["batch"]
        self._start = state.get("start", self._next)

    def __iter__(self) -> Iterator[Batch]:
        worker = get_worker_info()
        number, workers = (worker.id, worker.num_workers) if worker else (0, 1)
        last = None if self.epochs is None else self.epochs * self.batches_per_epoch
        while True:
            overall = self._next * self.ranks + self.rank
            if last is not None and overall >= last:
                self._start = self._next = 0
                return
            mine = (self._next - self._start) % workers == number
            self._next += 1
            if mine:
                epoch, place = divmod(overall, self.batches_per_epoch)
                first = place * self.batch_size
                if samples := self._samples(epoch, slice(first, first + self.batch_size)):
                    yield collate(samples)


class StreamDataset(_Stream):
    """The batches of a split that was built, shuffled anew in every epoch.

    Shards come in any order, and the samples of a shard, too, so that few are open at a time.

    Args:
        folder: of the data set.
        split: its name.
        batch_size: samples of a batch.
        shuffle: whether to shuffle.
        seed: of the order.
        epochs: how often the split is gone through; without end by default.
        rank: which of the ranks of a distributed job this is.
        ranks: how many there are.
    """

    def __init__(
        self,
        folder: Path | str,
        split: str = "train",
        *,
        batch_size: int = 32,
        shuffle: bool = True,
        seed: int = 0,
        epochs: int | None = None,
        rank: int = 0,
        ranks: int = 1,
    ) -> None:
        super().__init__(batch_size, epochs, rank, ranks)
        self._split = Split(Path(folder), split, read_manifest(Path(folder)))
        self._shuffle, self._seed = shuffle, seed

    @property
    def places(self) -> int:
        """Samples of the split."""
        return len(self._split)

    def _samples(self, epoch: int, places: slice) -> list[Sample]:
        return [self._split[number] for number in self._order(epoch)[places].tolist()]

    def _order(self, epoch: int) -> Array:
        sizes = [entry["samples"] for entry in self._split.shards]
        if not self._shuffle:
            return np.arange(sum(sizes))
        rng = generator(self._seed, "stream", self._split.name, str(epoch))
        starts = np.cumsum([0, *sizes])
        shards = [rng.permutation(size) + start for size, start in zip(sizes, starts, strict=False)]
        return np.concatenate([shards[k] for k in rng.permutation(len(shards))])


class GeneratedDataset(_Stream):
    """Batches of a spec's attempts, simulated when they are asked for: no file at all.

    Args:
        spec: what to generate; its format does not matter.
        split: whose tasks.
        batch_size: attempts of a batch; fewer where a task has too few of a kind.
        epochs: how often every attempt is made; without end by default.
        rank: which of the ranks of a distributed job this is.
        ranks: how many there are.
        threads: of the simulation; all cores by default, one in a worker of a ``DataLoader``.
        backend: where attempts are simulated; a GPU wants no workers and large batches.
        base: the folder that names of files in the spec are relative to.
    """

    def __init__(
        self,
        spec: Spec,
        split: str = "train",
        *,
        batch_size: int = 32,
        epochs: int | None = None,
        rank: int = 0,
        ranks: int = 1,
        threads: int | None = None,
        backend: Backend = "cpu",
        base: Path | str = ".",
    ) -> None:
        super().__init__(batch_size, epochs, rank, ranks)
        self.spec, self.split = spec, split
        self._threads, self._backend, self._base = threads, backend, Path(base)
        if split not in self._plan.source.splits:
            names = ", ".join(self._plan.source.splits)
            raise ValueError(f"the spec has no split {split!r}; it has {names}")

    def __getstate__(self) -> dict[str, Any]:
        # A worker opens a source of its own: packed scenes belong to one process.
        return {name: value for name, value in self.__dict__.items() if name != "_plan"}

    @cached_property
    def _plan(self) -> Plan:
        return Plan(self.spec, open_source(self.spec, self._base, self._backend))

    @property
    def places(self) -> int:
        """Attempts of the split, at most."""
        return self._plan.places(self.split)

    def _samples(self, epoch: int, places: slice) -> list[Sample]:
        order = self._plan.order(self.split, epoch)
        rows = list(self._plan.rows_at(self.split, order[places]))
        threads = 1 if self._threads is None and get_worker_info() else self._threads
        return list(self._plan.source.samples(rows, threads))
