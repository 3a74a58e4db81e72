"""`topple report`: run records of both benchmarks as an HTML page, CSV and JSON."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from topple.cli.errors import needs_extra
from topple.cli.options import RunsArgument, out_folder
from topple.cli.output import Output
from topple.iphyre.report import report_section as iphyre_section
from topple.llm.transcripts import SHOWN, find_transcripts
from topple.phyre.report import report_section as phyre_section
from topple.reports.html import write_report
from topple.runs.record import RecordError, RunRecord, find_records


def report(
    runs: RunsArgument,
    out: Annotated[Path, out_folder("the report")] = Path("report"),
    title: str = "Results",
    clips: Annotated[int, typer.Option(min=0)] = 8,
    transcripts: Annotated[int, typer.Option(min=0)] = SHOWN,
) -> Output:
    """Write tables, curves and sample attempts of run records as an HTML page, CSV and JSON.

    Logs of Inspect (.eval) that hold topple tasks are read like run records.

    Options:
        title: Title of the page.
        clips: Number of solved attempts to show.
        transcripts: Number of tasks or games of each run whose conversations are shown.

    Examples:
      topple report runs --out report
      topple report runs logs --out report
    """
    places, logs = _split_logs(runs)
    records = [*find_records(*places), *_log_records(logs)]
    if not records:
        raise RecordError(f"no run records in {', '.join(map(str, runs))}")
    tasks = [record for record in records if record.config.benchmark == "phyre"]
    games = [record for record in records if record.config.benchmark == "iphyre"]
    said = find_transcripts(*places, shown=transcripts)
    sections = [phyre_section(tasks, clips), iphyre_section(games)]
    page = write_report(out, title, [*sections, said.section()])
    data = {"report": str(page), "runs": len(records)}
    return Output(data, f"open {page.resolve()} in a browser")


def _split_logs(places: list[Path]) -> tuple[list[Path], list[Path]]:
    """Tell logs of Inspect from run records and folders of them; a folder may hold both."""
    logs = [place for place in places if place.suffix == ".eval"]
    others = [place for place in places if place not in logs]
    for folder in others:
        logs += sorted(folder.glob("*.eval"))
    return others, logs


def _log_records(logs: list[Path]) -> list[RunRecord[Any, Any]]:
    if not logs:
        return []
    with needs_extra("a log of Inspect", "inspect"):
        from topple.llm.inspect_tasks import log_record
    return [log_record(log) for log in logs]
