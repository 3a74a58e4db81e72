"""People: who plays, and where they are in a study."""

from __future__ import annotations

from topple.player.ids import PlayerKey
from topple.player.models.base import Benchmark, Model


class Health(Model):
    """That the server is up, and what it is."""

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


class Session(Model):
    """A participant's place in a study."""

    study: str
    name: str
    benchmark: Benchmark
    attempt_limit: int
    items: list[StudyItem]
    current: int | None  # place of the item to play now; None: all done


class Me(Model):
    """Who is asking."""

    anonymous_id: str  # stands for the person in exports
    study: Session | None = None


class NewPlayer(Me):
    """A fresh player: keep the key, it is the only way back."""

    key: PlayerKey  # goes into the header X-Player
    resumed: bool = False  # a participant of this name was known already
