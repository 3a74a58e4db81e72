"""PyTorch reads what was built, and generates the same for any workers, ranks and stops."""

from __future__ import annotations

from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch.utils.data import DataLoader

from support.dataset_specs import phyre_spec
from topple.datasets import Keep, build
from topple.datasets.spec import Actions, Spec, Tasks
from topple.datasets.torch import GeneratedDataset, SplitDataset, StreamDataset, collate


def small_spec() -> Spec:
    return phyre_spec(
        tasks=Tasks(train=("00000:000", "00001:000")),
        actions=Actions(per_task=8),
        keep=Keep(stride=200, states=True, text=False),
        shard_size=3,
    )


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("built")
    build(small_spec(), path)
    return path


def same(one: dict[str, Any], other: dict[str, Any]) -> bool:
    return one.keys() == other.keys() and all(
        torch.equal(value, other[name]) if isinstance(value, torch.Tensor) else value == other[name]
        for name, value in one.items()
    )


def test_a_split_by_numbers(folder: Path) -> None:
    data = SplitDataset(folder)
    assert len(data) == 16
    loader: Any = DataLoader(data, batch_size=16, collate_fn=collate)
    [batch] = loader
    assert batch["states"].dtype == torch.float32
    for row, (frames, bodies, _) in enumerate(batch["states_shape"].tolist()):
        assert torch.equal(batch["states"][row, :frames, :bodies], data[row]["states"])
        assert not batch["states"][row, frames:].any()
    assert batch["outcome"].shape == (16,)
    with pytest.raises(ValueError, match="no split 'dev'"):
        SplitDataset(folder, "dev")


def streams(folder: Path, **options: Any) -> list[Any]:
    return [
        StreamDataset(folder, batch_size=4, seed=1, **options),
        GeneratedDataset(small_spec(), batch_size=4, **options),
    ]


@pytest.mark.parametrize("kind", [0, 1])
def test_workers_change_nothing(kind: int, folder: Path) -> None:
    alone = list(islice(streams(folder)[kind], 9))
    loader: Any = DataLoader(streams(folder)[kind], batch_size=None, num_workers=2)
    for one, other in zip(alone, islice(loader, 9), strict=True):
        assert same(one, other)
    epochs = [sorted(key for batch in alone[k : k + 4] for key in batch["key"]) for k in (0, 4)]
    assert epochs[0] == epochs[1]  # each attempt once in an epoch
    assert len(set(epochs[0])) == 16
    assert [batch["key"] for batch in alone[:4]] != [batch["key"] for batch in alone[4:8]]


@pytest.mark.parametrize("kind", [0, 1])
def test_ranks_share_and_streams_resume(kind: int, folder: Path) -> None:
    alone = list(islice(streams(folder)[kind], 6))
    ranks = [list(islice(streams(folder, rank=rank, ranks=2)[kind], 3)) for rank in (0, 1)]
    for number, batch in enumerate(alone):
        assert same(batch, ranks[number % 2][number // 2])
    resumed = streams(folder)[kind]
    resumed.load_state_dict({"batch": 2})
    assert same(next(iter(resumed)), alone[2])
    stopped = streams(folder)[kind]
    steps = iter(stopped)
    for _ in range(3):
        next(steps)
    again = streams(folder)[kind]
    again.load_state_dict(stopped.state_dict())
    assert same(next(iter(again)), alone[3])


def test_epochs_end(folder: Path) -> None:
    for stream in streams(folder, epochs=2):
        assert len(list(stream)) == 8
        assert len(list(stream)) == 8  # it begins again


def test_generated_samples_are_those_that_are_built(folder: Path) -> None:
    built = {batch["key"]: batch for batch in map(SplitDataset(folder).__getitem__, range(16))}
    for batch in GeneratedDataset(small_spec(), batch_size=4, epochs=1):
        for row, key in enumerate(batch["key"]):
            frames, bodies, _ = built[key]["states"].shape
            assert torch.equal(batch["states"][row, :frames, :bodies], built[key]["states"])
            assert np.array_equal(batch["action"][row], built[key]["action"])
