"""Is a data set the same to the byte from the CPU and from a GPU, and how fast is each?

Builds one data set of states twice, by processes on all cores and with ``backend="cuda"``, and
compares every file. It needs no library of any format: shards are tar files of NumPy arrays.

    python benchmarks/dataset_backends.py [--tasks 100] [--attempts 100] [--workers N] [--host]

A tenth of the attempts is also built with object features and contact events. Attempts per second
are those of whole builds, in wall-clock time. "Simulation alone" is the same attempts in one call
of ``simulate_batch``. ``--host`` takes the GPU's kernels compiled for the host
in place of a GPU, to try this program where there is none. The exit status is 1 if a byte differs.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from unittest import mock

import numpy as np

from machine import processor
from topple.datasets import Actions, Keep, Spec, Tasks, build
from topple.datasets.plan import Plan, open_source
from topple.phyre.engine import backend
from topple.phyre.engine.backend import Backend
from topple.phyre.engine.cuda_device import cuda_device
from topple.phyre.engine.native import SceneSet, simulate_batch
from topple.phyre.engine.request import Request
from topple.phyre.task import load_task
from topple.runs.executors.processes import ProcessExecutor
from topple.threads import default_threads

BOTH: tuple[Backend, ...] = ("cpu", "cuda")
TESTS = Path(__file__).resolve().parents[1] / "tests"


@contextmanager
def device(host: bool) -> Iterator[str]:
    """Make a device ready for backend "cuda"; yields its name."""
    if not host:
        yield cuda_device().name
        return
    sys.path.insert(0, str(TESTS))
    from support.host_device import HostDevice

    with tempfile.TemporaryDirectory() as folder:
        kernels = HostDevice(Path(folder))
        with mock.patch.object(backend, "cuda_device", return_value=kernels):
            yield "the GPU's kernels on the host"


def differing(one: Path, other: Path) -> tuple[list[str], int, int]:
    """The files that differ between two folders, and the number and bytes of all."""
    names = {
        str(path.relative_to(folder))
        for folder in (one, other)
        for path in folder.rglob("*")
        if path.is_file()
    }
    found, size = [], 0
    for name in sorted(names):
        pair = [folder / name for folder in (one, other)]
        contents = [path.read_bytes() if path.exists() else None for path in pair]
        size += len(contents[0] or b"")
        if contents[0] != contents[1]:
            found.append(name)
    return found, len(names), size


def simulated_alone(spec: Spec, where: Backend) -> float:
    """Seconds that all attempts of a data set take in one call of the engine."""
    plan = Plan(spec, open_source(spec))
    rows = [row for shard in plan.shards() for row in plan.rows(shard)]
    names = sorted({row.task for row in rows})
    scenes = SceneSet([load_task(name).scene for name in names])
    index = np.array([names.index(row.task) for row in rows])
    actions = np.array([row.draw.action for row in rows])
    begin = time.perf_counter()
    simulate_batch(
        scenes, index, actions, Request(stride=spec.keep.stride, states=True), backend=where
    )
    return time.perf_counter() - begin


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--tasks", type=int, default=100, help="Number of tasks of a split.")
    parser.add_argument("--attempts", type=int, default=100, help="Attempts on each task.")
    parser.add_argument("--workers", type=int, default=default_threads(), help="Processes.")
    parser.add_argument("--host", action="store_true", help="Run the kernels on the host.")
    options = parser.parse_args()
    states = Spec(
        tasks=Tasks(setup="ball_within", fold=0, parts=("train", "test"), limit=options.tasks),
        actions=Actions(per_task=options.attempts),
        keep=Keep(stride=6, states=True),
        format="webdataset",
        pictures="npy",
    )
    more = replace(
        states,
        actions=Actions(per_task=max(1, options.attempts // 10)),
        keep=Keep(stride=6, states=True, features=True, contacts=True),
    )
    few = replace(more, tasks=replace(more.tasks, limit=2), actions=Actions(per_task=2))
    same = True
    with tempfile.TemporaryDirectory() as base, device(options.host) as name:
        folder = Path(base)
        print(f"{processor()}, {options.workers} workers; {name}", flush=True)
        build(few, folder / "few", backend="cuda")  # what is loaded once is not measured
        for label, each in (("states, features and contacts", more), ("states", states)):
            executor = ProcessExecutor(options.workers)
            try:
                build(few, folder / f"{label} few", executor=executor, threads=1)
                seconds: dict[Backend, float] = {}
                for where in BOTH:
                    begin = time.perf_counter()
                    if where == "cpu":
                        build(each, folder / label / where, executor=executor, threads=1)
                    else:
                        manifest = build(each, folder / label / where, backend=where)
                    seconds[where] = time.perf_counter() - begin
            finally:
                executor.close()
            samples = sum(split["samples"] for split in manifest["splits"].values())
            faults, files, size = differing(folder / label / "cpu", folder / label / "cuda")
            same = same and not faults
            print(f"{label}: {samples:,} attempts, {files} files, {size / 1e6:,.1f} MB")
            for where, taken in seconds.items():
                print(f"  {where}: {taken:.2f} s, {samples / taken:,.0f} attempts/s")
            print(f"  files that differ: {len(faults)} {faults[:5]}", flush=True)
        for where in BOTH:
            taken = simulated_alone(states, where)
            print(f"simulation alone, {where}: {taken:.2f} s, {samples / taken:,.0f} attempts/s")
    print("the same bytes" if same else "DIFFERENT BYTES")
    return 0 if same else 1


if __name__ == "__main__":
    sys.exit(main())
