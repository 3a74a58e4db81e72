"""Studies: creating them, inviting participants, and scoring them."""

from __future__ import annotations

from typing import Any

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
from topple.player.attempts import LIMITS, plan_of, row_clicks
from topple.player.errors import InvalidError, NotFoundError
from topple.player.ids import new_short_id
from topple.player.models.base import Benchmark
from topple.player.models.studies import (
    ParticipantIn,
    ParticipantScore,
    StudyDetail,
    StudyIn,
    StudyOut,
)
from topple.player.players import new_player, participant_named, study_session
from topple.player.puzzles import FIND
from topple.player.store import Store
from topple.player.tables import Attempt, Player, Study

MAX_ITEMS = 500


def _pool(benchmark: Benchmark, word: str) -> list[str]:
    """The puzzles that a word stands for."""
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
        InvalidError: there are none or too many, or words that name no puzzles.
        NotFoundError: a puzzle is unknown.
    """
    try:
        names = study.subjects + [
            name for word in study.pools for name in _pool(study.benchmark, word)
        ]
    except ValueError as error:
        raise InvalidError(str(error)) from None
    unique = list(dict.fromkeys(names))
    if study.shuffle:
        unique = stable_shuffle(unique, f"study {study.seed}")
    chosen = unique[: study.count]
    if not 1 <= len(chosen) <= MAX_ITEMS:
        raise InvalidError(f"a study has 1 to {MAX_ITEMS} puzzles; this one has {len(chosen)}")
    for name in study.subjects:
        FIND[study.benchmark](store, name)
    return chosen


def create_study(store: Store, study: StudyIn) -> str:
    """Store a new study and return its id."""
    subjects = chosen_subjects(store, study)
    row = Study(
        id=new_short_id(),
        name=study.name,
        benchmark=study.benchmark.value,
        subjects=subjects,
        seed=study.seed,
        attempt_limit=study.attempt_limit or LIMITS[study.benchmark],
        consent=study.consent,
        resume_by_name=study.resume_by_name,
    )
    with store.transaction() as session:
        session.add(row)
    return row.id


def all_studies(store: Store) -> list[str]:
    """The ids of all studies, the newest first."""
    with store.reading() as session:
        return list(session.scalars(select(Study.id).order_by(Study.created.desc())))


def invite_participant(store: Store, study_id: str, name: str) -> tuple[str, str]:
    """The anonymous id and personal link of a participant, who is added if the name is new."""
    with store.reading() as session:
        find_study(session, study_id)
    name = ParticipantIn(consent=True, name=name).name or ""
    player = participant_named(store, study_id, name) or new_player(store, study_id, name)
    return player.anonymous_id, study_link(study_id, player.key)


def find_study(session: Session, study_id: str) -> Study:
    """A study by its id."""
    row = session.get(Study, study_id)
    if row is None:
        raise NotFoundError(f"there is no study {study_id!r} here")
    return row


def study_link(study_id: str, key: str | None = None) -> str:
    """The page of a study, for everybody or for one participant."""
    return f"/#/study/{study_id}" + (f"?key={key}" if key else "")


def study_card(row: Study) -> dict[str, Any]:
    """The fields of a study in a list."""
    return {
        "id": row.id,
        "name": row.name,
        "benchmark": row.benchmark,
        "items": len(row.subjects),
        "attempt_limit": row.attempt_limit,
        "resume_by_name": row.resume_by_name,
        "link": study_link(row.id),
    }


def study_out(row: Study) -> StudyOut:
    """A study as everybody may see it."""
    return StudyOut(**study_card(row), consent=row.consent)


def participants(session: Session, study_id: str) -> list[Player]:
    """The participants of a study, in the order in which they joined."""
    query = select(Player).where(Player.study_id == study_id).order_by(Player.id)
    return list(session.scalars(query))


def study_attempts(session: Session, player_id: int) -> list[Attempt]:
    """A participant's finished attempts, in the order they were made."""
    query = select(Attempt).where(Attempt.player_id == player_id, Attempt.finished)
    return list(session.scalars(query.order_by(Attempt.id)))


def attempt_log(study: Study, rows: list[Attempt]) -> AttemptLog:
    """A participant's attempts at published tasks, in the same log as those of agents."""
    tasks = [TaskId.parse(name) for name in study.subjects]
    log = AttemptLog(tasks, study.attempt_limit)
    for row in rows:
        outcome = Outcome.SOLVED if row.solved else Outcome.NOT_SOLVED
        log.append(TaskId.parse(row.subject), row.action, outcome)
    return log


def plays(rows: list[Attempt]) -> list[Play]:
    """A participant's attempts at games, in the same form as those of agents."""
    return [
        Play(
            row.subject,
            plan_of(row_clicks(row)),
            Score(row.reward or 0.0, row.solved, row.ticks, len(row.action)),
        )
        for row in rows
    ]


def score(study: Study, rows: list[Attempt]) -> float | None:
    """AUCCESS over the whole study, or the mean of the best rewards on the games played."""
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
            made = study_attempts(session, row.id)
            place = study_session(session, row)
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
