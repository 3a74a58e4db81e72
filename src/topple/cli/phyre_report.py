"""`topple report`: run records of both benchmarks as an HTML page, CSV and JSON."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from topple.cli.messages import show_json, user_errors
from topple.cli.options import Json, RunsArgument, out_folder
from topple.llm.transcripts import SHOWN, find_transcripts
from topple.phyre.clips import sample_clips
from topple.reports.html import write_report
from topple.runs.game_store import find_game_records
from topple.runs.record_files import RecordError
from topple.runs.store import find_records

app = typer.Typer(add_completion=False)


@app.command()
def report(
    runs: RunsArgument,
    out: Annotated[Path, out_folder("the report")] = Path("report"),
    title: Annotated[str, typer.Option(help="Title of the page.")] = "Results",
    clips: Annotated[int, typer.Option(min=0, help="Number of solved attempts to show.")] = 8,
    transcripts: Annotated[
        int,
        typer.Option(
            min=0, help="Number of tasks or games of each run whose conversations are shown."
        ),
    ] = SHOWN,
    as_json: Json = False,
) -> None:
    """Write tables, curves and sample attempts of run records as an HTML page, CSV and JSON.

    Examples:
      topple report runs --out report
    """
    with user_errors():
        records, games = list(find_records(*runs)), list(find_game_records(*runs))
        if not records and not games:
            raise RecordError(f"no run records in {', '.join(map(str, runs))}")
        films, said = sample_clips(records, clips), find_transcripts(*runs, shown=transcripts)
        page = write_report(records, out, title, films, games, said)
    if as_json:
        show_json({"report": str(page), "runs": len(records) + len(games)})
    else:
        typer.echo(f"open {page.resolve()} in a browser")
