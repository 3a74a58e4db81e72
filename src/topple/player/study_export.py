"""The results of a study by anonymous ids: tables as CSV, all of them as JSON or in a ZIP file."""

from __future__ import annotations

import csv
import io
import json
import zipfile
from collections.abc import Iterator, Sequence
from enum import Enum
from typing import Any, get_args

from sqlalchemy import select
from sqlalchemy.orm import Session

from topple.player import studies
from topple.player.models.base import Benchmark
from topple.player.models.studies import (
    ExportedAnswer,
    ExportedAttempt,
    ExportedEvent,
    ExportedParticipant,
    ExportedPuzzle,
    Outcome,
    StudyExport,
    StudyIn,
)
from topple.player.store import Store
from topple.player.study_session import ANSWER, Item, seconds_between
from topple.player.tables import Attempt, Event

_EPOCH = (1980, 1, 1, 0, 0, 0)  # of files in a ZIP file, so that equal tables give equal bytes
_UNSOLVED = (Outcome.GIVEN_UP, Outcome.OUT_OF_TIME, Outcome.UNFINISHED, Outcome.NOT_REACHED)


class ExportTable(str, Enum):
    """The tables of an export."""

    PARTICIPANTS = "participants"
    PUZZLES = "puzzles"
    ATTEMPTS = "attempts"
    ANSWERS = "answers"
    EVENTS = "events"


def export_study(store: Store, study_id: str, participant: str | None = None) -> StudyExport:
    """A study with all its tables, without names; of one participant, if one is named.

    Raises:
        NotFoundError: there is no such study or participant.
    """
    with store.reading() as session:
        study = studies.find_study(session, study_id)
        people = studies.participants(session, study_id)
        if participant is not None:
            people = [studies.find_participant(session, study_id, participant)]
        found = [studies.results(session, player) for player in people]
        return StudyExport(
            study=studies.study_out(study),
            design=StudyIn.model_validate(study.design),
            participants=list(map(_participant, found)),
            puzzles=[row for each in found for row in _puzzles(each)],
            attempts=[row for each in found for row in _attempts(each)],
            answers=[row for each in found for row in _answers(each)],
            events=[row for each in found for row in _events(session, each)],
        )


def _participant(found: studies.Results) -> ExportedParticipant:
    player, score = found.at.player, studies.participant_score(found)
    verdicts = [row.correct for row in _answers(found) if row.correct is not None]
    return ExportedParticipant(
        participant=player.anonymous_id,
        joined=player.created,
        consented=player.consented,
        ended=player.ended,
        checks_passed=sum(verdicts),
        checks_failed=len(verdicts) - sum(verdicts),
        **score.model_dump(exclude={"anonymous_id", "name", "link"}),
    )


def _shared(found: studies.Results, position: int, item: Item) -> dict[str, Any]:
    """The columns that the tables of puzzles and of attempts have in common."""
    before = found.before.get(item.subject, studies.FreePlay())
    return {
        "participant": found.at.player.anonymous_id,
        "group": found.at.player.group,
        "position": position,
        "phase": item.phase,
        "block": item.block,
        "puzzle": item.subject,
        "counted": found.is_counted(item),
        "free_attempts_before": before.attempts,
        "solution_seen_before": before.solution_seen,
    }


def _puzzles(found: studies.Results) -> Iterator[ExportedPuzzle]:
    for position, item in enumerate(found.at.items, start=1):
        ended = _end(item, [row for row in found.rows if row.subject == item.subject])
        yield ExportedPuzzle.from_object(
            item,
            **_shared(found, position, item),
            attempts=item.tally.made,
            solved_at=item.tally.solved_at,
            best_reward=item.tally.best_reward,
            ended=ended,
            seconds=round(seconds_between(item.shown, ended), 3) if item.shown and ended else None,
        )


def _end(item: Item, rows: Sequence[Attempt]) -> str | None:
    """When a puzzle ended; an attempt ends it when the server has stored it."""
    if item.outcome is Outcome.SOLVED:
        return next((row.created for row in rows if row.solved), None)
    if item.outcome is Outcome.OUT_OF_ATTEMPTS:
        return rows[-1].created if rows else None
    return item.ended


def _attempts(found: studies.Results) -> Iterator[ExportedAttempt]:
    benchmark = Benchmark(found.at.study.benchmark)
    for position, item in enumerate(found.at.items, start=1):
        shared = {**_shared(found, position, item), "benchmark": benchmark}
        for row in found.rows:
            if row.subject == item.subject:
                yield ExportedAttempt.from_object(
                    row,
                    **shared,
                    attempt=row.number,
                    outcome=Outcome.SOLVED if row.solved else Outcome.NOT_SOLVED,
                    removed=len(row.action) if benchmark is Benchmark.IPHYRE else None,
                    time=row.created,
                )
        if item.outcome in _UNSOLVED:
            yield ExportedAttempt(
                **shared,
                attempt=None,
                outcome=item.outcome,
                ticks=None,
                reward=None,
                removed=None,
                action=[],
                abandoned=None,
                time=item.ended,
            )


def _answers(found: studies.Results) -> Iterator[ExportedAnswer]:
    design = found.at.design
    right = {check.id: check.answer for check in design.checks}
    first = {question.id for question in design.before}
    for event in found.at.events.get(ANSWER, ()):
        name, given = event.value["question"], event.value["answer"]
        yield ExportedAnswer(
            participant=found.at.player.anonymous_id,
            phase="check" if name in right else "before" if name in first else "after",
            question=name,
            answer=given,
            correct=given == right[name] if name in right else None,
            time=event.created,
        )


def _events(session: Session, found: studies.Results) -> Iterator[ExportedEvent]:
    query = select(Event).where(Event.player_id == found.at.player.id).order_by(Event.id)
    for event in session.scalars(query):
        yield ExportedEvent.from_object(
            event,
            participant=found.at.player.anonymous_id,
            source="server" if event.page is None else "page",
            event=event.kind,
            puzzle=event.subject,
            server_time=event.created,
        )


def export_csv(export: StudyExport, table: ExportTable) -> str:
    """One table as CSV; lists are numbers separated by spaces."""
    buffer = io.StringIO()
    [row_model] = get_args(StudyExport.model_fields[table.value].annotation)
    writer = csv.DictWriter(buffer, list(row_model.model_fields))
    writer.writeheader()
    for row in getattr(export, table.value):
        values = row.model_dump(mode="json")
        writer.writerow({name: _cell(value) for name, value in values.items()})
    return buffer.getvalue()


def _cell(value: Any) -> Any:
    """Write a list as words, a removal as tick:body, and leave the rest to the writer."""
    if isinstance(value, list):
        return " ".join(f"{v[0]}:{v[1]}" if isinstance(v, list) else repr(v) for v in value)
    if isinstance(value, str) and value[:1] in ("=", "+", "-", "@", "\t", "\r"):
        return f"'{value}"  # a spreadsheet would take the text for a formula
    return json.dumps(value) if isinstance(value, dict) else value


def export_zip(export: StudyExport) -> bytes:
    """All tables as CSV files, and the design of the study as JSON, in a ZIP file."""
    files = {f"{table.value}.csv": export_csv(export, table) for table in ExportTable}
    files["design.json"] = export.design.model_dump_json(indent=1) + "\n"
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(zipfile.ZipInfo(name, _EPOCH), content, zipfile.ZIP_DEFLATED)
    return buffer.getvalue()
