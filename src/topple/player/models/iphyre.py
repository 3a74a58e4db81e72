"""I-PHYRE: games, attempts and scores."""

from __future__ import annotations

from topple.player.models.base import Elimination, Model, Progress


class GameBody(Model):
    """A capsule (two ends) or a ball (both ends its centre)."""

    kind: str  # gray, black, blue or ball
    ends: tuple[float, float, float, float]  # px at the start
    radius: float
    dynamic: bool


class GameGeometry(Model):
    """What is drawn of a game."""

    bodies: list[GameBody]
    sticks: list[tuple[int, int]]  # pairs of bodies
    springs: list[tuple[int, int]]


class GameCard(GameGeometry):
    """A game in the gallery."""

    name: str
    title: str  # the name in words
    split: str  # basic, noisy, compositional, multi_ball, unseen_basic or own
    concept: str
    balls: int
    gray: int
    thumbnail: str
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


class GameScene(GameGeometry):
    """Everything that is needed to play a game."""

    name: str
    title: str  # the name in words; "" in a study
    split: str
    concept: str
    size: float
    hz: int
    tick_limit: int
    moving: list[int]  # bodies whose poses come with every frame, in that order
    others: dict[str, float]  # the paper's rewards on this game: Human, Random, PPO-I, ...
    source: str
    progress: Progress
    attempts: list[GameAttempt]


class SplitStanding(Model):
    """Averages over a split: the caller's, and those of the paper."""

    split: str
    games: int  # played by the caller
    of: int
    mean_reward: float | None  # over all counted attempts, then games
    best_reward: float | None  # of the best attempt on each game
    success_rate: float | None  # games solved by some counted attempt
    others: dict[str, float]  # Human, Oracle, agents: mean rewards


class GameStanding(Model):
    """The caller's averages beside those of the paper's people and agents."""

    splits: list[SplitStanding]
    source: str
