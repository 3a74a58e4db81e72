"""PHYRE: templates, tasks, attempts and scores."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from topple.phyre.tier import Tier
from topple.player.models.base import (
    MAX_STRIDE,
    Action,
    Model,
    OutcomeName,
    Pair,
    Progress,
    Trajectory,
)


class Disc(Model):
    """A disc around the origin of the body."""

    circle: float


class Convex(Model):
    """A convex polygon in the frame of the body."""

    polygon: list[Pair]


class SceneBody(Model):
    """A body before the first step."""

    shapes: list[Disc | Convex]
    position: Pair
    angle: float  # radians
    color: str  # white, red, green, blue, purple, gray, black
    dynamic: bool


class PhyreScene(Model):
    """The geometry of a scene."""

    width: float
    height: float
    bodies: list[SceneBody]
    goal: tuple[int, int] | None  # indices of the two bodies that have to touch


class TemplateCard(Model):
    """A template in the gallery."""

    id: str
    name: str  # such as "Past the obstacle"
    tier: Tier
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
    """Everything that is needed to play a task."""

    id: str
    name: str  # of its template or puzzle; "" in a study
    template: str
    tier: Tier
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
    """An action: x, y and radius from 0 to 1 for each ball."""

    action: Action


class Validity(Model):
    """Whether an action is valid, exactly as the simulator decides."""

    valid: bool
    reason: str | None  # why it is invalid
    balls: list[tuple[float, float, float]]  # x, y, radius in px as placed; empty if invalid


class AttemptIn(ActionIn):
    """An action to simulate."""

    stride: Annotated[int, Field(ge=1, le=MAX_STRIDE)] = 1  # engine steps between frames


class AttemptOut(Model):
    """The outcome of an attempt."""

    id: int | None  # None for an invalid action, which is not stored
    number: int | None
    counted: bool
    outcome: OutcomeName
    steps: int
    reason: str | None  # why an action is invalid
    trajectory: Trajectory | None
    progress: Progress


class PastAttempt(Model):
    """An earlier attempt."""

    id: int
    number: int
    action: list[float]
    outcome: OutcomeName
    counted: bool


class Solution(Model):
    """A solution; later attempts of the player at this task do not count."""

    action: list[float]
    source: str  # such as "found by search" or an agent's name
    trajectory: Trajectory


class Curve(Model):
    """The results of an agent, to compare with the player's."""

    name: str
    auccess: float  # 0 to 1
    success_at_10: float | None
    curve: list[float] | None  # [100] share solved within k attempts; None if not published
    note: str  # what it was measured on


class Standing(Model):
    """The caller's score so far over the tasks tried in a tier."""

    tier: Tier
    tasks: int
    solved: int
    auccess: float | None  # None before the first attempt
    curve: list[float] | None  # [100]
    others: list[Curve]  # RAND on the same tasks, and the published agents
    source: str
