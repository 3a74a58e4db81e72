"""Small specs for tests, and the samples that data sets of them have to hold."""

from __future__ import annotations

import gc
import warnings
from pathlib import Path
from typing import Any

from topple.datasets.plan import Plan, open_source
from topple.datasets.sample import Sample
from topple.datasets.spec import Actions, Keep, Spec, Tasks

EVERYTHING = Keep(
    stride=250,
    states=True,
    features=True,
    codes=True,
    rgb=65,
    masks=64,
    contacts=True,
)
EPISODES = Keep(stride=90, states=True, features=True, rgb=32, masks=32)


def phyre_spec(**values: Any) -> Spec:
    """Attempts of all kinds on two tasks of each of two splits."""
    spec = {
        "tasks": Tasks(train=("00000:000", "00001:000"), test=("00002:017",)),
        "actions": Actions(
            per_task=5,
            keep_invalid=True,
            candidates=2000,
            shares={"random": 0.4, "solutions": 0.2, "near_misses": 0.2, "nothing": 0.2},
        ),
        "keep": EVERYTHING,
        "shard_size": 4,
        **values,
    }
    return Spec(**spec)


def iphyre_spec(**values: Any) -> Spec:
    """Episodes of all kinds of two games."""
    spec = {
        "benchmark": "iphyre",
        "tasks": Tasks(train=("seesaw",), test=("hole",)),
        "actions": Actions(
            per_task=4,
            candidates=200,
            shares={"random": 0.25, "solutions": 0.25, "near_misses": 0.25, "nothing": 0.25},
        ),
        "keep": EPISODES,
        "shard_size": 3,
        **values,
    }
    return Spec(**spec)


def expected_samples(spec: Spec, *splits: str) -> list[Sample]:
    """The samples that the splits of a data set have to hold: of all splits if none is named."""
    plan = Plan(spec, open_source(spec))
    shards = [shard for shard in plan.shards() if not splits or shard.split in splits]
    return list(plan.source.samples([row for shard in shards for row in plan.rows(shard)]))


def webdataset_rows(folder: Path, *decoders: str) -> list[dict[str, Any]]:
    """The samples of training as WebDataset reads them, with JSON and NPY decoded."""
    import webdataset as wds

    shards = sorted(map(str, folder.glob("train-*.tar")))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ResourceWarning)  # the library leaves its files open
        rows = list(wds.WebDataset(shards, shardshuffle=False).decode(*decoders))
        gc.collect()
    return rows
