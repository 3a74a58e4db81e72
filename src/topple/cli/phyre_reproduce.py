"""``topple reproduce``: the published tables and figures of PHYRE, run again."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.markdown import Markdown

from topple import paths
from topple.cli.phyre_progress import Bar, progress_bar
from topple.experiments.executors import Executor
from topple.experiments.executors.local import LocalExecutor
from topple.experiments.run import Laboratory
from topple.experiments.store import RunRecord
from topple.experiments.sweep import sweep
from topple.experiments.table2 import ROWS, SETUPS, row_configs
from topple.phyre.fold import SEEDS, Setup
from topple.reports.table import Table
from topple.reports.tables import comparison_table, table1, table2

app = typer.Typer(help="Run the published tables and figures of PHYRE again.", no_args_is_help=True)

Agents = Annotated[str, typer.Option(help=f"Rows, with commas: {', '.join(ROWS)}.")]
Setups = Annotated[str, typer.Option(help="Setups, with commas; all four by default.")]
Folds = Annotated[str, typer.Option(help="Folds, with commas; all ten by default.")]
Runs = Annotated[Path | None, typer.Option(help="Folder of run records.")]
Cache = Annotated[Path | None, typer.Option(help="Folder of caches.")]
UseRay = Annotated[bool, typer.Option("--ray", help="Simulate on a Ray cluster.")]
Address = Annotated[str | None, typer.Option(help="Of an existing Ray cluster.")]
KeepAttempts = Annotated[bool, typer.Option(help="Keep every attempt in the records.")]

_ALL_ROWS = ",".join(ROWS)
_ALL_SETUPS = ",".join(setup.value for setup in SETUPS)
_ALL_FOLDS = ",".join(map(str, SEEDS))


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
    cache: Path | None, use_ray: bool = False, address: str | None = None
) -> Iterator[tuple[Laboratory, Bar]]:
    """A laboratory with a progress bar."""
    with executor_of(use_ray, address) as executor, progress_bar() as bar:
        yield Laboratory(cache or paths.cache_folder(), executor, bar.report), bar


def show(*tables: Table) -> None:
    """Print tables: readable on a terminal, Markdown into a file."""
    console = Console()
    for table in tables:
        text = table.to_markdown()
        if console.is_terminal:
            console.print(Markdown(text))
        else:
            print(text)


@app.command("table2")
def table2_command(
    agents: Agents = _ALL_ROWS,
    setups: Setups = _ALL_SETUPS,
    folds: Folds = _ALL_FOLDS,
    runs: Runs = None,
    cache: Cache = None,
    use_ray: UseRay = False,
    address: Address = None,
    keep_attempts: KeepAttempts = False,
) -> None:
    """Print AUCCESS of every fold beside the published value, then Table 1.

    Stop it with Ctrl-C whenever you like: what is done is kept, and the same command goes on
    from there.
    """
    unknown = [name for name in agents.split(",") if name not in ROWS]
    if unknown:
        raise typer.BadParameter(f"there is no row {unknown[0]!r}: use {', '.join(ROWS)}")
    wanted = parse_setups(setups), parse_folds(folds)
    configs = [config for name in agents.split(",") for config in row_configs(ROWS[name], *wanted)]
    records: list[RunRecord] = []
    with laboratory(cache, use_ray, address) as (lab, bar):
        for record in sweep(
            configs,
            lab,
            runs or paths.runs_folder(),
            attempts=keep_attempts,
            on_start=lambda config: bar.name(f"{config.label} {config.setup.value} {config.fold}"),
        ):
            records.append(record)
    show(table2(records), *table1(records), comparison_table(records))
