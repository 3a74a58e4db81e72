"""Building a data set: shards are made anywhere, in any order, and written whole.

A shard that is finished has a summary beside it, so an interrupted build goes on with the others
and gives the same bytes. At the end the summaries become ``dataset.json``, and a data card for
people, ``README.md``, is written.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import lru_cache, partial
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import topple
from topple.datasets.card import card_text
from topple.datasets.formats import Target, find_format, stored_fields
from topple.datasets.gather import gather
from topple.datasets.plan import Plan, ShardId, open_source
from topple.datasets.sample import Array, Batch, Field, Row
from topple.datasets.spec import Spec, spec_from_data
from topple.files import lock, write_whole
from topple.phyre.engine.backend import Backend
from topple.runs.executors import Executor, LocalExecutor
from topple.threads import thread_count

MANIFEST = "dataset.json"
CARD = "README.md"
_UNFINISHED = "unfinished"  # folder of the summaries of finished shards, while others are not
_FORMAT = 1
_TRIED = 32  # attempts that an estimate is measured on
_BLOCK = 1 << 20  # bytes hashed at once


class DatasetError(ValueError):
    """A folder holds no data set, or another one; the message says which and what to do."""


class Summary(NamedTuple):
    """What a finished shard holds."""

    shard: ShardId
    files: list[str]  # patterns, relative to the folder
    samples: int
    size: int  # bytes
    sha256: str
    outcomes: dict[str, int]  # solved, failed, invalid
    draws: dict[str, int]  # kind -> attempts


class Progress(NamedTuple):
    """How far a build is."""

    samples: int
    places: int  # of all samples, at most
    size: int  # bytes


class Estimate(NamedTuple):
    """What a build will take, measured on a few attempts."""

    samples: int  # at most
    shards: int
    size: int  # bytes
    seconds: float  # on so many workers
    workers: int


def build(
    spec: Spec,
    folder: Path | str,
    *,
    executor: Executor | None = None,
    backend: Backend = "cpu",
    threads: int | None = None,
    progress: Callable[[Progress], None] | None = None,
) -> dict[str, Any]:
    """Build a data set in a folder, or go on with it.

    Args:
        spec: what it holds.
        folder: where it goes.
        executor: where shards are made; here, one after the other, by default.
        backend: where states are simulated.
        threads: of each shard's simulation; all cores by default.
        progress: called after each shard.

    Returns:
        The contents of ``dataset.json``.

    Raises:
        DatasetError: The folder holds another data set, or another build is at work in it.
    """
    find_format(spec.format)
    folder = Path(folder)
    try:
        with lock(folder / ".lock", wait=False):
            return _build(gather(spec, folder), folder, executor, backend, threads, progress)
    except BlockingIOError:
        raise DatasetError(f"another build is at work in {folder}; wait for it") from None


def _build(
    spec: Spec,
    folder: Path,
    executor: Executor | None,
    backend: Backend,
    threads: int | None,
    progress: Callable[[Progress], None] | None,
) -> dict[str, Any]:
    unfinished = folder / _UNFINISHED
    if (folder / MANIFEST).exists():
        manifest = read_manifest(folder)
        if manifest["digest"] != spec.digest:
            raise DatasetError(f"{folder} holds a data set of another spec; choose another folder")
        return manifest
    begun = unfinished / "spec.json"
    if begun.exists() and json.loads(begun.read_text(encoding="utf-8")) != spec.to_data():
        raise DatasetError(f"{folder} holds a part of a data set of another spec; remove it")
    write_whole(begun, json.dumps(spec.to_data()))
    plan = Plan(spec, open_source(spec, folder, backend))
    shards = plan.shards()
    done = {s: found for s in shards if (found := _finished(unfinished, s)) is not None}
    places = sum(map(plan.places, plan.source.splits))

    def report() -> None:
        if progress is not None:
            samples = sum(summary.samples for summary in done.values())
            progress(Progress(samples, places, sum(summary.size for summary in done.values())))

    report()
    missing = [shard for shard in shards if shard not in done]
    job = Job(json.dumps(spec.to_data()), str(folder.resolve()), backend, threads)
    size = max(1, plan.source.made_together() // plan.shard_size)
    groups = [tuple(missing[k : k + size]) for k in range(0, len(missing), size)]
    for _, made in (executor or LocalExecutor()).map(partial(build_shards, job), groups):
        done |= {summary.shard: summary for summary in made}
        report()
    manifest = _manifest(spec, plan, [done[shard] for shard in shards])
    assemble = getattr(find_format(spec.format), "assemble", None)
    if assemble is not None:
        manifest["files"] = {
            name: sha256_of(folder, [name]) for name in assemble(folder, spec, manifest)
        }
    write_whole(folder / CARD, card_text(manifest))
    write_whole(folder / MANIFEST, json.dumps(manifest, indent=1) + "\n")
    shutil.rmtree(unfinished)
    return manifest


class Job(NamedTuple):
    """What a worker has to know to make shards of a data set."""

    spec: str  # JSON
    folder: str
    backend: Backend
    threads: int | None


@lru_cache(maxsize=2)
def _opened(spec: str, folder: str, backend: Backend) -> Plan:
    """The plan of a data set; a process keeps it from shard to shard."""
    values = spec_from_data(json.loads(spec))
    return Plan(values, open_source(values, Path(folder), backend))


def build_shards(job: Job, shards: Sequence[ShardId]) -> list[Summary]:
    """Make shards together and write them, each followed by its summary.

    Several are made together where a GPU needs more attempts than one shard has, and written side
    by side.
    """
    plan = _opened(job.spec, job.folder, job.backend)
    made = plan.source.batches_of(list(map(plan.rows, shards)), job.threads)
    if len(shards) == 1:
        return [_write_shard(plan, Path(job.folder), shards[0], next(made))]
    with ThreadPoolExecutor(thread_count(None, len(shards))) as pool:
        write = partial(_write_shard, plan, Path(job.folder))
        return list(pool.map(write, shards, map(list, made)))


def _write_shard(plan: Plan, folder: Path, shard: ShardId, batches: Iterable[Batch]) -> Summary:
    """Write a shard, then its summary."""
    outcomes: Counter[str] = Counter()
    draws: Counter[str] = Counter()

    def counted() -> Iterator[Batch]:
        for batch in batches:
            outcomes.update(outcome_words(batch))
            draws.update(batch["draw"].rows)
            yield batch

    target = Target(folder, shard, plan.spec, plan.source)
    files = find_format(plan.spec.format).write(target, counted())
    size = sum(path.stat().st_size for path in shard_files(folder, files))
    digest = sha256_of(folder, files)
    count = sum(draws.values())
    summary = Summary(shard, files, count, size, digest, dict(outcomes), dict(draws))
    write_whole(_summary_path(folder / _UNFINISHED, shard), json.dumps(summary))
    return summary


def outcome_words(batch: Batch) -> list[str]:
    """Whether each attempt solved its task, failed, or does not fit it."""
    if "solved" in batch:
        return ["solved" if solved else "failed" for solved in batch["solved"].rows]
    signs = np.sign(np.asarray(batch["outcome"].rows, int))
    return [("invalid", "solved", "failed")[sign] for sign in signs]


def _summary_path(unfinished: Path, shard: ShardId) -> Path:
    return unfinished / f"{shard.name}.json"


def _finished(unfinished: Path, shard: ShardId) -> Summary | None:
    """The summary of a shard whose files are there, as large as they were."""
    path = _summary_path(unfinished, shard)
    if not path.exists():
        return None
    values = json.loads(path.read_text(encoding="utf-8"))
    summary = Summary(ShardId(*values[0]), *values[1:])
    found = sum(file.stat().st_size for file in shard_files(unfinished.parent, summary.files))
    return summary if found == summary.size else None


def shard_files(folder: Path, patterns: Sequence[str]) -> list[Path]:
    """The files of a shard, in order."""
    return sorted(path for pattern in patterns for path in folder.glob(pattern))


def sha256_of(folder: Path, patterns: Sequence[str]) -> str:
    """The checksum of a file; of several, that of their names and contents in order."""
    files = shard_files(folder, patterns)
    digest = hashlib.sha256()
    for path in files:
        if len(files) > 1:
            digest.update(f"{path.relative_to(folder).as_posix()}\0".encode())
        with path.open("rb") as file:
            while block := file.read(_BLOCK):
                digest.update(block)
    return digest.hexdigest()


def _manifest(spec: Spec, plan: Plan, summaries: Sequence[Summary]) -> dict[str, Any]:
    form = find_format(spec.format)
    splits: dict[str, Any] = {}
    for split, tasks in plan.source.splits.items():
        own = [summary for summary in summaries if summary.shard.split == split]
        outcomes: Counter[str] = Counter()
        draws: Counter[str] = Counter()
        for summary in own:
            outcomes.update(summary.outcomes)
            draws.update(summary.draws)
        splits[split] = {
            "tasks": len(tasks),
            "samples": sum(summary.samples for summary in own),
            "bytes": sum(summary.size for summary in own),
            "outcomes": dict(sorted(outcomes.items())),
            "draws": dict(sorted(draws.items())),
        }
    return {
        "format": _FORMAT,
        "name": spec.name,
        "digest": spec.digest,
        "spec": spec.to_data(),
        "engine": plan.source.engine,
        "topple": topple.__version__,
        "libraries": _versions(form.LIBRARIES),
        "licence": "Apache-2.0",
        "fields": {
            name: {**field._asdict(), "shape": list(field.shape)}
            for name, field in stored_fields(form, plan.source).items()
        },
        "splits": splits,
        "shards": [
            {
                "split": summary.shard.split,
                "number": summary.shard.number,
                "files": summary.files,
                "samples": summary.samples,
                "bytes": summary.size,
                "sha256": summary.sha256,
            }
            for summary in summaries
        ],
    }


def _versions(names: Sequence[str]) -> dict[str, str]:
    found = {}
    for name in names:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue  # an optional one, such as av where no film is written
    return found


def read_manifest(folder: Path) -> dict[str, Any]:
    """The contents of ``dataset.json``.

    Raises:
        DatasetError: There is none, or it is damaged.
    """
    path = folder / MANIFEST
    if not path.is_file():
        unfinished = (folder / _UNFINISHED).is_dir()
        hint = "its build is not finished: run it again" if unfinished else f"it has no {MANIFEST}"
        raise DatasetError(f"{folder} holds no data set: {hint}")
    try:
        manifest = dict(json.loads(path.read_text(encoding="utf-8")))
        if manifest["format"] != _FORMAT:
            raise DatasetError(f"{path} has format {manifest['format']}; build it again")
        spec_from_data(manifest["spec"])
    except DatasetError:
        raise
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise DatasetError(f"{path} is damaged: {error}") from None
    return manifest


def manifest_fields(manifest: Mapping[str, Any]) -> dict[str, Field]:
    """The fields of a data set."""
    return {
        name: Field(row["dtype"], tuple(row["shape"]), row["about"], row["frames"])
        for name, row in manifest["fields"].items()
    }


def estimate(spec: Spec, workers: int, *, backend: Backend = "cpu") -> Estimate:
    """What a build will take, from a few attempts that are spread over the data set.

    Attempts of an agent are not made for it; it reckons that they cost what others do.
    """
    counts = spec.actions.counts()
    if counts.pop("agent", 0):
        rest = {"random": 1.0}
        spec = replace(spec, actions=replace(spec.actions, shares=rest, agent="", records=()))
    plan = Plan(spec, open_source(spec, backend=backend))
    shards = plan.shards()
    places = {split: plan.places(split) for split in plan.source.splits}
    total = sum(places.values())
    split = max(places, key=lambda name: places[name])
    chosen = plan.order(split)
    chosen = chosen[:: max(1, len(chosen) // _TRIED)][:_TRIED]
    if spec.by_task:
        chosen = plan.order(split)[: min(_TRIED, plan.shard_size)]
    rows = list(plan.rows_at(split, chosen[:1]))  # what is loaded once is not measured
    begin = time.perf_counter()
    rows += plan.rows_at(split, chosen[1:])
    drawing = (time.perf_counter() - begin) / max(1, len({row.task for row in rows}) - 1)
    threads = None if backend == "cuda" else 1
    list(plan.source.batches(rows, threads))

    def written(some: Sequence[Row]) -> Array:
        """Bytes and seconds of a shard with these attempts."""
        with tempfile.TemporaryDirectory() as place:
            target = Target(Path(place), shards[0], spec, plan.source)
            begin = time.perf_counter()
            files = find_format(spec.format).write(target, plan.source.batches(some, threads))
            seconds = time.perf_counter() - begin
            size = sum(path.stat().st_size for path in shard_files(Path(place), files))
        return np.array([size, seconds])

    # A shard takes something, and each attempt in it.
    one, all_of_them = written(rows[:1]), written(rows)
    each = np.maximum(all_of_them - one, 0) / max(1, len(rows) - 1)
    size, seconds = np.maximum(one - each, 0) * len(shards) + each * total
    tasks = sum(map(len, plan.source.splits.values()))  # every worker draws those it meets
    seconds = seconds / workers + drawing * tasks
    return Estimate(total, len(shards), round(size), float(seconds), workers)
