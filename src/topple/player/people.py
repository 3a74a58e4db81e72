"""People: making them known, and their place in a study."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from sqlalchemy import select
from sqlalchemy.orm import Session

from topple.player import tables
from topple.player.ids import new_anonymous_id, new_player_key
from topple.player.models.base import Benchmark
from topple.player.models.people import Me, StudyItem
from topple.player.models.people import Session as StudySession
from topple.player.store import Store

SHOWN, SKIPPED = "shown", "skipped"  # kinds of marks


@dataclass(frozen=True)
class Person:
    """Who is asking."""

    id: int
    key: str
    anonymous_id: str
    study_id: str | None
    name: str | None


def _person(row: tables.Player) -> Person:
    return Person(row.id, row.key, row.anonymous_id, row.study_id, row.name)


def find_person(store: Store, key: str) -> Person | None:
    """The player with a key."""
    with store.reading() as session:
        row = session.scalar(select(tables.Player).where(tables.Player.key == key))
        return None if row is None else _person(row)


def new_person(store: Store, study_id: str | None = None, name: str | None = None) -> Person:
    """Somebody new; a name is known within its study."""

    def add(session: Session) -> Person:
        row = tables.Player(
            key=new_player_key(), anonymous_id=new_anonymous_id(), study_id=study_id, name=name
        )
        session.add(row)
        session.flush()
        return _person(row)

    return store.change(add)


def participant_named(store: Store, study_id: str, name: str) -> Person | None:
    """The participant who used a name before."""
    with store.reading() as session:
        row = session.scalar(
            select(tables.Player).where(
                tables.Player.study_id == study_id, tables.Player.name == name
            )
        )
        return None if row is None else _person(row)


def marks(session: Session, person_id: int, kind: str) -> set[str]:
    """Puzzles with a mark of this kind."""
    table = tables.Mark
    found = session.scalars(
        select(table.subject).where(table.player_id == person_id, table.kind == kind)
    )
    return set(found)


def mark(session: Session, person: Person, subject: str, kind: str) -> None:
    """Note a fact about a player and a puzzle."""
    session.merge(tables.Mark(player_id=person.id, subject=subject, kind=kind))


@dataclass(frozen=True)
class Tally:
    """A player's attempts at one puzzle."""

    attempts: int = 0  # counted
    made: int = 0  # practice included
    solved_at: int | None = None  # among the counted
    best_reward: float | None = None

    @property
    def solved(self) -> bool:
        """Whether a counted attempt solved it."""
        return self.solved_at is not None


def tallies(
    session: Session, person_id: int, benchmark: Benchmark, subject: str | None = None
) -> dict[str, Tally]:
    """A player's attempts by puzzle, or at one puzzle."""
    table = tables.Attempt
    query = select(table.subject, table.counted, table.solved, table.reward).where(
        table.player_id == person_id, table.benchmark == benchmark.value
    )
    if subject is not None:
        query = query.where(table.subject == subject)
    found: dict[str, Tally] = {}
    for name, counted, solved, reward in session.execute(
        query.order_by(table.subject, table.number)
    ):
        old = found.get(name, Tally())
        attempts = old.attempts + counted
        solved_at = attempts if counted and solved and old.solved_at is None else old.solved_at
        rewards = [r for r in (old.best_reward, reward if counted else None) if r is not None]
        found[name] = Tally(attempts, old.made + 1, solved_at, max(rewards, default=None))
    return found


def study_items(
    subjects: list[str], limit: int, done: Mapping[str, Tally], skipped: set[str]
) -> list[StudyItem]:
    """The items of a study with a participant's progress."""
    items = []
    for subject in subjects:
        tally = done.get(subject, Tally())
        finished = tally.solved or tally.made >= limit or subject in skipped
        items.append(
            StudyItem(subject=subject, attempts=tally.made, solved=tally.solved, done=finished)
        )
    return items


def study_session(session: Session, person: Person) -> StudySession | None:
    """Where a participant is in their study; None for everybody else."""
    study = None if person.study_id is None else session.get(tables.Study, person.study_id)
    if study is None:
        return None
    benchmark = Benchmark(study.benchmark)
    done = tallies(session, person.id, benchmark)
    items = study_items(
        study.subjects, study.attempt_limit, done, marks(session, person.id, SKIPPED)
    )
    current = next((place for place, item in enumerate(items) if not item.done), None)
    return StudySession(
        study=study.id,
        name=study.name,
        benchmark=benchmark,
        attempt_limit=study.attempt_limit,
        items=items,
        current=current,
    )


def me(store: Store, person: Person) -> Me:
    """A person as they see themselves."""
    with store.reading() as session:
        return Me(anonymous_id=person.anonymous_id, study=study_session(session, person))
