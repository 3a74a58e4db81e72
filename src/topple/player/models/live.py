"""Messages of a live game."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, TypeAdapter

from topple.player.models.base import Model, Progress
from topple.player.models.iphyre import GameAttempt

_Tick = Annotated[int, Field(ge=0, le=100_000)] | None
_Place = Annotated[float, Field(ge=-10_000, le=10_000, allow_inf_nan=False)]


class Start(Model):
    """Begin an attempt; during one, give it up and begin the next."""

    type: Literal["start"]


class Stop(Model):
    """Give up the attempt."""

    type: Literal["stop"]


class Click(Model):
    """Remove the gray block under a point."""

    type: Literal["click"]
    x: _Place
    y: _Place
    tick: _Tick = None  # that was on the screen


class Remove(Model):
    """Remove a gray block by its number."""

    type: Literal["remove"]
    body: Annotated[int, Field(ge=0, le=1000)]
    tick: _Tick = None


Request = Start | Stop | Click | Remove
REQUEST: TypeAdapter[Request] = TypeAdapter(Annotated[Request, Field(discriminator="type")])


class Ready(Model):
    """The game is set up."""

    type: Literal["ready"] = "ready"
    game: str
    hz: int
    tick_limit: int
    moving: list[int]
    progress: Progress


class Started(Model):
    """An attempt has begun and is kept."""

    type: Literal["started"] = "started"
    number: int
    counted: bool


class Frame(Model):
    """The world before a tick."""

    type: Literal["frame"] = "frame"
    tick: int
    removed: list[int]
    poses: list[float]  # x, y, angle of each moving body, flat


class Missed(Model):
    """A click hit no gray block."""

    type: Literal["missed"] = "missed"
    tick: int


class Ended(Model):
    """An attempt has ended and is kept."""

    type: Literal["ended"] = "ended"
    attempt: GameAttempt
    progress: Progress


class Fault(Model):
    """Something was refused."""

    type: Literal["error"] = "error"
    code: Literal["limit", "refused", "rate", "size", "message", "unauthorized", "busy", "idle"]
    message: str
