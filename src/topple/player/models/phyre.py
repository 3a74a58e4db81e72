"""PHYRE: templates, tasks, attempts and scores."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from topple.player.models.base import (
    MAX_STRIDE,
    Action,
    Model,
    OutcomeName,
    Pair,
    Progress,
    TierName,
    Trajectory,
)


class Disc(Model):
    """A disc around the body's origin."""

    circle: float


class Convex(Model):
    """A convex polygon in the body's frame."""

    polygon: list[Pair]


class SceneBody(Model):
    """A body before the first step."""

    shapes: list[Disc | Convex]
    position: Pair
    angle: float  # radians
    color: str  # white, red, green, blue, purple, gray, black
    dynamic: bool


class PhyreScene(Model):
    """The geometry to draw."""

    width: float
    height: float
    bodies: list[SceneBody]
    goal: tuple[int, int] | None  # indices of the two bodies that have to touch


class TemplateCard(Model):
    """A template in the gallery."""

    id: str
    tier: TierName
    idea: str
    thumbnail: str  # address of a PNG
    scene: PhyreScene  # of its first task
    tasks: int
    tried: int  # of its tasks, by the caller
    solved: int


class TaskCard(Model):
    """A task in the gallery."""

    id: str
    description: str
    thumbnail: str
    scene: PhyreScene
    attempts: int
    solved: bool
    shown: bool  # a solution was shown


class TaskScene(Model):
    """All that is needed to play a task."""

    id: str
    template: str
    tier: TierName
    description: str
    idea: str
    balls: int
    radius_min: float  # px, of an action's radius 0
    radius_max: float  # px, of an action's radius 1
    scene: PhyreScene
    previous: str | None
    next: str | None
    progress: Progress


class ActionIn(Model):
    """x, y and radius from 0 to 1, for each ball."""

    action: Action


class Validity(Model):
    """Whether an action fits, exactly as the simulator decides."""

    valid: bool
    reason: str | None  # a sentence, if it does not
    balls: list[tuple[float, float, float]]  # x, y, radius in px; as placed, if valid


class AttemptIn(ActionIn):
    """An action to simulate."""

    stride: Annotated[int, Field(ge=1, le=MAX_STRIDE)] = 1  # engine steps between frames


class AttemptOut(Model):
    """What became of an attempt."""

    id: int | None  # None for an invalid action, which is not stored
    number: int | None
    counted: bool
    outcome: OutcomeName
    steps: int
    reason: str | None  # why an action is invalid
    trajectory: Trajectory | None
    progress: Progress


class PastAttempt(Model):
    """An attempt made before."""

    id: int
    number: int
    action: list[float]
    outcome: OutcomeName
    counted: bool


class Solution(Model):
    """A solution that was asked for; the task is marked as shown from now on."""

    action: list[float]
    source: str  # such as "found by search" or an agent's name
    trajectory: Trajectory


class Curve(Model):
    """A line to draw beside the player's."""

    name: str
    auccess: float  # 0 to 1
    success_at_10: float | None
    curve: list[float] | None  # [100] share solved within k attempts; None: not published
    note: str  # what it was measured on


class Standing(Model):
    """The caller's score so far in a tier, over the tasks tried."""

    tier: TierName
    tasks: int
    solved: int
    auccess: float | None  # None before the first attempt
    curve: list[float] | None  # [100]
    others: list[Curve]  # RAND on the same tasks, and the published agents
    source: str
