"""How fast are data sets built, beside the engine, the disk's bytes and the encoder alone?

Protocol: one process, one thread, processor seconds, the best of some repetitions, in which the
build and its limits take turns. The workload is random attempts on the first published task of each
one-ball template. The engine alone simulates the same batches: into memory that is at hand
("engine"), and as anybody calls it, into memory that the system has to give first ("fresh"). A
build does the same, makes samples and writes a shard to a file that was not there. Films are also
encoded from frames that are there already, which is what the encoder alone takes.

The last rows are whole builds: shuffled shards of the train tasks of a fold, with their checksums,
after a first build has drawn the attempts. There the engine is called once for each shard, into
fresh memory.

Another table tells what takes the time of a build of films: functions are timed where the build
calls them, in the same processor seconds. Drawing is what pictures add to the simulation.

    python benchmarks/datasets.py [attempts on each task, 20 by default]
"""

from __future__ import annotations

import csv
import json
import platform
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np

from machine import processor
from topple.datasets import phyre_source
from topple.datasets.builder import Job, build_shards, shard_files
from topple.datasets.formats import Target, find_format, webdataset
from topple.datasets.plan import Plan, open_source
from topple.datasets.spec import Actions, Keep, Spec, Tasks
from topple.media.files import mp4_bytes
from topple.phyre.engine.native import SceneSet, simulate_batch
from topple.phyre.engine.request import Request
from topple.phyre.engine.result import BatchResult
from topple.phyre.palette import to_rgba
from topple.phyre.task import load_task, template_task_ids
from topple.phyre.tier import Tier

ATTEMPTS = int(sys.argv[1]) if len(sys.argv) > 1 else 20  # of each of the 25 tasks
SOME = min(ATTEMPTS, 8)  # where frames take much memory
FEW = min(ATTEMPTS, 2)  # where they take long to encode
REPETITIONS = 9
RESULTS = Path(__file__).parent / "results" / "datasets.csv"
FILMS = RESULTS.with_name("dataset_films.csv")
TASKS = tuple(str(template_task_ids(template)[0]) for template in Tier.BALL.template_ids)
SPEC = Spec(
    tasks=Tasks(train=TASKS), actions=Actions(per_task=ATTEMPTS), shard_size=len(TASKS) * ATTEMPTS
)

#: What is built: a name, what is kept, the format, and how arrays and pictures are stored.
BUILDS = [
    ("states, stride 6", Keep(stride=6, states=True), "arrow", "lists", "png"),
    ("states as bytes, stride 6", Keep(stride=6, states=True), "parquet", "bytes", "png"),
    ("states, stride 6", Keep(stride=6, states=True), "webdataset", "lists", "png"),
    ("states, stride 6", Keep(stride=6, states=True), "hdf5", "lists", "png"),
    ("states, stride 6", Keep(stride=6, states=True), "parquet", "lists", "png"),
    ("states, stride 60", Keep(stride=60, states=True), "parquet", "lists", "png"),
    ("PNG 256 px codes, stride 60", Keep(stride=60, codes=True), "webdataset", "lists", "png"),
    ("raw 256 px codes, stride 60", Keep(stride=60, codes=True), "webdataset", "lists", "npy"),
    ("H.264 256 px, stride 12", Keep(stride=12, rgb=256), "webdataset", "lists", "mp4"),
]
SHARDS = 4  # of a whole build


def seconds(
    functions: Sequence[Callable[[], object]], before: Callable[[], object], repetitions: int
) -> list[list[float]]:
    """The processor seconds that each of some functions takes, called in turn."""
    taken = []
    for _ in range(repetitions):
        row = []
        for function in functions:
            before()
            begin = time.process_time()
            function()
            row.append(time.process_time() - begin)
        taken.append(row)
    return [list(row) for row in zip(*taken, strict=True)]


def remove_files(folder: Path) -> None:
    """Remove what was built, since to overwrite it takes time that no build takes."""
    for path in folder.rglob("*"):
        if path.is_file():
            path.unlink()


