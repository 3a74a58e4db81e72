"""Error messages, progress bars, tables and JSON that all commands share."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import typer
from rich.console import Console
from rich.markup import escape
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    Task,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)
from rich.table import Table
from rich.text import Text

from topple.cli.exits import INTERRUPTED, WRONG_INPUT, fail
from topple.iphyre.engine.world import EngineError
from topple.phyre.engine.cuda_device import CudaError

Cell = str | int | float | bool | None


@contextmanager
def user_errors() -> Iterator[None]:
    """Turn errors that a user can fix into a message and exit status 2."""
    try:
        yield
    except (ValueError, LookupError, OSError, CudaError, EngineError) as error:
        fail(_message(error))
        raise typer.Exit(WRONG_INPUT) from None


def _message(error: Exception) -> str:
    if isinstance(error, KeyError):
        return str(error.args[0])
    if isinstance(error, OSError) and error.filename is not None and error.strerror:
        return f"{error.filename}: {error.strerror}"
    return str(error)


@contextmanager
def needs_extra(what: str, extra: str) -> Iterator[None]:
    """Name the missing package and its extra where the imports of the block fail."""
    try:
        yield
    except ModuleNotFoundError as error:
        raise ValueError(
            f"{what} needs the package {error.name}: pip install 'topple[{extra}]'"
        ) from None


@contextmanager
def resumable() -> Iterator[None]:
    """After Ctrl-C, say that the same command resumes the work."""
    try:
        yield
    except KeyboardInterrupt:
        typer.echo("interrupted; run the same command again to resume", err=True)
        raise typer.Exit(INTERRUPTED) from None


class _Rate(ProgressColumn):
    """Steps per second, once they are known."""

    def render(self, task: Task) -> Text:
        speed = task.finished_speed or task.speed
        return Text("" if speed is None else f"{speed:,.0f}/s", style="progress.data.speed")


class _Bars(Progress):
    """Progress bars that can disappear without a trace."""

    def stop(self) -> None:
        """Leave a line behind only if the bars stay."""
        if self.live.transient:
            self.live.stop()
        else:
            super().stop()


@contextmanager
def progress(label: str, total: int, done: int = 0) -> Iterator[Progress]:
    """Show a progress bar on standard error; its only task has number 0."""
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        _Rate(),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
    )
    with _Bars(*columns, console=Console(stderr=True)) as bar:
        bar.add_task(label, total=total, completed=done)
        try:
            yield bar
        except BaseException:
            bar.live.transient = True  # so that only the error line remains
            raise


def show(
    title: str, columns: Sequence[str], rows: Sequence[Sequence[Cell]], as_json: bool = False
) -> None:
    """Print rows as a table or as a JSON list of objects."""
    if as_json:
        show_json([dict(zip(columns, row, strict=True)) for row in rows])
        return
    table = Table(title=title, title_justify="left")
    for k, column in enumerate(columns):
        numeric = any(isinstance(row[k], int | float) for row in rows)
        table.add_column(column, justify="right" if numeric else "left")
    for row in rows:
        table.add_row(*(escape(_text(cell)) for cell in row))
    Console().print(table)


def show_json(content: Any) -> None:
    """Print JSON."""
    typer.echo(json.dumps(content, indent=1))


def _text(cell: Cell) -> str:
    if cell is None or (isinstance(cell, float) and math.isnan(cell)):
        return "-"
    if isinstance(cell, bool):
        return "yes" if cell else "no"
    return f"{cell:.2f}" if isinstance(cell, float) else str(cell)
