"""I-PHYRE: games, attempts and scores."""

from __future__ import annotations

from enum import Enum

from topple.player.models.base import Elimination, Model, Progress


class SplitName(str, Enum):
    """I-PHYRE's splits."""

    BASIC = "basic"
    NOISY = "noisy"
    COMPOSITIONAL = "compositional"
    MULTI_BALL = "multi_ball"
    UNSEEN_BASIC = "unseen_basic"


class GameBody(Model):
    """A capsule (two ends) or a ball (both ends its centre)."""

    kind: str  # gray, black, blue or ball
    ends: tuple[float, float, float, float]  # px at the start
    radius: float
    dynamic: bool


class GameCard(Model):
    """A game in the gallery."""

    name: str
    split: str  # basic, noisy, compositional, multi_ball, unseen_basic or own
    concept: str
    balls: int
    gray: int
    thumbnail: str
    bodies: list[GameBody]
    sticks: list[tuple[int, int]]
    springs: list[tuple[int, int]]
    attempts: int
    solved: bool
    best_reward: float | None


class GameAttempt(Model):
    """An attempt that has ended."""

    id: int
    number: int
    solved: bool
    reward: float
    ticks: int
    removed: int
    plan: list[Elimination]
    counted: bool
    abandoned: bool  # restarted or left; played to its end without more clicks


class GameScene(Model):
    """All that is needed to play a game."""

    name: str
    split: str
    concept: str
    size: float
    hz: int
    tick_limit: int
    bodies: list[GameBody]
    sticks: list[tuple[int, int]]
    springs: list[tuple[int, int]]
    moving: list[int]  # bodies whose poses come with every frame, in that order
    others: dict[str, float]  # the paper's rewards on this game: Human, Random, PPO-I, ...
    source: str
    progress: Progress
    attempts: list[GameAttempt]


class SplitStanding(Model):
    """Averages over a split: the caller's first, best and last attempts, and the paper's."""

    split: str
    games: int  # played by the caller
    of: int
    mean_reward: float | None  # over all counted attempts, then games
    best_reward: float | None  # of the best attempt on each game
    success_rate: float | None  # games solved by some counted attempt
    others: dict[str, float]  # Human, Oracle, agents: mean rewards


class GameStanding(Model):
    """The caller beside people and agents of the paper."""

    splits: list[SplitStanding]
    source: str