def measured(
    build: Callable[[], object],
    limits: Mapping[str, Callable[[], object]],
    folder: Path,
    repetitions: int,
) -> tuple[float, dict[str, object]]:
    """The seconds of a build, and its shares of the rates of some limits, the strictest first."""
    builds, *others = seconds([build, *limits.values()], lambda: remove_files(folder), repetitions)
    built = min(builds)
    strict = [one / other for one, other in zip(others[0], builds, strict=True)]
    shares: dict[str, object] = {
        "limit": next(iter(limits)),
        "share_of_limit": round(min(others[0]) / built, 3),
        "least_share": round(min(strict), 3),
        "median_share": round(float(np.median(strict)), 3),
        "share_of_fresh": round(min(others[-1]) / built, 3) if "fresh" in limits else "",
        "repetitions": repetitions,
    }
    return built, shares


def film_shares() -> list[dict[str, object]]:
    """What takes the time of a build of films, in shares of its processor seconds."""
    keep = Keep(stride=12, rgb=256)
    actions = replace(SPEC.actions, per_task=FEW)
    spec = replace(SPEC, keep=keep, format="webdataset", pictures="mp4", actions=actions)
    plan = Plan(spec, open_source(spec))
    shard = plan.shards()[0]
    attempts = plan.rows(shard)
    spent: defaultdict[str, float] = defaultdict(float)

    def timed(part: str, function: Callable[..., Any]) -> Callable[..., Any]:
        def call(*arguments: Any, **options: Any) -> Any:
            begin = time.process_time()
            try:
                return function(*arguments, **options)
            finally:
                spent[part] += time.process_time() - begin

        return call

    def alone(*arguments: Any, **options: Any) -> Any:
        """Simulate without drawing first, to tell the two apart."""
        scenes, index, actions, request = arguments
        begin = time.process_time()
        simulate_batch(scenes, index, actions, Request(max_steps=request.max_steps), threads=1)
        spent["simulation"] += time.process_time() - begin
        return timed("simulation and drawing", simulate_batch)(*arguments, **options)

    with (
        tempfile.TemporaryDirectory() as folder,
        mock.patch.object(phyre_source, "simulate_batch", alone),
        mock.patch.object(phyre_source, "to_rgba", timed("colours", to_rgba)),
        mock.patch.object(webdataset, "mp4_bytes", timed("encoder", mp4_bytes)),
    ):
        target = Target(Path(folder), shard, spec, plan.source)
        begin = time.process_time()
        webdataset.write(target, plan.source.batches(attempts, 1))
        total = time.process_time() - begin - spent["simulation"]
    parts = {
        "encoder": spent["encoder"] - spent["colours"],  # which asks for each frame
        "colours": spent["colours"],
        "drawing": max(0.0, spent["simulation and drawing"] - spent["simulation"]),
        "simulation": min(spent["simulation"], spent["simulation and drawing"]),
    }
    parts["all else"] = total - sum(parts.values())
    return [
        {"part": part, "seconds": round(taken, 3), "share": round(taken / total, 4)}
        for part, taken in parts.items()
    ]


