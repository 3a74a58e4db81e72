"""How fast are data sets built, beside the engine, the disk's bytes and the encoder alone?

Protocol: one process, one thread, processor seconds, the best of some repetitions. The workload is
random attempts on the first published task of each one-ball template. The engine alone simulates
the same batch into memory: for pictures into memory that is at hand ("engine"), or that the system
has to give first ("fresh"). A build does the same, makes samples and writes shards. Films are also
encoded from frames that are there already, which is what the encoder alone takes.

The last part tells what takes the time of a build of films: functions are timed where the build
calls them, in the same processor seconds. Drawing is what pictures add to the simulation.

    python benchmarks/datasets.py [attempts on each task, 20 by default]
"""

from __future__ import annotations

import csv
import platform
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np

from machine import processor
from topple.datasets import phyre_source
from topple.datasets.builder import shard_files
from topple.datasets.formats import Target, find_format, webdataset
from topple.datasets.plan import Plan, open_source
from topple.datasets.spec import Actions, Keep, Spec, Tasks
from topple.media.files import mp4_bytes
from topple.phyre.engine.native import SceneSet, simulate_batch
from topple.phyre.engine.request import Request
from topple.phyre.engine.result import BatchResult
from topple.phyre.palette import to_rgb
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

#: What is built: a name, what is kept, the format, how pictures are stored, and the limit it is
#: compared with.
BUILDS = [
    ("states, stride 6", Keep(stride=6, states=True), "arrow", "png", "engine"),
    ("states, stride 6", Keep(stride=6, states=True), "parquet", "png", "engine"),
    ("states, stride 6", Keep(stride=6, states=True), "webdataset", "png", "engine"),
    ("states, stride 6", Keep(stride=6, states=True), "hdf5", "png", "engine"),
    ("states as bytes, stride 6", Keep(stride=6, states=True), "parquet", "png", "engine"),
    ("states, stride 60", Keep(stride=60, states=True), "parquet", "png", "engine"),
    ("raw 256 px codes, stride 60", Keep(stride=60, codes=True), "webdataset", "npy", "engine"),
    ("PNG 256 px codes, stride 60", Keep(stride=60, codes=True), "webdataset", "png", "engine"),
    ("raw 256 px codes, stride 60", Keep(stride=60, codes=True), "webdataset", "npy", "fresh"),
    ("PNG 256 px codes, stride 60", Keep(stride=60, codes=True), "webdataset", "png", "fresh"),
    ("H.264 256 px, stride 12", Keep(stride=12, rgb=256), "webdataset", "mp4", "encoder"),
]


def seconds(
    functions: Sequence[Callable[[], object]], repetitions: int = REPETITIONS
) -> list[list[float]]:
    """The processor seconds that each of some functions takes, called in turn."""
    taken = []
    for _ in range(repetitions):
        row = []
        for function in functions:
            begin = time.process_time()
            function()
            row.append(time.process_time() - begin)
        taken.append(row)
    return [list(row) for row in zip(*taken, strict=True)]


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
        mock.patch.object(phyre_source, "to_rgb", timed("colours", to_rgb)),
        mock.patch.object(webdataset, "mp4_bytes", timed("encoder", mp4_bytes)),
    ):
        target = Target(Path(folder), shard, spec, plan.source)
        begin = time.process_time()
        webdataset.write(target, plan.source.batches(attempts, 1))
        total = time.process_time() - begin - spent["simulation"]
    parts = {
        "encoder": spent["encoder"],
        "colours": spent["colours"],
        "drawing": max(0.0, spent["simulation and drawing"] - spent["simulation"]),
        "simulation": min(spent["simulation"], spent["simulation and drawing"]),
    }
    parts["all else"] = total - sum(parts.values())
    return [
        {"part": part, "seconds": round(taken, 3), "share": round(taken / total, 4)}
        for part, taken in parts.items()
    ]


def main() -> None:
    rows: list[dict[str, object]] = []
    for name, keep, form, pictures, limit in BUILDS:
        count = FEW if limit == "encoder" else SOME if keep.codes else ATTEMPTS
        actions = replace(SPEC.actions, per_task=count)
        arrays = "bytes" if "bytes" in name else "lists"
        spec = replace(
            SPEC, keep=keep, format=form, pictures=pictures, arrays=arrays, actions=actions
        )
        plan = Plan(spec, open_source(spec))
        shard = plan.shards()[0]
        attempts = plan.rows(shard)
        kept = "rgb" if keep.rgb else "codes" if keep.codes else "states"
        batches = list(plan.source.batches(attempts, 1))
        samples = [batch[kept][k] for batch in batches for k in range(len(batch["key"]))]
        frames = sum(map(len, samples))
        ends = np.cumsum([len(batch["key"]) for batch in batches])[:-1]

        if limit != "encoder":
            scenes = SceneSet([load_task(task).scene for task in TASKS])
            index = np.array([TASKS.index(row.task) for row in attempts])
            placed = np.array([row.draw.action for row in attempts])
            request = Request(stride=keep.stride, states=keep.states, images=keep.codes)
            parts = list(zip(np.split(index, ends), np.split(placed, ends), strict=True))
            results: list[BatchResult | None] = [None] * len(parts)
            if keep.codes and limit == "engine":  # memory that is at hand, as in a build
                results = [simulate_batch(scenes, *part, request, threads=1) for part in parts]

            def alone() -> object:  # in batches of the same size
                for part, out in zip(parts, results, strict=True):  # noqa: B023
                    simulate_batch(scenes, *part, request, threads=1, out=out)  # noqa: B023
                return None
        else:
            films = [list(sample) for sample in samples]

            def alone() -> object:
                return [mp4_bytes(film, Fraction(60, keep.stride)) for film in films]  # noqa: B023

        with tempfile.TemporaryDirectory() as folder:
            target = Target(Path(folder), shard, spec, plan.source)

            def build() -> list[str]:
                return find_format(form).write(target, plan.source.batches(attempts, 1))  # noqa: B023

            files = build()
            size = sum(path.stat().st_size for path in shard_files(Path(folder), files))
            times = 2 if limit == "encoder" else REPETITIONS
            builds, limits = seconds([build, alone], times)
        built, least = min(builds), min(limits)
        shares = [one / other for one, other in zip(limits, builds, strict=True)]
        rows.append(
            {
                "what": name,
                "format": form,
                "attempts_per_s": round(len(attempts) / built, 1),
                "frames_per_s": round(frames / built, 1),
                "MB_per_s": round(size / built / 1e6, 2),
                "bytes_per_attempt": round(size / len(attempts)),
                "limit": limit,
                "share_of_limit": round(least / built, 3),
                "least_share": round(min(shares), 3),
                "median_share": round(float(np.median(shares)), 3),
                "repetitions": times,
            }
        )
        print(rows[-1], file=sys.stderr)
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
