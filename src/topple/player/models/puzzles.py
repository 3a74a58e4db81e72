"""Puzzles made in the player."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from topple.phyre.tier import Tier
from topple.player.models.base import Benchmark, Elimination, Model, Name


class PuzzleIn(Model):
    """A puzzle in the JSON form that the Python API loads."""

    name: Name
    benchmark: Benchmark
    tier: Tier = Tier.BALL  # PHYRE: how many balls the player places
    data: dict[str, Any]


class PuzzleCard(Model):
    """A stored puzzle in the list; it is played as the task or game ``own:<id>``."""

    id: str
    name: str
    benchmark: Benchmark
    tier: Tier
    subject: str
    thumbnail: str  # address of a PNG
    mine: bool  # whether the caller made it


class PuzzleOut(PuzzleCard):
    """A stored puzzle."""

    data: dict[str, Any]


class PuzzleCheck(Model):
    """Whether a puzzle keeps the rules, and if not, which one it breaks."""

    ok: bool
    error: str | None = None
    body: int | None = None  # the body at fault, if it is a single one


class SolvabilityIn(Model):
    """How long to search for solutions."""

    seconds: Annotated[float, Field(gt=0, le=20)] = 5.0


class DraftIn(PuzzleIn, SolvabilityIn):
    """A puzzle that is not stored, and how long to try random actions or plans on it."""


class Solvability(Model):
    """The result of trying random actions or plans."""

    verdict: str  # solvable, unsolvable or open
    tried: int
    valid: int
    solved: int
    stable: int | None  # PHYRE: solutions that still work half a pixel away
    solution: list[float] | None = None  # PHYRE action
    plan: list[Elimination] | None = None  # I-PHYRE plan
    sentence: str
