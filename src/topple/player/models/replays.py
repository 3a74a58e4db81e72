"""Replays: an action or a plan determines an attempt, so a link is enough to show it."""

from __future__ import annotations

from enum import Enum

from topple.phyre.tier import Tier
from topple.player.models.base import Benchmark, Elimination, Model, OutcomeName, Trajectory
from topple.player.models.iphyre import GameGeometry
from topple.player.models.phyre import PhyreScene


class PhyreReplay(Model):
    """A PHYRE attempt to watch."""

    task: str
    name: str  # of its template or puzzle
    tier: Tier
    description: str
    action: list[float]
    outcome: OutcomeName
    steps: int
    scene: PhyreScene
    trajectory: Trajectory
    link: str  # to share, relative to the server


class GameReplay(GameGeometry):
    """An I-PHYRE attempt to watch.

    Frame k of the trajectory shows the world after k ticks, so a block removed at tick t is
    still there in frame t and gone in frame t + 1. ``trajectory.balls`` is empty.
    """

    game: str
    title: str  # its name in words
    plan: list[Elimination]
    solved: bool
    reward: float
    ticks: int
    hz: int
    trajectory: Trajectory
    link: str


class RunCard(Model):
    """A run record that can be watched."""

    id: str
    benchmark: Benchmark
    agent: str
    label: str
    setup: str  # PHYRE: setup, part and fold; I-PHYRE: ticks per second
    score: float  # AUCCESS (0 to 1), or mean reward
    tasks: int
    solved: int
    has_attempts: bool
    imagines: bool = False  # whether the agent imagined attempts, which can be shown


class ReplayHz(int, Enum):
    """Ticks per second: people play at 60, learning agents at 10."""

    AGENTS = 10
    PEOPLE = 60


class FilmFormat(str, Enum):
    """The formats of films to download."""

    GIF = "gif"
    MP4 = "mp4"


class RunItem(Model):
    """One task or game of a run."""

    subject: str
    attempts: int
    first_solved: int | None  # number of the attempt, from 1
    reward: float | None = None


class RunDetail(RunCard):
    """A run with its tasks."""

    items: list[RunItem]


class RunAttempt(Model):
    """One attempt of an agent; watch it through the replay routes."""

    number: int
    solved: bool
    action: list[float] | None = None  # PHYRE
    plan: list[Elimination] | None = None  # I-PHYRE
    reward: float | None = None
    replay: str  # address of the replay


class ImaginedAttempt(Model):
    """An attempt as an agent imagined it: its balls, and in PHYRE the goal bodies that move."""

    action: list[float] | None = None  # PHYRE
    plan: list[Elimination] | None = None  # I-PHYRE
    solved: bool  # in its head
    trajectory: Trajectory


class Imagination(Model):
    """What an agent had imagined before one of its attempts."""

    attempt: int  # its number, from 1
    imagined: int  # actions or plans
    solutions: int  # of them that worked in its head
    attempts: list[ImaginedAttempt]  # that it believed in most; the first is the one it made
