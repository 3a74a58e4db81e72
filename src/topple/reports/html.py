"""A report as one HTML file that opens without a network, made of a section per benchmark."""

from __future__ import annotations

import base64
import html
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from topple.reports.table import Table
from topple.runs.record import RunRecord

_STYLE = """
:root { color-scheme: light dark; }
body { font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 75rem; padding: 0 1rem; }
h1 { font-size: 1.6rem; } h2 { font-size: 1.2rem; margin-top: 2.5rem; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; font-size: 0.85rem; font-variant-numeric: tabular-nums; }
caption { text-align: left; font-weight: 600; padding: 0.5rem 0; }
th, td { padding: 0.2rem 0.6rem; text-align: left; border-bottom: 1px solid #8884;
  white-space: nowrap; }
.note { font-size: 0.85rem; opacity: 0.8; max-width: 60rem; }
figure { margin: 1rem 0; } figure > svg { background: #fff; max-width: 100%; height: auto; }
.clips { display: flex; flex-wrap: wrap; gap: 1rem; }
.clips figure { margin: 0; width: 256px; } .clips img { width: 256px; border: 1px solid #8886; }
figcaption { font-size: 0.8rem; }
dl { max-width: 60rem; } dt { font-weight: 600; margin-top: 0.5rem; } dd { margin: 0 0 0 1rem; }
"""


#: The kinds of agents, for readers of any report.
KINDS = {
    "learned, imagining, oracle": "The kind of an agent says what it may simulate of the tasks or "
    "games it is scored on, beyond its counted attempts. A learned agent: nothing. An imagining "
    "one: what it perceives, with its own engine, which may both be wrong. An oracle: what will "
    "really happen. Only agents of one kind compete.",
}


@dataclass(frozen=True)
class Clip:
    """A moving picture of an attempt."""

    caption: str
    gif: bytes


@dataclass(frozen=True)
class Section:
    """A part of a report.

    Attributes:
        figures: SVG text by heading.
        clips: attempts to look at.
        tables: tables by file name.
        scores: what goes into ``scores.json``.
        heading: the heading of ``body``.
        body: further HTML.
        style: the CSS that this HTML needs.
        terms: words that a reader has to know, each with a sentence.
    """

    figures: Mapping[str, str] = field(default_factory=dict)
    clips: Iterable[Clip] = ()
    tables: Mapping[str, Table] = field(default_factory=dict)
    scores: Sequence[Mapping[str, Any]] = ()
    heading: str = ""
    body: str = ""
    style: str = ""
    terms: Mapping[str, str] = field(default_factory=dict)


def scores_of(record: RunRecord[Any, Any]) -> dict[str, Any]:
    """What ``scores.json`` has of a record."""
    return {
        "config": record.config.to_data(),
        "kind": record.kind.value,
        "provenance": dict(record.provenance),
        "protocol": dict(record.protocol),
        **record.results.metrics(),
    }


def report_page(title: str, sections: Sequence[Section]) -> str:
    """The page: words to know, figures and attempts to look at, tables, and further text."""
    parts = [f"<h1>{html.escape(title)}</h1>"]
    terms = {term: text for section in sections for term, text in section.terms.items()}
    if terms:
        listed = "".join(
            f"<dt>{html.escape(term)}</dt><dd>{html.escape(text)}</dd>"
            for term, text in terms.items()
        )
        parts.append(f"<h2>How to read this</h2><dl>{listed}</dl>")
    for section in sections:
        for name, figure in section.figures.items():
            parts.append(f"<h2>{html.escape(name)}</h2><figure>{figure}</figure>")
        clips = list(section.clips)
        if clips:
            parts.append(f"<h2>Attempts</h2>{clip_gallery(clips)}")
    tables = [table for section in sections for table in section.tables.values() if table.rows]
    if tables:
        parts.append("<h2>Tables</h2>")
    parts += [f"<div class='wide'>{table.to_html()}</div>" for table in tables]
    for section in sections:
        if section.body:
            parts.append(f"<h2>{html.escape(section.heading)}</h2>{section.body}")
    style = _STYLE + "".join(section.style for section in sections)
    return (
        "<!doctype html>\n<html lang='en'><head><meta charset='utf-8'>"
        "<meta name='viewport' content='width=device-width'>"
        f"<title>{html.escape(title)}</title><style>{style}</style></head>\n"
        f"<body>{''.join(parts)}</body></html>\n"
    )


def write_report(folder: Path, title: str, sections: Sequence[Section]) -> Path:
    """Write the page, a CSV file per table and the scores as JSON; return the page's path."""
    folder.mkdir(parents=True, exist_ok=True)
    for section in sections:
        for name, table in section.tables.items():
            (folder / f"{name}.csv").write_text(table.to_csv(), encoding="utf-8")
    scores = [score for section in sections for score in section.scores]
    (folder / "scores.json").write_text(json.dumps(scores, indent=1) + "\n", encoding="utf-8")
    page = folder / "index.html"
    page.write_text(report_page(title, sections), encoding="utf-8")
    return page


def clip_gallery(clips: Iterable[Clip]) -> str:
    """Clips beside each other."""
    return f"<div class='clips'>{''.join(map(_figure, clips))}</div>"


def _figure(clip: Clip) -> str:
    data = base64.b64encode(clip.gif).decode()
    caption = html.escape(clip.caption)
    return (
        f"<figure><img alt='{caption}' src='data:image/gif;base64,{data}'>"
        f"<figcaption>{caption}</figcaption></figure>"
    )
