"""Players: who they are, and where they are in a study."""

from __future__ import annotations

from topple.player.ids import PlayerKey
from topple.player.models.base import Benchmark, Model


class Health(Model):
    """The server is up; this is its version and what the caller may do."""

    name: str = "topple"
    version: str
    engine: str  # hash of PHYRE's outcomes
    owner: bool  # whether the caller may create and export studies


class StudyItem(Model):
    """One puzzle of a study, and how far the participant got."""

    subject: str  # a task id or the name of a game
    attempts: int
    solved: bool
    done: bool  # solved, given up, or out of attempts


class StudySession(Model):
    """A participant's progress through a study."""

    study: str
    name: str
    benchmark: Benchmark
    attempt_limit: int
    items: list[StudyItem]
    current: int | None  # index of the item to play now; None when all are done


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
