"""Tables, figures and JSON that commands print or write."""

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

from topple.files import whole_file
from topple.reports.table import Table

Cell = str | int | float | bool | None


def show(
    title: str, columns: Sequence[str], rows: Sequence[Sequence[Cell]], as_json: bool = False
) -> None:
    """Print rows as a table or as a JSON list of objects."""
    if as_json:
        show_json([dict(zip(columns, row, strict=True)) for row in rows])
        return
    table = RichTable(title=title, title_justify="left")
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


def save_figure(folder: Path, name: str, table: Table, figure: str) -> list[Path]:
    """Write a figure and its data, and return the paths of both files."""
    made = {folder / f"{name}.svg": figure, folder / f"{name}.csv": table.to_csv()}
    for path, text in made.items():
        with whole_file(path) as temporary:
            temporary.write_text(text, encoding="utf-8")
    return list(made)


def show_results(tables: Iterable[Table], files: Iterable[Path], as_json: bool) -> None:
    """Print the tables that have rows, and the names of the files that were written."""
    shown = [table for table in tables if table.rows]
    if as_json:
        show_json({"tables": [_data(table) for table in shown], "files": list(map(str, files))})
        return
    for line in (*(table.to_markdown() for table in shown), *map(str, files)):
        typer.echo(line)


def _data(table: Table) -> dict[str, Any]:
    rows = [dict(zip(table.header, row, strict=True)) for row in table.rows]
    return {"title": table.title, "rows": rows}
