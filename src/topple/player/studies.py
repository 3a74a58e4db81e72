"""Studies: making one, taking part, and what came out."""

from __future__ import annotations

from fastapi import HTTPException
from sqlalchemy import select
from sqlalchemy.orm import Session

from topple.iphyre.play_log import Play, best
from topple.iphyre.score import Score, average
from topple.iphyre.split import split_named
from topple.phyre.attempt import AttemptLog
from topple.phyre.auccess import auccess
from topple.phyre.engine.result import Outcome
from topple.phyre.fold import Setup, load_fold
from topple.phyre.numbering import stable_shuffle
from topple.phyre.task import TaskId, template_task_ids, tier_task_ids
from topple.phyre.templates import MODULES
from topple.phyre.tier import Tier
from topple.player import tables
from topple.player.attempts import LIMITS
from topple.player.games import find_game, plan_of, row_clicks
from topple.player.ids import new_short_id
from topple.player.models.base import Benchmark
from topple.player.models.studies import (
    ParticipantScore,
    StudyDetail,
    StudyIn,
    StudyOut,
)
from topple.player.people import Person, new_person, participant_named, study_session
from topple.player.store import Store
from topple.player.tasks import find_task

MAX_ITEMS = 500


def _pool(benchmark: Benchmark, word: str) -> list[str]:
    """The puzzles a word stands for."""
    if benchmark is Benchmark.IPHYRE:
        return [game.name for game in split_named(word).games]
    if word in MODULES:
        return [str(task) for task in template_task_ids(word)]
    if word.lower() in (tier.value for tier in Tier):
        return [str(task) for task in tier_task_ids(Tier.parse(word))]
    setup, slash, fold = word.partition("/")
    if slash and fold.isdecimal():
        return [str(task) for task in load_fold(Setup.parse(setup), int(fold)).test]
    raise ValueError(
        f"{word!r} names no tasks; use 'ball', 'two_balls', a template such as '00001', or a "
        "setup and fold such as 'ball_within/0' for its test tasks"
    )


def chosen_subjects(store: Store, study: StudyIn) -> list[str]:
    """The puzzles of a study, in order.

    Raises:
        HTTPException: one is unknown or named twice, or there are none or too many.
    """
    try:
        names = study.subjects + [
            name for word in study.pools for name in _pool(study.benchmark, word)
        ]
    except ValueError as error:
        raise HTTPException(422, str(error)) from None
    unique = list(dict.fromkeys(names))
    if study.shuffle:
        unique = stable_shuffle(unique, f"study {study.seed}")
    chosen = unique[: study.count]
    if not 1 <= len(chosen) <= MAX_ITEMS:
        raise HTTPException(422, f"a study has 1 to {MAX_ITEMS} puzzles, this one {len(chosen)}")
    for name in study.subjects:
        if study.benchmark is Benchmark.PHYRE:
            find_task(store, name)
        else:
            find_game(store, name)
    return chosen


def create_study(store: Store, study: StudyIn) -> str:
    """Keep a new study; gives its id."""
    subjects = chosen_subjects(store, study)
    row = tables.Study(
        id=new_short_id(),
        name=study.name,
        benchmark=study.benchmark.value,
        subjects=subjects,
        seed=study.seed,
        attempt_limit=study.attempt_limit or LIMITS[study.benchmark],
        consent=study.consent,
    )
    with store.transaction() as session:
        session.add(row)
    return row.id


def all_studies(store: Store) -> list[str]:
    """The ids of all studies, the newest first."""
    with store.reading() as session:
        return list(session.scalars(select(tables.Study.id).order_by(tables.Study.created.desc())))


def invite_participant(store: Store, study_id: str, name: str) -> tuple[str, str]:
    """The anonymous id and personal link of a participant by name, new or known."""
    with store.reading() as session:
        find_study(session, study_id)
    person = participant_named(store, study_id, name) or new_person(store, study_id, name)
    return person.anonymous_id, study_link(study_id, person.key)


def find_study(session: Session, study_id: str) -> tables.Study:
    """A study by its id."""
    row = session.get(tables.Study, study_id)
    if row is None:
        raise HTTPException(404, f"there is no study {study_id!r} here")
    return row


def study_link(study_id: str, key: str | None = None) -> str:
    """The page of a study, for everybody or for one participant."""
    return f"/#/study/{study_id}" + (f"?key={key}" if key else "")


def study_out(row: tables.Study) -> StudyOut:
    """A study as everybody may see it."""
    return StudyOut(
        id=row.id,
        name=row.name,
        benchmark=Benchmark(row.benchmark),
        consent=row.consent,
        items=len(row.subjects),
        attempt_limit=row.attempt_limit,
        link=study_link(row.id),
    )


def participants(session: Session, study_id: str) -> list[tables.Player]:
    """Who took part, in order of coming."""
    table = tables.Player
    query = select(table).where(table.study_id == study_id).order_by(table.id)
    return list(session.scalars(query))


def study_attempts(session: Session, player_id: int) -> list[tables.Attempt]:
    """A participant's finished attempts, in the order they were made."""
    table = tables.Attempt
    query = select(table).where(table.player_id == player_id, table.finished)
    return list(session.scalars(query.order_by(table.id)))


def attempt_log(study: tables.Study, rows: list[tables.Attempt]) -> AttemptLog:
    """A participant's attempts at published tasks, in the log agents write too."""
    tasks = [TaskId.parse(name) for name in study.subjects]
    log = AttemptLog(tasks, study.attempt_limit)
    for row in rows:
        outcome = Outcome.SOLVED if row.solved else Outcome.NOT_SOLVED
        log.append(TaskId.parse(row.subject), row.action, outcome)
    return log


def plays(rows: list[tables.Attempt]) -> list[Play]:
    """A participant's attempts at games, as agents' are kept."""
    return [
        Play(
            row.subject,
            plan_of(row_clicks(row)),
            Score(row.reward or 0.0, row.solved, row.ticks, len(row.action)),
        )
        for row in rows
    ]


def score(study: tables.Study, rows: list[tables.Attempt]) -> float | None:
    """AUCCESS over the whole study, or the mean of the best rewards of games played."""
    if not rows:
        return None
    if Benchmark(study.benchmark) is Benchmark.IPHYRE:
        return average(best(plays(rows))).reward
    first: dict[str, int] = {}
    for row in rows:
        if row.solved:
            first.setdefault(row.subject, row.number)
    return auccess([first.get(name, 0) for name in study.subjects])


def study_detail(store: Store, study_id: str) -> StudyDetail:
    """A study as its owner sees it."""
    with store.reading() as session:
        study = find_study(session, study_id)
        people = []
        for row in participants(session, study_id):
            person = Person(row.id, row.key, row.anonymous_id, row.study_id, row.name)
            made = study_attempts(session, row.id)
            place = study_session(session, person)
            people.append(
                ParticipantScore(
                    anonymous_id=row.anonymous_id,
                    name=row.name,
                    link=study_link(study_id, row.key),
                    attempts=len(made),
                    done=sum(item.done for item in place.items) if place else 0,
                    score=score(study, made),
                )
            )
        return StudyDetail(
            **study_out(study).model_dump(),
            subjects=study.subjects,
            seed=study.seed,
            created=study.created,
            participants=people,
        )
