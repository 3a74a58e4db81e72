"""Checking a data set: checksums, and a sample of attempts simulated again and compared."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from topple.datasets.builder import manifest_fields, read_manifest, sha256_of
from topple.datasets.formats import Format, ShardReader, find_format
from topple.datasets.plan import Plan, ShardId, open_source
from topple.datasets.sample import Sample, differences, generator
from topple.datasets.spec import Spec, spec_from_data

_MEAN_DIFFERENCE = 8.0  # of a film's colours, of 255, where another encoder made it


class Fault(NamedTuple):
    """Something that is not as it should be."""

    where: str
    what: str


class Report(NamedTuple):
    """What a check found."""

    shards: int  # whose checksums were compared
    samples: int  # that were simulated again
    arrays: int  # that were compared
    faults: list[Fault]


def check(
    folder: Path | str,
    samples: int = 64,
    seed: int = 0,
    *,
    progress: Callable[[int, int], None] | None = None,
) -> Report:
    """Compare a data set with its checksums and with the engine.

    Args:
        folder: of the data set.
        samples: how many attempts to simulate again, spread over all shards.
        seed: of which ones.
        progress: called with (shards done, shards in all).

    Raises:
        DatasetError: The folder holds no data set.
    """
    folder = Path(folder)
    manifest = read_manifest(folder)
    spec, fields = spec_from_data(manifest["spec"]), manifest_fields(manifest)
    plan = Plan(spec, open_source(spec, folder))
    faults = []
    if manifest["engine"] != plan.source.engine:
        text = f"made by engine {manifest['engine']}, this one is {plan.source.engine}"
        faults.append(Fault(folder.name, text))
    for name, digest in manifest.get("files", {}).items():
        if sha256_of(folder, [name]) != digest:
            faults.append(Fault(name, "its checksum is not that of dataset.json"))
    form, rng = find_format(spec.format), generator(seed, "check")
    shares = _shares([entry["samples"] for entry in manifest["shards"]], samples, rng)
    made = arrays = 0
    counts = {split: _count(manifest, split) for split in manifest["splits"]}
    for done, (entry, share) in enumerate(zip(manifest["shards"], shares, strict=True)):
        whole = "files" in manifest or sha256_of(folder, entry["files"]) == entry["sha256"]
        if not whole:
            faults.append(Fault(entry["files"][0], "its checksum is not that of dataset.json"))
        elif share:
            reader = form.Reader(folder, entry, spec, fields)
            chosen = np.sort(rng.permutation(entry["samples"])[:share]).tolist()
            shard = ShardId(entry["split"], entry["number"], counts[entry["split"]])
            found, compared = _compare(form, reader, chosen, plan, shard, spec)
            faults += found
            made, arrays = made + len(chosen), arrays + compared
        if progress is not None:
            progress(done + 1, len(manifest["shards"]))
    return Report(len(manifest["shards"]), made, arrays, faults)


def _count(manifest: dict[str, Any], split: str) -> int:
    return sum(entry["split"] == split for entry in manifest["shards"])


def _shares(sizes: Sequence[int], samples: int, rng: np.random.Generator) -> list[int]:
    """How many attempts of each shard to make again: each equally likely."""
    total = sum(sizes)
    chosen = rng.permutation(total)[:samples]
    edges = np.concatenate([[0], np.cumsum(sizes)])
    counts: list[int] = np.histogram(chosen, edges)[0].tolist() if total else [0] * len(sizes)
    return counts


def _compare(
    form: Format, reader: ShardReader, chosen: Sequence[int], plan: Plan, shard: ShardId, spec: Spec
) -> tuple[list[Fault], int]:
    """Simulate some attempts of a shard again and compare every field."""
    rows = plan.rows(shard)
    if len(rows) != len(reader):
        return [Fault(shard.name, f"it has {len(reader)} attempts in place of {len(rows)}")], 0
    faults, compared = [], 0
    for number, again in zip(chosen, plan.source.samples([rows[k] for k in chosen]), strict=True):
        stored = reader[number]
        compare = getattr(form, "expected", None)
        expected: Sample = again if compare is None else compare(again, plan.source)
        compared += len(expected)
        for name in differences(stored, expected):
            if not _excused(form, spec, name, stored, expected):
                where = f"{shard.name}, {rows[number].key}"
                faults.append(Fault(where, f"{name} is not what the engine gives"))
    return faults, compared


def _excused(form: Format, spec: Spec, name: str, stored: Sample, expected: Sample) -> bool:
    """Whether a film differs only as another version of the encoder may make it differ."""
    if name not in form.LOSSY or spec.pictures != "mp4" or name not in stored:
        return False
    one, other = (np.asarray(each[name], np.int16) for each in (stored, expected))
    return one.shape == other.shape and float(np.abs(one - other).mean()) <= _MEAN_DIFFERENCE
