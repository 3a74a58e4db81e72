"""A report as one HTML file that opens without a network."""

from __future__ import annotations

import base64
import html
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from topple.iphyre.run_tables import game_runs_table
from topple.llm.transcripts import STYLE, Transcripts
from topple.phyre.breakdown import protocol_table, runs_table, template_table
from topple.phyre.dev_figures import dev_figures
from topple.phyre.figures import success_curves
from topple.phyre.tables import comparison_table, table1, table2
from topple.reports.table import Table
from topple.runs.config import Part
from topple.runs.game_store import GameRunRecord
from topple.runs.store import RunRecord

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
"""


@dataclass(frozen=True)
class Clip:
    """A moving picture of an attempt."""

    caption: str
    gif: bytes


def report_tables(
    records: Sequence[RunRecord],
    games: Sequence[GameRunRecord] = (),
    transcripts: Transcripts | None = None,
) -> dict[str, Table]:
    """The tables of a report, by file name."""
    tested = [record for record in records if record.config.part is Part.TEST]
    tables = {}
    if games:
        tables["games"] = game_runs_table(games)
    if transcripts is not None:
        tables["calls"] = transcripts.accounts()
    if tested:
        tables["table1a"], tables["table1b"] = table1(tested)
        tables["table2"] = table2(tested)
        tables["comparisons"] = comparison_table(tested)
    if records:
        tables["templates"] = template_table(records)
        tables["protocol"] = protocol_table(records)
        tables["runs"] = runs_table(records)
    return tables


def report_page(
    records: Sequence[RunRecord],
    title: str,
    clips: Iterable[Clip] = (),
    games: Sequence[GameRunRecord] = (),
    transcripts: Transcripts | None = None,
) -> str:
    """The page: tables, success curves, attempts to look at, the protocol, conversations."""
    if not records and not games:
        raise ValueError("there are no run records to report on")
    tables = report_tables(records, games, transcripts)
    parts = [f"<h1>{html.escape(title)}</h1>"]
    if any(record.config.part is Part.TEST for record in records):
        parts.append("<h2>Success curves</h2>")
        parts.append(f"<figure>{success_curves(records)}</figure>")
    for name, figure in dev_figures(records).items():
        parts.append(f"<h2>{html.escape(name)}</h2><figure>{figure}</figure>")
    shown = "".join(map(_figure, clips))
    if shown:
        parts.append(f"<h2>Attempts</h2><div class='clips'>{shown}</div>")
    parts.append("<h2>Tables</h2>")
    parts += [
        f"<div class='wide'>{table.to_html()}</div>" for table in tables.values() if table.rows
    ]
    said = "" if transcripts is None else transcripts.section()
    if said:
        parts.append(f"<h2>Transcripts</h2>{said}")
    return (
        "<!doctype html>\n<html lang='en'><head><meta charset='utf-8'>"
        "<meta name='viewport' content='width=device-width'>"
        f"<title>{html.escape(title)}</title><style>{_STYLE}{STYLE}</style></head>\n"
        f"<body>{''.join(parts)}</body></html>\n"
    )


def write_report(
    records: Sequence[RunRecord],
    folder: Path,
    title: str,
    clips: Iterable[Clip] = (),
    games: Sequence[GameRunRecord] = (),
    transcripts: Transcripts | None = None,
) -> Path:
    """Write the page, a CSV file per table and the scores as JSON; return the page's path."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, table in report_tables(records, games, transcripts).items():
        (folder / f"{name}.csv").write_text(table.to_csv(), encoding="utf-8")
    scores = [_scores(record) for record in records]
    (folder / "scores.json").write_text(json.dumps(scores, indent=1) + "\n", encoding="utf-8")
    page = folder / "index.html"
    text = report_page(records, title, clips, games, transcripts)
    page.write_text(text, encoding="utf-8")
    return page


def _figure(clip: Clip) -> str:
    data = base64.b64encode(clip.gif).decode()
    caption = html.escape(clip.caption)
    return (
        f"<figure><img alt='{caption}' src='data:image/gif;base64,{data}'>"
        f"<figcaption>{caption}</figcaption></figure>"
    )


def _scores(record: RunRecord) -> dict[str, Any]:
    return {
        "config": record.config.to_data(),
        "provenance": dict(record.provenance),
        "protocol": dict(record.protocol),
        "auccess": record.auccess,
        "success_curve": record.curve.tolist(),
    }
