"""Types that several models share.

Lengths are pixels of the benchmark's own scene. PHYRE: 256 x 256, y up, angles
counter-clockwise. I-PHYRE: 600 x 600, y down, angles clockwise as seen on the screen.
"""

from __future__ import annotations

from enum import Enum
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StringConstraints
from typing_extensions import Self

from topple.player.texts import check_text

MAX_STRIDE = 60
HINT_LEVELS = (1, 2, 3)
MAX_NAME = 80  # characters
Unit = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]
Action = Annotated[list[Unit], Field(min_length=3, max_length=6)]
Name = Annotated[
    str,
    StringConstraints(strip_whitespace=True, min_length=1, max_length=MAX_NAME),
    AfterValidator(check_text),
]
LongText = Annotated[str, StringConstraints(max_length=10_000), AfterValidator(check_text)]
Pair = tuple[float, float]


class Model(BaseModel):
    """A model that refuses unknown fields."""

    model_config = ConfigDict(extra="forbid")

    @classmethod
    def from_object(cls, source: object, /, **fields: Any) -> Self:
        """A model with these fields, and all others as the attributes of an object."""
        same = {name: getattr(source, name) for name in cls.model_fields if name not in fields}
        return cls(**same, **fields)


class Benchmark(str, Enum):
    """The two benchmarks."""

    PHYRE = "phyre"
    IPHYRE = "iphyre"


class OutcomeName(str, Enum):
    """The outcome of a PHYRE action; an invalid one is not an attempt."""

    SOLVED = "solved"
    NOT_SOLVED = "not_solved"
    INVALID = "invalid"


class Problem(Model):
    """An error answer: one sentence for people, and the field it is about, if any."""

    detail: str
    field: str | None = None


class HintIn(Model):
    """Which hint to give: 1 where to look, 2 which body matters, 3 a region or an order."""

    level: Annotated[int, Field(ge=HINT_LEVELS[0], le=HINT_LEVELS[-1])]


class Hint(Model):
    """A hint, and what to mark in the scene; later attempts of the player do not count."""

    text: str
    body: int | None = None  # index in the scene
    regions: list[tuple[float, float, float]] = []  # px: x, y, radius


class Progress(Model):
    """A player's progress on a task or game."""

    attempts: int  # counted ones
    limit: int  # counted attempts; later ones are practice
    solved: bool
    solved_at: int | None  # number of the attempt that first solved it
    shown: bool  # a hint or a solution was shown; attempts after that do not count


class Trajectory(Model):
    """The poses of moving bodies, frame by frame; frame 0 is the start.

    ``poses`` is base64 of little-endian float32, [frames, bodies, 3]: x, y, angle. Frame k
    shows the world after step ``(k - 1) * stride``, counted from 0.
    """

    fps: float  # frames in a second of the world
    frames: int
    bodies: list[int]  # which ones move, by index in the scene; the player's balls come last
    balls: list[tuple[float, float, float]]  # the player's balls: x, y, radius at the start
    poses: str
    # PHYRE: the first and last step of each time in which the goal bodies touch, and for how many
    # steps in a row they have to
    touching: list[tuple[int, int]] = []
    hold_steps: int = 0


class Elimination(Model):
    """The removal of a block before the physics of a tick."""

    tick: Annotated[int, Field(ge=0, le=100_000)]
    body: Annotated[int, Field(ge=0, le=1000)]
