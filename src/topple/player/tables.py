"""The tables of the player's database."""

from __future__ import annotations

from datetime import datetime, timezone
from typing import Any

from sqlalchemy import JSON, BigInteger, ForeignKey, Index, String, Text, UniqueConstraint, false
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column

SCHEMA = 3  # increases with every change below; the store upgrades all before


def now() -> str:
    """The current time in UTC, as a text that sorts by time."""
    return datetime.now(timezone.utc).isoformat(timespec="milliseconds")


class Table(DeclarativeBase):
    """The base of all tables."""


class Meta(Table):
    """The version of the database."""

    __tablename__ = "meta"
    name: Mapped[str] = mapped_column(String(40), primary_key=True)
    value: Mapped[str] = mapped_column(String(200))


class Study(Table):
    """Puzzles for participants, and the design by which they are played."""

    __tablename__ = "studies"
    id: Mapped[str] = mapped_column(String(12), primary_key=True)
    name: Mapped[str] = mapped_column(String(80))
    benchmark: Mapped[str] = mapped_column(String(10))
    subjects: Mapped[list[str]] = mapped_column(JSON)  # the puzzles that count, as listed
    seed: Mapped[int]
    attempt_limit: Mapped[int]
    consent: Mapped[str] = mapped_column(Text)
    resume_by_name: Mapped[bool] = mapped_column(default=False, server_default=false())
    design: Mapped[dict[str, Any]] = mapped_column(JSON, server_default="{}")  # a StudyIn
    created: Mapped[str] = mapped_column(String(32), default=now)


class Player(Table):
    """A person who plays, freely or in a study."""

    __tablename__ = "players"
    __table_args__ = (
        UniqueConstraint("study_id", "name"),
        Index("participants_by_number", "study_id", "number", unique=True),
        Index("participants_by_free_player", "free_id"),
    )
    id: Mapped[int] = mapped_column(primary_key=True)
    key: Mapped[str] = mapped_column(String(22), unique=True)
    anonymous_id: Mapped[str] = mapped_column(String(12), unique=True)
    study_id: Mapped[str | None] = mapped_column(ForeignKey("studies.id"))
    name: Mapped[str | None] = mapped_column(String(80))
    created: Mapped[str] = mapped_column(String(32), default=now)
    # The rest is of participants only.
    number: Mapped[int | None]  # within the study, from 1; it chooses the order of the puzzles
    group: Mapped[str] = mapped_column("group_name", String(80), default="", server_default="")
    schedule: Mapped[list[str] | None] = mapped_column(JSON)  # practice first
    free_id: Mapped[int | None]  # the free player of the same browser, if one is known
    consented: Mapped[str | None] = mapped_column(String(32))
    ended: Mapped[str | None] = mapped_column(String(32))
    withdrawn: Mapped[bool] = mapped_column(default=False, server_default=false())


class Attempt(Table):
    """An attempt. One at a game is stored when it starts, after every removal, and at its end."""

    __tablename__ = "attempts"
    __table_args__ = (
        UniqueConstraint("player_id", "subject", "number"),
        # It holds all that a tally needs, so that the rows themselves are not read.
        Index(
            "attempts_by_puzzle",
            *("player_id", "benchmark", "subject", "number", "counted", "solved", "reward"),
        ),
    )
    id: Mapped[int] = mapped_column(primary_key=True)
    player_id: Mapped[int] = mapped_column(ForeignKey("players.id"))
    benchmark: Mapped[str] = mapped_column(String(10))
    subject: Mapped[str] = mapped_column(String(40))
    number: Mapped[int]  # among the player's attempts at the subject, from 1
    counted: Mapped[bool]
    finished: Mapped[bool] = mapped_column(default=True)
    solved: Mapped[bool] = mapped_column(default=False)
    action: Mapped[list[Any]] = mapped_column(JSON)  # numbers, or [tick, body, tick shown]
    ticks: Mapped[int] = mapped_column(default=0)  # PHYRE: steps
    reward: Mapped[float | None]  # I-PHYRE
    abandoned: Mapped[bool] = mapped_column(default=False)
    server: Mapped[int | None] = mapped_column(BigInteger)  # I-PHYRE: which one plays it
    created: Mapped[str] = mapped_column(String(32), default=now)


class Mark(Table):
    """A fact about a player and a puzzle: its solution was shown, or it was skipped."""

    __tablename__ = "marks"
    player_id: Mapped[int] = mapped_column(ForeignKey("players.id"), primary_key=True)
    subject: Mapped[str] = mapped_column(String(40), primary_key=True)
    kind: Mapped[str] = mapped_column(String(10), primary_key=True)  # shown or skipped
    created: Mapped[str] = mapped_column(String(32), default=now)


class Event(Table):
    """Something that happened in a study; `value` depends on its kind."""

    __tablename__ = "events"
    __table_args__ = (
        UniqueConstraint("player_id", "page", "sequence"),
        Index("events_by_kind", "player_id", "kind"),
    )
    id: Mapped[int] = mapped_column(primary_key=True)
    player_id: Mapped[int] = mapped_column(ForeignKey("players.id"))
    kind: Mapped[str] = mapped_column(String(20))
    subject: Mapped[str | None] = mapped_column(String(40))
    value: Mapped[Any] = mapped_column(JSON(none_as_null=True), nullable=True)
    page: Mapped[str | None] = mapped_column(String(16))  # None for an event of the server
    sequence: Mapped[int | None]
    page_time: Mapped[float | None]
    page_clock: Mapped[float | None]
    created: Mapped[str] = mapped_column(String(32), default=now)


class Puzzle(Table):
    """A puzzle made in the player."""

    __tablename__ = "puzzles"
    id: Mapped[str] = mapped_column(String(12), primary_key=True)
    player_id: Mapped[int] = mapped_column(ForeignKey("players.id"))
    name: Mapped[str] = mapped_column(String(80))
    benchmark: Mapped[str] = mapped_column(String(10))
    tier: Mapped[str] = mapped_column(String(10))
    data: Mapped[dict[str, Any]] = mapped_column(JSON)
    created: Mapped[str] = mapped_column(String(32), default=now)


class Baseline(Table):
    """The results of RAND on a PHYRE task, so that it is played only once."""

    __tablename__ = "baselines"
    subject: Mapped[str] = mapped_column(String(40), primary_key=True)
    first_solved: Mapped[list[int]] = mapped_column(JSON)  # in each run of 100 attempts; 0 if none
