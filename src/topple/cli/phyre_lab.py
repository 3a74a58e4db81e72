"""What the evaluation commands share: options, tasks, laboratories, output."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

from topple import paths
from topple.cli.messages import user_errors
from topple.cli.phyre_progress import Bar, progress_bar
from topple.experiments.config import RunConfig
from topple.experiments.executors import Executor
from topple.experiments.executors.local import LocalExecutor
from topple.experiments.run import Laboratory
from topple.experiments.store import RunRecord
from topple.experiments.sweep import sweep
from topple.phyre import Task, Tier, enumerate_tasks, load_template, template_tasks, tier_tasks
from topple.phyre.fold import Setup
from topple.physics.backend import check_backend
from topple.reports.table import Table

OWN_TASKS = 100  # of a template of one's own, as published templates have

Runs = Annotated[Path | None, typer.Option(help="Folder of run records.")]
Cache = Annotated[Path | None, typer.Option(help="Folder of caches.")]
UseRay = Annotated[bool, typer.Option("--ray", help="Simulate on a Ray cluster.")]
Address = Annotated[str | None, typer.Option(help="Of an existing Ray cluster.")]
OnBackend = Annotated[
    str, typer.Option("--backend", help="Simulate on: cpu, cuda, or auto for a GPU if any.")
]
KeepAttempts = Annotated[bool, typer.Option(help="Keep every attempt in the records.")]
Out = Annotated[Path, typer.Option(help="Folder for the results.")]
Templates = Annotated[
    list[str] | None,
    typer.Argument(help="Tiers, template ids, or Python files with templates of your own."),
]


def parse_folds(text: str) -> list[int]:
    """Fold numbers from a list with commas."""
    try:
        return [int(part) for part in text.split(",")]
    except ValueError:
        raise typer.BadParameter(f"{text!r} is no list of folds, such as 0,1,2") from None


def parse_setups(text: str) -> list[Setup]:
    """Setups from a list with commas."""
    try:
        return [Setup.parse(part) for part in text.split(",")]
    except ValueError as error:
        raise typer.BadParameter(str(error)) from None


def chosen_tasks(names: Iterable[str] | None) -> dict[Tier, list[Task]]:
    """Tasks of tiers, published templates and template files, by tier; all if none is named."""
    groups: dict[Tier, list[Task]] = {}
    for name in names or [tier.value for tier in Tier]:
        try:
            if name in (tier.value for tier in Tier):
                tasks: Sequence[Task] = tier_tasks(Tier(name))
            elif name.endswith(".py"):
                tasks = list(enumerate_tasks(load_template(name), OWN_TASKS))
            else:
                tasks = template_tasks(name)
        except (LookupError, ValueError, OSError) as error:
            raise typer.BadParameter(str(error)) from None
        for task in tasks:
            groups.setdefault(task.tier, []).append(task)
    return groups


@contextmanager
def executor_of(use_ray: bool, address: str | None) -> Iterator[Executor]:
    """The executor that was asked for, closed at the end."""
    executor: Executor = LocalExecutor()
    if use_ray or address is not None:
        try:
            from topple.experiments.executors.ray import RayExecutor
        except ImportError:
            raise typer.BadParameter("Ray is not installed: pip install 'topple[ray]'") from None
        executor = RayExecutor(address)
    try:
        yield executor
    finally:
        executor.close()


@contextmanager
def laboratory(
    cache: Path | None,
    use_ray: bool = False,
    address: str | None = None,
    backend: str = "cpu",
) -> Iterator[tuple[Laboratory, Bar]]:
    """A laboratory with a progress bar."""
    with user_errors(), executor_of(use_ray, address) as executor, progress_bar() as bar:
        where = check_backend(backend)
        yield Laboratory(cache or paths.cache_folder(), executor, bar.report, where), bar


def run_all(
    configs: Iterable[RunConfig],
    lab: Laboratory,
    bar: Bar,
    runs: Path | None,
    keep_attempts: bool = False,
    anew: bool = False,
) -> list[RunRecord]:
    """The records of some runs, from disk, unless they are wanted anew, or made now."""

    def start(config: RunConfig) -> None:
        bar.name(f"{config.label} {config.setup.value} {config.fold}")

    folder = runs or paths.runs_folder()
    return list(sweep(configs, lab, folder, attempts=keep_attempts, on_start=start, anew=anew))


def show(*tables: Table) -> None:
    """Print tables that say something."""
    for table in tables:
        if table.rows:
            typer.echo(table.to_markdown())


def save(folder: Path, name: str, table: Table, figure: str) -> None:
    """Write a figure and the data behind it, and say where."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{name}.csv").write_text(table.to_csv(), encoding="utf-8")
    (folder / f"{name}.svg").write_text(figure, encoding="utf-8")
    typer.echo(f"{folder / name}.svg and .csv")
