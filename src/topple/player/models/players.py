"""Players: who they are, and where they are in a study."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from topple.player.ids import PlayerKey
from topple.player.models.base import Benchmark, Model
from topple.player.models.studies import Question


class Health(Model):
    """The server is up; this is its version and what the caller may do."""

    name: str = "topple"
    version: str
    engine: str  # hash of PHYRE's outcomes
    engines: dict[Benchmark, str]  # the hashes of both
    owner: bool  # whether the caller may create and export studies


class StudyItem(Model):
    """One puzzle of a study, and how far the participant got."""

    subject: str | None  # a task id or the name of a game; None before it is reached
    phase: Literal["practice", "main"]
    block: str
    attempts: int
    solved: bool
    done: bool  # solved, given up, or out of attempts or time


class Step(Model):
    """What a participant has to do now."""

    kind: Literal["consent", "before", "puzzle", "break", "check", "after", "finished", "withdrawn"]
    questions: list[Question] = Field(default_factory=list)  # before, after, and of a check
    text: str = ""  # of a break
    seconds: float | None = None  # left for the puzzle, or until a break may end
    code: str | None = None  # when all is finished
    redirect: str | None = None


class StudySession(Model):
    """A participant's progress through a study."""

    study: str
    name: str
    benchmark: Benchmark
    attempt_limit: int
    time_limit: int | None
    items: list[StudyItem]  # in this participant's order, practice first
    current: int | None  # index of the item to play now or next; None when all are done
    step: Step


class PuzzleProgress(Model):
    """What a player has done with one puzzle."""

    benchmark: Benchmark
    subject: str  # a task id or the name of a game
    attempts: int  # practice included
    solved_at: int | None  # number of the attempt that first solved it, among those that count
    practised: bool  # whether an attempt that does not count solved it


class Me(Model):
    """The caller."""

    anonymous_id: str  # stands for the person in exports
    study: StudySession | None = None


class NewPlayer(Me):
    """A new player, whose key is the only way to continue later."""

    key: PlayerKey  # goes into the header X-Player
    resumed: bool = False  # a participant of this name was known already
