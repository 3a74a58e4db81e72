"""Upgrading a database that an earlier version of the player made."""

from __future__ import annotations

from sqlalchemy import exists, or_, select
from sqlalchemy.orm import Session

from topple.player.models.base import Benchmark
from topple.player.models.studies import Block, StudyIn
from topple.player.tables import SCHEMA, Attempt, Mark, Meta, Player, Study, Table

_FROM_FIRST = (
    "ALTER TABLE studies ADD COLUMN resume_by_name BOOLEAN DEFAULT false NOT NULL",
    "ALTER TABLE attempts ADD COLUMN server BIGINT",
    "DROP INDEX attempts_by_player",
)
_FROM_SECOND = (
    "ALTER TABLE studies ADD COLUMN design JSON DEFAULT '{}' NOT NULL",
    "ALTER TABLE players ADD COLUMN number INTEGER",
    "ALTER TABLE players ADD COLUMN group_name VARCHAR(80) DEFAULT '' NOT NULL",
    "ALTER TABLE players ADD COLUMN schedule JSON",
    "ALTER TABLE players ADD COLUMN free_id INTEGER",
    "ALTER TABLE players ADD COLUMN consented VARCHAR(32)",
    "ALTER TABLE players ADD COLUMN ended VARCHAR(32)",
    "ALTER TABLE players ADD COLUMN withdrawn BOOLEAN DEFAULT false NOT NULL",
)


def upgrade(session: Session, version: Meta) -> None:
    """Bring the tables of an earlier version to this one; others are left alone."""
    if version.value not in ("1", "2"):
        return
    for statement in (*(_FROM_FIRST if version.value == "1" else ()), *_FROM_SECOND):
        session.connection().exec_driver_sql(statement)
    Table.metadata.create_all(session.connection())  # the tables that are new
    for table in (Attempt, Player):
        for index in Table.metadata.tables[table.__tablename__].indexes:
            index.create(session.connection(), checkfirst=True)
    for study in session.scalars(select(Study)):
        _add_design(session, study)
    version.value = str(SCHEMA)


def _add_design(session: Session, study: Study) -> None:
    """Write down the design that all studies had: every puzzle in the order of the list."""
    study.design = StudyIn(
        name=study.name,
        benchmark=Benchmark(study.benchmark),
        blocks=[Block(puzzles=study.subjects, shuffle=False)],
        seed=study.seed,
        attempt_limit=study.attempt_limit,
        consent=study.consent,
        ask_name=True,
        resume_by_name=study.resume_by_name,
    ).model_dump(mode="json")
    began = or_(*(exists().where(table.player_id == Player.id) for table in (Attempt, Mark)))
    people = select(Player, began).where(Player.study_id == study.id).order_by(Player.id)
    for number, (player, has_begun) in enumerate(session.execute(people), start=1):
        player.number, player.schedule = number, study.subjects
        # Those who were invited and have not begun are asked for their consent.
        player.consented = player.created if has_begun else None
