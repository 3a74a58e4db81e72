"""What the evaluation commands share: tasks, runners, output."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import typer

from topple import paths
from topple.cli.messages import needs_extra, show_json, user_errors
from topple.cli.options import Cluster, Compute
from topple.cli.phyre_progress import Bar, progress_bar
from topple.files import whole_file
from topple.phyre import Task, Tier, enumerate_tasks, load_template, template_tasks, tier_tasks
from topple.phyre.engine.backend import check_backend
from topple.phyre.fold import Setup
from topple.reports.table import Table
from topple.runs.config import RunConfig
from topple.runs.executors import Executor
from topple.runs.executors.local import LocalExecutor
from topple.runs.record import RunRecord
from topple.runs.runner import Runner

OWN_TASKS = 100  # of a template of one's own, as published templates have


def parse_numbers(text: str, what: str) -> list[int]:
    """Numbers by commas.

    Args:
        text: such as ``0,1,2``.
        what: they are, for the error.

    Raises:
        ValueError: A part is no number.
    """
    try:
        return [int(part) for part in text.split(",")]
    except ValueError:
        raise ValueError(f"{text!r} is no list of {what}, such as 0,1,2") from None


def parse_setups(text: str) -> list[Setup]:
    """Setups by commas."""
    return [Setup.parse(part.strip()) for part in text.split(",")]


def chosen_tasks(names: Iterable[str] | None) -> dict[Tier, list[Task]]:
    """Tasks of tiers, published templates and template files, by tier; all if none is named."""
    groups: dict[Tier, list[Task]] = {}
    for name in names or [tier.value for tier in Tier]:
        if name in (tier.value for tier in Tier):
            tasks: Sequence[Task] = tier_tasks(Tier(name))
        elif name.endswith(".py"):
            tasks = list(enumerate_tasks(load_template(name), OWN_TASKS))
        else:
            tasks = template_tasks(name)
        for task in tasks:
            groups.setdefault(task.tier, []).append(task)
    return groups


@contextmanager
def executor_of(cluster: Cluster) -> Iterator[Executor]:
    """The executor that was asked for, closed at the end."""
    executor: Executor = LocalExecutor()
    if cluster.use_ray or cluster.address is not None:
        with needs_extra("a Ray cluster", "ray"):
            from topple.runs.executors.ray import RayExecutor
        executor = RayExecutor(cluster.address)
    try:
        yield executor
    finally:
        executor.close()


@contextmanager
def open_runner(compute: Compute) -> Iterator[tuple[Runner, Bar]]:
    """A runner with a progress bar."""
    with user_errors(), executor_of(compute) as executor, progress_bar() as bar:
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
    """The records of some runs, read from disk or made now."""

    def start(config: RunConfig[Any]) -> None:
        bar.name(f"{config.title} {config.selection.place}")

    folder = runs or paths.runs_folder()
    records = runner.sweep(configs, folder, attempts=keep_attempts, on_start=start, rerun=rerun)
    return list(records)


def save(folder: Path, name: str, table: Table, figure: str) -> list[Path]:
    """Write a figure and the data behind it; returns where."""
    made = {folder / f"{name}.svg": figure, folder / f"{name}.csv": table.to_csv()}
    for path, text in made.items():
        with whole_file(path) as temporary:
            temporary.write_text(text, encoding="utf-8")
    return list(made)


def tell(tables: Iterable[Table], files: Iterable[Path], as_json: bool) -> None:
    """Print tables that say something, and the files that were written."""
    shown = [table for table in tables if table.rows]
    if as_json:
        show_json({"tables": [_data(table) for table in shown], "files": list(map(str, files))})
        return
    for table in shown:
        typer.echo(table.to_markdown())
    for file in files:
        typer.echo(str(file))


def _data(table: Table) -> dict[str, Any]:
    rows = [dict(zip(table.header, row, strict=True)) for row in table.rows]
    return {"title": table.title, "rows": rows}
