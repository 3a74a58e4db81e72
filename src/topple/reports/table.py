"""A table, and the forms it is written in."""

from __future__ import annotations

import csv
import html
import io
from collections.abc import Sequence
from dataclasses import dataclass

_SAVING = str.maketrans({"|": "\\|", "\n": " "})


@dataclass(frozen=True)
class Table:
    """Rows of text under a header."""

    title: str
    header: Sequence[str]
    rows: Sequence[Sequence[str]]
    note: str = ""  # what a reader has to know, in a sentence or two

    def to_csv(self) -> str:
        """Header and rows, for spreadsheets and programs."""
        buffer = io.StringIO()
        writer = csv.writer(buffer, lineterminator="\n")
        writer.writerow(self.header)
        writer.writerows(self.rows)
        return buffer.getvalue()

    def to_markdown(self) -> str:
        """Title, table and note, with columns lined up so that it reads as plain text, too."""
        cells = [[cell.translate(_SAVING) for cell in row] for row in (self.header, *self.rows)]
        widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
        cells.insert(1, ["-" * max(width, 3) for width in widths])
        lines = [f"### {self.title}", ""]
        for row in cells:
            padded = (cell.ljust(width) for cell, width in zip(row, widths, strict=True))
            lines.append(f"| {' | '.join(padded)} |")
        if self.note:
            lines += ["", self.note]
        return "\n".join(lines) + "\n"

    def to_html(self) -> str:
        """A table element with a caption."""
        head = "".join(f"<th>{html.escape(cell)}</th>" for cell in self.header)
        body = "".join(
            "<tr>" + "".join(f"<td>{html.escape(cell)}</td>" for cell in row) + "</tr>\n"
            for row in self.rows
        )
        note = f"<p class='note'>{html.escape(self.note)}</p>" if self.note else ""
        return (
            f"<table><caption>{html.escape(self.title)}</caption>\n"
            f"<thead><tr>{head}</tr></thead>\n<tbody>{body}</tbody></table>{note}\n"
        )
