"""What commands print: tables, texts and JSON; and figures that they write."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Table as RichTable

from topple.cli.errors import CHECK_FAILED
from topple.files import write_whole
from topple.reports.table import Table

Cell = str | int | float | bool | None


class Output:
    """What a command prints.

    Args:
        data: plain values for `--json`.
        parts: texts and tables for people.
        failed: whether a check failed, which the exit status tells.
    """

    def __init__(self, data: Any, *parts: str | RichTable, failed: bool = False) -> None:
        self.data = data
        self.parts = parts
        self.failed = failed

    def show(self, as_json: bool) -> None:
        """Print it."""
        if as_json:
            typer.echo(json.dumps(self.data, indent=1))
        for part in () if as_json else self.parts:
            typer.echo(part) if isinstance(part, str) else Console().print(part)
        if self.failed:
            raise typer.Exit(CHECK_FAILED)


def listing(
    title: str, columns: Sequence[str], rows: Sequence[Sequence[Cell]], failed: bool = False
) -> Output:
    """Return rows as a table, and as a list of objects."""
    return Output(objects(columns, rows), rich_table(title, columns, rows), failed=failed)


def objects(columns: Sequence[str], rows: Iterable[Sequence[Cell]]) -> list[dict[str, Cell]]:
    """Return rows as objects by the names of columns."""
    return [dict(zip(columns, row, strict=True)) for row in rows]


def rich_table(title: str, columns: Sequence[str], rows: Sequence[Sequence[Cell]]) -> RichTable:
    """Return rows as a table for terminals."""
    table = RichTable(title=title, title_justify="left")
    for k, column in enumerate(columns):
        numeric = any(isinstance(row[k], int | float) for row in rows)
        table.add_column(column, justify="right" if numeric else "left")
    for row in rows:
        table.add_row(*(escape(_text(cell)) for cell in row))
    return table


def _text(cell: Cell) -> str:
    if cell is None or (isinstance(cell, float) and math.isnan(cell)):
        return "-"
    if isinstance(cell, bool):
        return "yes" if cell else "no"
    return f"{cell:.2f}" if isinstance(cell, float) else str(cell)


def save_figure(folder: Path, name: str, table: Table, figure: str) -> list[Path]:
    """Write a figure and its data, and return the paths of both files."""
    made = {folder / f"{name}.svg": figure, folder / f"{name}.csv": table.to_csv()}
    for path, text in made.items():
        write_whole(path, text)
    return list(made)


def results(tables: Iterable[Table], files: Iterable[Path] = ()) -> Output:
    """Return the tables that have rows, and the names of the files that were written."""
    shown, names = [table for table in tables if table.rows], list(map(str, files))
    data = [{"title": each.title, "rows": objects(each.header, each.rows)} for each in shown]
    texts = [each.to_markdown() for each in shown]
    return Output({"tables": data, "files": names}, *texts, *names)
