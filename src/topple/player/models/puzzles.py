"""Puzzles of one's own."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from topple.player.models.base import Benchmark, Elimination, Model, Name, TierName


class PuzzleIn(Model):
    """A puzzle of one's own, in the JSON form that the Python API loads."""

    name: Name
    benchmark: Benchmark
    tier: TierName = TierName.BALL  # PHYRE: how many balls the player places
    data: dict[str, Any]


class PuzzleOut(PuzzleIn):
    """A stored puzzle; play it as the task or game ``own:<id>``."""

    id: str
    subject: str
    thumbnail: str
    mine: bool


class PuzzleCheck(Model):
    """Whether a puzzle keeps the rules; if not, what to mend."""

    ok: bool
    error: str | None = None
    body: int | None = None  # the one at fault, if it is one


class SolvabilityIn(Model):
    """How long to look for solutions."""

    seconds: Annotated[float, Field(gt=0, le=20)] = 5.0


class Solvability(Model):
    """What trying random actions or plans showed."""

    verdict: str  # solvable, unsolvable or open
    tried: int
    valid: int
    solved: int
    stable: int | None  # PHYRE: solutions that survive half a pixel
    solution: list[float] | None = None  # PHYRE action
    plan: list[Elimination] | None = None  # I-PHYRE plan
    sentence: str
