"""How fast are data sets built, beside the engine, the disk's bytes and the encoder alone?

Protocol: one process, one thread, processor seconds, the best of some repetitions. The workload is
random attempts on the first published task of each one-ball template. The engine alone simulates
the same batch into memory; a build does the same, makes samples and writes shards. Films are also
encoded from frames that are there already, which is what the encoder alone takes.

    python benchmarks/datasets.py [attempts on each task, 20 by default]
"""

from __future__ import annotations

import csv
import platform
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np

from machine import processor
from topple.datasets.builder import shard_files
from topple.datasets.formats import Target, find_format
from topple.datasets.plan import Plan, open_source
from topple.datasets.spec import Actions, Keep, Spec, Tasks
from topple.media.files import mp4_bytes
from topple.phyre.engine.native import SceneSet, simulate_batch
from topple.phyre.engine.request import Request
from topple.phyre.task import load_task, template_task_ids
from topple.phyre.tier import Tier

ATTEMPTS = int(sys.argv[1]) if len(sys.argv) > 1 else 20  # of each of the 25 tasks
SOME = min(ATTEMPTS, 8)  # where frames take much memory
FEW = min(ATTEMPTS, 2)  # where they take long to encode
REPETITIONS = 9
RESULTS = Path(__file__).parent / "results" / "datasets.csv"
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
    ("states, stride 60", Keep(stride=60, states=True), "parquet", "png", "engine"),
    ("raw 256 px codes, stride 60", Keep(stride=60, codes=True), "webdataset", "npy", "engine"),
    ("PNG 256 px codes, stride 60", Keep(stride=60, codes=True), "webdataset", "png", "engine"),
    ("H.264 256 px, stride 12", Keep(stride=12, rgb=256), "webdataset", "mp4", "encoder"),
]


def seconds(
    functions: Sequence[Callable[[], object]], repetitions: int = REPETITIONS
) -> list[float]:
    """The fewest processor seconds that each of some functions takes, called in turn."""
    taken = []
    for _ in range(repetitions):
        row = []
        for function in functions:
            begin = time.process_time()
            function()
            row.append(time.process_time() - begin)
        taken.append(row)
    return [min(row) for row in zip(*taken, strict=True)]


def main() -> None:
    rows = []
    for name, keep, form, pictures, limit in BUILDS:
        count = FEW if limit == "encoder" else SOME if keep.codes else ATTEMPTS
        actions = replace(SPEC.actions, per_task=count)
        spec = replace(SPEC, keep=keep, format=form, pictures=pictures, actions=actions)
        plan = Plan(spec, open_source(spec))
        shard = plan.shards()[0]
        attempts = plan.rows(shard)
        kept = "rgb" if keep.rgb else "codes" if keep.codes else "states"
        batches = list(plan.source.batches(attempts, 1))
        samples = [batch[kept][k] for batch in batches for k in range(len(batch["key"]))]
        frames = sum(map(len, samples))
        ends = np.cumsum([len(batch["key"]) for batch in batches])[:-1]

        if limit == "engine":
            scenes = SceneSet([load_task(task).scene for task in TASKS])
            index = np.array([TASKS.index(row.task) for row in attempts])
            placed = np.array([row.draw.action for row in attempts])
            request = Request(stride=keep.stride, states=keep.states, images=keep.codes)

            def alone() -> object:  # in batches of the same size, which matters for pictures
                for some, actions in zip(np.split(index, ends), np.split(placed, ends)):  # noqa: B023, B905
                    simulate_batch(scenes, some, actions, request, threads=1)  # noqa: B023
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
            times = REPETITIONS if limit == "engine" else 2
            built, least = seconds([build, alone], times)
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
            }
        )
        print(rows[-1], file=sys.stderr)
    print(f"{processor()}, Python {platform.python_version()}\n")
    print("| " + " | ".join(rows[0]) + " |\n" + "|---" * len(rows[0]) + "|")
    for row in rows:
        print("| " + " | ".join(map(str, row.values())) + " |")
    with RESULTS.open("w", newline="") as file:
        writer = csv.DictWriter(file, rows[0])
        writer.writeheader()
        writer.writerows(rows)


if __name__ == "__main__":
    main()
