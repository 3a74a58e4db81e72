"""What came out of a study, to take home: every attempt, by anonymous id."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from typing import Any

from topple.player.models.base import Benchmark
from topple.player.models.studies import ExportedAttempt, ExportedParticipant, StudyExport
from topple.player.store import Store
from topple.player.studies import (
    find_study,
    participants,
    study_attempts,
    study_detail,
    study_out,
)


def export_rows(store: Store, study_id: str) -> Iterator[ExportedAttempt]:
    """Every attempt of a study, participant by participant."""
    with store.reading() as session:
        study = find_study(session, study_id)
        place = {name: number for number, name in enumerate(study.subjects, start=1)}
        for player in participants(session, study_id):
            for row in study_attempts(session, player.id):
                benchmark = Benchmark(row.benchmark)
                yield ExportedAttempt(
                    participant=player.anonymous_id,
                    item=place[row.subject],
                    benchmark=benchmark,
                    subject=row.subject,
                    attempt=row.number,
                    counted=row.counted,
                    solved=row.solved,
                    ticks=row.ticks,
                    reward=row.reward,
                    removed=len(row.action) if benchmark is Benchmark.IPHYRE else None,
                    action=row.action,
                    abandoned=row.abandoned,
                    time=row.created,
                )


def export_study(store: Store, study_id: str) -> StudyExport:
    """A study and all that came out of it, without names."""
    detail = study_detail(store, study_id)
    shared = set(ExportedParticipant.model_fields)
    with store.reading() as session:
        study = study_out(find_study(session, study_id))
    return StudyExport(
        study=study,
        subjects=detail.subjects,
        seed=detail.seed,
        participants=[
            ExportedParticipant(**person.model_dump(include=shared))
            for person in detail.participants
        ],
        attempts=list(export_rows(store, study_id)),
    )


def export_csv(store: Store, study_id: str) -> Iterator[str]:
    """The attempts as CSV, line by line; an action's numbers are parted by spaces."""
    buffer = io.StringIO()
    writer = csv.DictWriter(buffer, list(ExportedAttempt.model_fields))
    writer.writeheader()
    for attempt in export_rows(store, study_id):
        action = " ".join(_cell(number) for number in attempt.action)
        writer.writerow({**attempt.model_dump(mode="json"), "action": action})
        yield buffer.getvalue()
        buffer.seek(0)
        buffer.truncate()
    yield buffer.getvalue()


def _cell(number: Any) -> str:
    """A number, or a removal as tick:body."""
    return f"{number[0]}:{number[1]}" if isinstance(number, list) else repr(number)
