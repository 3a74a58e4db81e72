"""Studies: fixed lists of puzzles for invited people."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from topple.player.ids import GameName, TaskName
from topple.player.models.base import Benchmark, LongText, Model, Name


class StudyIn(Model):
    """A new study: its puzzles by name, or how many to draw from which sets."""

    name: Name
    benchmark: Benchmark
    subjects: Annotated[list[TaskName | GameName], Field(max_length=500, default_factory=list)]
    # Tiers, templates or splits to draw from.
    pools: Annotated[list[Name], Field(max_length=60, default_factory=list)]
    count: Annotated[int, Field(ge=1, le=500)] | None = None  # how many to draw; None for all
    shuffle: bool = True  # whether to order by the seed, not as listed
    seed: Annotated[int, Field(ge=0, le=2**31 - 1)] = 0
    attempt_limit: Annotated[int, Field(ge=1, le=100)] | None = (
        None  # None for the limit of the paper
    )
    consent: LongText = ""
    # Whether entering a used name is enough to continue as that participant.
    resume_by_name: bool = False


class StudyCard(Model):
    """A study in a list."""

    id: str
    name: str
    benchmark: Benchmark
    items: int
    attempt_limit: int
    resume_by_name: bool
    link: str


class StudyOut(StudyCard):
    """A study as a participant sees it before taking part."""

    consent: str


class ParticipantScore(Model):
    """A participant in the researcher's view."""

    anonymous_id: str
    name: str | None
    link: str  # personal link that resumes where this participant stopped
    attempts: int
    done: int
    score: float | None  # AUCCESS, or the mean of the best rewards


class StudyDetail(StudyOut):
    """A study as its owner sees it."""

    subjects: list[str]
    seed: int
    created: str
    participants: list[ParticipantScore]


class ExportedParticipant(Model):
    """A participant without a name."""

    anonymous_id: str
    attempts: int
    done: int
    score: float | None


class ExportedAttempt(Model):
    """One attempt of a study."""

    participant: str  # anonymous id
    item: int  # place in the study, from 1
    benchmark: Benchmark
    subject: str
    attempt: int  # number, from 1
    counted: bool
    solved: bool
    ticks: int  # PHYRE: index of the last step
    reward: float | None  # I-PHYRE
    removed: int | None  # I-PHYRE
    action: list[Any]  # PHYRE: numbers; I-PHYRE: [tick, body, tick that was on the screen]
    abandoned: bool
    time: str  # UTC


class StudyExport(Model):
    """A study, its participants without names, and every attempt."""

    study: StudyOut
    subjects: list[str]
    seed: int
    participants: list[ExportedParticipant]
    attempts: list[ExportedAttempt]


class ParticipantIn(Model):
    """A request to take part, under a name or anonymously."""

    consent: bool
    name: Name | None = None