def shard_row(name: str, keep: Keep, form: str, arrays: str, pictures: str) -> dict[str, object]:
    """The rate of writing a shard."""
    count = FEW if keep.rgb else SOME if keep.codes else ATTEMPTS
    actions = replace(SPEC.actions, per_task=count)
    spec = replace(SPEC, keep=keep, format=form, pictures=pictures, arrays=arrays, actions=actions)
    plan = Plan(spec, open_source(spec))
    shard = plan.shards()[0]
    attempts = plan.rows(shard)
    kept = "rgb" if keep.rgb else "codes" if keep.codes else "states"
    frames, films, ends = 0, [], []
    for batch in plan.source.batches(attempts, 1):
        samples = [batch[kept][k] for k in range(len(batch["key"]))]
        frames += sum(map(len, samples))
        films += samples if keep.rgb else []
        ends.append(len(samples))
    limits: dict[str, Callable[[], object]] = {}
    if keep.rgb:
        fps = Fraction(60, keep.stride)
        limits["encoder"] = lambda: [mp4_bytes(film, fps) for film in films]
    else:
        scenes = SceneSet([load_task(task).scene for task in TASKS])
        index = np.array([TASKS.index(row.task) for row in attempts])
        placed = np.array([row.draw.action for row in attempts])
        request = Request(stride=keep.stride, states=keep.states, images=keep.codes)
        cuts = np.cumsum(ends)[:-1]  # batches of the same size
        parts = list(zip(np.split(index, cuts), np.split(placed, cuts), strict=True))

        def simulated(results: Sequence[BatchResult | None]) -> None:
            for part, out in zip(parts, results, strict=True):
                simulate_batch(scenes, *part, request, threads=1, out=out)

        held = [simulate_batch(scenes, *part, request, threads=1) for part in parts]
        limits = {"engine": lambda: simulated(held), "fresh": lambda: simulated([None] * len(held))}
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        target = Target(folder, shard, spec, plan.source)

        def build() -> list[str]:
            return find_format(form).write(target, plan.source.batches(attempts, 1))

        size = sum(path.stat().st_size for path in shard_files(folder, build()))
        built, shares = measured(build, limits, folder, 3 if keep.rgb else REPETITIONS)
    return row_of(name, form, len(attempts), frames, size, built, shares)


def fold_row(form: str, arrays: str) -> dict[str, object]:
    """The rate of a whole build of shuffled shards with their checksums."""
    keep, actions = Keep(stride=6, states=True), Actions(per_task=50)
    spec = Spec(keep=keep, actions=actions, format=form, arrays=arrays, shard_size=512)
    with tempfile.TemporaryDirectory() as place:
        job = Job(json.dumps(spec.to_data()), place, "cpu", 1)
        plan = Plan(spec, open_source(spec))
        shards = plan.shards()[:SHARDS]
        rows = [plan.rows(shard) for shard in shards]
        tasks = sorted({row.task for some in rows for row in some})
        number = {task: k for k, task in enumerate(tasks)}
        scenes = SceneSet([load_task(task).scene for task in tasks])
        index = [np.array([number[row.task] for row in some]) for some in rows]
        placed = [np.array([row.draw.action for row in some]) for some in rows]
        request = Request(stride=keep.stride, states=True)

        def build() -> int:
            return sum(build_shards(job, [shard])[0].size for shard in shards)

        def engine() -> int:
            frames = 0
            for some in zip(index, placed, strict=True):
                frames += int(simulate_batch(scenes, *some, request, threads=1).frame_count.sum())
            return frames

        size, frames = build(), engine()
        built, shares = measured(build, {"fresh": engine}, Path(place), 5)
    name = (
        f"{'states as bytes' if arrays == 'bytes' else 'states'}, stride 6, whole build of a fold"
    )
    return row_of(name, form, sum(map(len, rows)), frames, size, built, shares)


def row_of(
    name: str,
    form: str,
    attempts: int,
    frames: int,
    size: int,
    built: float,
    shares: Mapping[str, object],
) -> dict[str, object]:
    """A row of the table."""
    row = {
        "what": name,
        "format": form,
        "attempts_per_s": round(attempts / built, 1),
        "frames_per_s": round(frames / built, 1),
        "MB_per_s": round(size / built / 1e6, 2),
        "bytes_per_attempt": round(size / attempts),
        **shares,
    }
    print(row, file=sys.stderr, flush=True)
    return row


def main() -> None:
    rows = [shard_row(*build) for build in BUILDS]
    stored = [(form, arrays) for _, keep, form, arrays, _ in BUILDS if keep == BUILDS[0][1]]
    rows += [fold_row(*each) for each in stored]
    print(f"{processor()}, Python {platform.python_version()}\n")
    for path, table in ((RESULTS, rows), (FILMS, film_shares())):
        print("| " + " | ".join(table[0]) + " |\n" + "|---" * len(table[0]) + "|")
        for row in table:
            print("| " + " | ".join(map(str, row.values())) + " |")
        with path.open("w", newline="") as file:
            writer = csv.DictWriter(file, table[0])
            writer.writeheader()
            writer.writerows(table)


if __name__ == "__main__":
    main()
