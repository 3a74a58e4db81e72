"""Attempts of people: what is allowed, what counts, and keeping them."""

from __future__ import annotations

from typing import Any

from fastapi import HTTPException
from sqlalchemy import select
from sqlalchemy.orm import Session

from topple.iphyre.play_log import PAPER_PLAYS
from topple.phyre.auccess import MAX_ATTEMPTS as TASK_ATTEMPTS
from topple.player import tables
from topple.player.models.base import Benchmark, Progress
from topple.player.people import SHOWN, Person, Tally, marks, study_session, tallies

#: Attempts that count, as in the papers.
LIMITS = {Benchmark.PHYRE: TASK_ATTEMPTS, Benchmark.IPHYRE: PAPER_PLAYS}


def progress(
    session: Session, person: Person | None, benchmark: Benchmark, subject: str
) -> Progress:
    """How far somebody is with a puzzle."""
    tally, shown, limit = Tally(), False, LIMITS[benchmark]
    if person is not None:
        tally = tallies(session, person.id, benchmark, subject).get(subject, tally)
        shown = subject in marks(session, person.id, SHOWN)
        if person.study_id is not None:
            study = session.get(tables.Study, person.study_id)
            limit = study.attempt_limit if study is not None else limit
    return Progress(
        attempts=tally.attempts,
        limit=limit,
        solved=tally.solved,
        solved_at=tally.solved_at,
        shown=shown,
    )


def check_allowed(session: Session, person: Person, benchmark: Benchmark, subject: str) -> None:
    """Refuse what a study does not allow: another puzzle than the current one."""
    study = study_session(session, person)
    if study is None:
        return
    if subject not in [item.subject for item in study.items] or study.benchmark is not benchmark:
        raise HTTPException(403, f"{subject!r} is not part of your study")
    item = next(item for item in study.items if item.subject == subject)
    if item.done:
        raise HTTPException(409, f"{subject!r} is finished: solved, skipped or out of attempts")
    if study.current is None or study.items[study.current].subject != subject:
        raise HTTPException(403, f"{subject!r} is not the puzzle to play now")


def add_attempt(
    session: Session,
    person: Person,
    benchmark: Benchmark,
    subject: str,
    action: list[Any],
    **columns: Any,
) -> tables.Attempt:
    """Keep a new attempt: numbered, and counted if it is within the limit and unaided."""
    # One attempt of a player at a time, so that numbers and limits hold. (SQLite needs no such
    # lock, as it has one writer anyway.)
    player = tables.Player
    session.execute(select(player.id).where(player.id == person.id).with_for_update())
    check_allowed(session, person, benchmark, subject)
    known = tallies(session, person.id, benchmark, subject).get(subject, Tally())
    before = progress(session, person, benchmark, subject)
    row = tables.Attempt(
        player_id=person.id,
        benchmark=benchmark.value,
        subject=subject,
        number=known.made + 1,
        counted=not before.shown and before.attempts < before.limit,
        action=action,
        **columns,
    )
    session.add(row)
    session.flush()
    return row


def own_attempts(session: Session, person: Person, subject: str) -> list[tables.Attempt]:
    """A player's finished attempts at a puzzle, in order."""
    table = tables.Attempt
    query = select(table).where(
        table.player_id == person.id, table.subject == subject, table.finished
    )
    return list(session.scalars(query.order_by(table.number)))
