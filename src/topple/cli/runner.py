"""Runners with the executor, cache and device that options name, and a progress bar."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from topple import paths
from topple.cli.errors import needs_extra
from topple.cli.options import Cluster, Compute
from topple.cli.progress import Bar, progress_bar
from topple.phyre.engine.backend import check_backend
from topple.runs.config import RunConfig
from topple.runs.executors import Executor, LocalExecutor
from topple.runs.executors.processes import ProcessExecutor
from topple.runs.record import RunRecord
from topple.runs.runner import Runner


@contextmanager
def executor_of(cluster: Cluster, workers: int = 1) -> Iterator[Executor]:
    """Open this process, some processes or a cluster to do the work, and close it at the end."""
    executor: Executor = LocalExecutor() if workers == 1 else ProcessExecutor(workers)
    if cluster.remote:
        with needs_extra("a Ray cluster", "ray"):
            from topple.runs.executors.ray import RayExecutor
        executor = RayExecutor(cluster.address)
    try:
        yield executor
    finally:
        executor.close()


@contextmanager
def open_runner(compute: Compute) -> Iterator[tuple[Runner, Bar]]:
    """Open a runner with a progress bar that reports its simulations."""
    with executor_of(compute) as executor, progress_bar(stays=False) as bar:
        cache, backend = compute.cache or paths.cache_folder(), check_backend(compute.backend)
        yield Runner(cache, executor, bar.report, backend), bar


def run_all(
    configs: Iterable[RunConfig[Any]],
    runner: Runner,
    bar: Bar,
    runs: Path | None,
    keep_attempts: bool = False,
    rerun: bool = False,
) -> list[RunRecord[Any, Any]]:
    """Return the records of some runs, read from a folder or made now."""

    def start(config: RunConfig[Any]) -> None:
        bar.start(f"{config.title} {config.selection.place}")

    folder = runs or paths.runs_folder()
    records = runner.sweep(configs, folder, attempts=keep_attempts, on_start=start, rerun=rerun)
    return list(records)
