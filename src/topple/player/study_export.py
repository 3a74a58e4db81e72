"""The results of a study: every attempt, by anonymous id, as JSON or CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator
from typing import Any

from topple.player.models.base import Benchmark
from topple.player.models.studies import (
    ExportedAttempt,
    ExportedParticipant,
    StudyExport,
    StudyOut,
)
from topple.player.store import Store
from topple.player.studies import find_study, participants, study_attempts, study_detail


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
    """A study with its participants and attempts, without names."""
    detail = study_detail(store, study_id)
    shared = set(ExportedParticipant.model_fields)
    return StudyExport(
        study=StudyOut(**detail.model_dump(include=set(StudyOut.model_fields))),
        subjects=detail.subjects,
        seed=detail.seed,
        participants=[
            ExportedParticipant(**person.model_dump(include=shared))
            for person in detail.participants
        ],
        attempts=list(export_rows(store, study_id)),
    )


def export_csv(attempts: Iterable[ExportedAttempt]) -> Iterator[str]:
    """The attempts as CSV, line by line; the numbers of an action are separated by spaces."""
    buffer = io.StringIO()
    writer = csv.DictWriter(buffer, list(ExportedAttempt.model_fields))
    writer.writeheader()
    for attempt in attempts:
        action = " ".join(_cell(number) for number in attempt.action)
        writer.writerow({**attempt.model_dump(mode="json"), "action": action})
        yield buffer.getvalue()
        buffer.seek(0)
        buffer.truncate()
    yield buffer.getvalue()


def _cell(number: Any) -> str:
    """Write a number, or a removal as tick:body."""
    return f"{number[0]}:{number[1]}" if isinstance(number, list) else repr(number)
