"""What the models share.

Lengths are pixels of the benchmark's own scene. PHYRE: 256 x 256, y up, angles
counter-clockwise. I-PHYRE: 600 x 600, y down, angles clockwise as seen on the screen.
"""

from __future__ import annotations

from enum import Enum
from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StringConstraints

from topple.player.texts import check_text

MAX_STRIDE = 60
Unit = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]
Action = Annotated[list[Unit], Field(min_length=3, max_length=6)]
Name = Annotated[
    str,
    StringConstraints(strip_whitespace=True, min_length=1, max_length=80),
    AfterValidator(check_text),
]
LongText = Annotated[str, StringConstraints(max_length=10_000), AfterValidator(check_text)]
Pair = tuple[float, float]


class Model(BaseModel):
    """Strict about names: a field nobody knows is an error, not a surprise."""

    model_config = ConfigDict(extra="forbid")


class Benchmark(str, Enum):
    """Which of the two."""

    PHYRE = "phyre"
    IPHYRE = "iphyre"


class TierName(str, Enum):
    """PHYRE's tiers."""

    BALL = "ball"
    TWO_BALLS = "two_balls"


class OutcomeName(str, Enum):
    """How a PHYRE attempt ended; an invalid action is no attempt."""

    SOLVED = "solved"
    NOT_SOLVED = "not_solved"
    INVALID = "invalid"


class Problem(Model):
    """Every error answer: one sentence for people, and the field it is about if any."""

    detail: str
    field: str | None = None


class Progress(Model):
    """How far a player is with a task or game."""

    attempts: int  # counted ones
    limit: int  # counted attempts; later ones are practice
    solved: bool
    solved_at: int | None  # number of the attempt that first solved it
    shown: bool  # a solution was shown; attempts after that do not count


class Trajectory(Model):
    """Where moving bodies are, frame by frame; frame 0 is the start.

    ``poses`` is base64 of little-endian float32, [frames, bodies, 3]: x, y, angle. Frame k
    shows the world after step ``(k - 1) * stride``, counted from 0.
    """

    fps: float  # frames in a second of the world
    frames: int
    bodies: list[int]  # which ones move, by index in the scene; the player's balls come last
    balls: list[tuple[float, float, float]]  # the player's balls: x, y, radius at the start
    poses: str


class Elimination(Model):
    """A block goes before the physics of a tick."""

    tick: Annotated[int, Field(ge=0, le=100_000)]
    body: Annotated[int, Field(ge=0, le=1000)]
