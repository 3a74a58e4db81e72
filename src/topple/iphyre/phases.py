"""What an agent of I-PHYRE is: it trains on games, then plays others."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, NamedTuple, Protocol, runtime_checkable

import numpy as np

from topple.iphyre.episode import Episode, play
from topple.iphyre.game import Game
from topple.iphyre.plan import Plan
from topple.iphyre.play_log import Play, PlayError, PlayLog, play_of
from topple.iphyre.rules import Rules
from topple.iphyre.score import Score
from topple.iphyre.strategy import Strategy
from topple.runs.agent import Observation


@dataclass(frozen=True, slots=True)
class GameTraits:
    """What one has to know to compare an agent's results with others'."""

    strategy: Strategy
    observation: Observation = Observation.NOTHING
    online: bool = False  # learns from its plays of the scored games


class Playing:
    """Games to be scored on, a number of plays on each, and feedback on every play.

    Attributes:
        games: to be solved, in any order; all of them count.
        rules: what episodes go by.
        rng: for all random choices of the agent; the same in a repeated run.
        log: the plays so far.
        simulator_calls: episodes an agent simulated to decide what to play; it counts its own.
    """

    def __init__(
        self, games: Iterable[Game], rules: Rules, rng: np.random.Generator, plays: int = 1
    ) -> None:
        self.games = tuple(games)
        self.rules = rules
        self.rng = rng
        self.log = PlayLog((game.name for game in self.games), plays)
        self.simulator_calls = 0

    def remaining(self, game: Game) -> int:
        """Plays left on a game."""
        return self.log.remaining(game.name)

    def part(self, game: Game) -> Playing:
        """A playing of one game alone, for agents that play several at once.

        What happened there counts when it is joined, in an order that does not depend on chance.
        """
        return Playing([game], self.rules, self.rng, self.log.limit)

    def join(self, part: Playing) -> None:
        """Add what happened in a part."""
        for made in part.log:
            self.log.append(made)
        self.simulator_calls += part.simulator_calls

    def play(self, game: Game, plan: Plan) -> Score:
        """Play a plan made in advance."""
        score = play(game, plan, self.rules)
        self.log.append(Play(game.name, plan, score))
        return score

    @contextmanager
    def episode(self, game: Game) -> Iterator[Episode]:
        """Play tick by tick; the play is logged on leaving, where it has to be over.

        Raises:
            PlayError: The game has no plays left, or the episode was left before its end.
        """
        if not self.remaining(game):
            raise PlayError(f"game {game.name!r} already has its {self.log.limit} plays")
        episode = Episode(game, self.rules)
        yield episode
        state = episode.state
        if not state.over:
            raise PlayError(f"the episode of {game.name!r} was left at tick {state.tick}")
        self.log.append(play_of(state))


class GameAgent(Protocol):
    """An agent of I-PHYRE. Settings are arguments of its class, all with defaults.

    A fresh agent is made for every run: :meth:`train` is called once, then :meth:`play` once.
    """

    @property
    def traits(self) -> GameTraits:
        """What its results are to be compared with; may depend on settings."""
        ...

    def train(self, games: Sequence[Game], rules: Rules, rng: np.random.Generator) -> None:
        """Learn from the training games, with as much simulation as wanted."""
        ...

    def play(self, playing: Playing) -> None:
        """Play every scored game at least once."""
        ...


class GameReport(NamedTuple):
    """How training is getting on: a point of its curve."""

    done: int  # steps taken
    planned: int  # in all
    reward: float  # mean of the episodes since the last report
    solved: float  # share of these
    rate: float  # steps a second since the last report
    loss: float | None = None  # of those that learn from data; they have no rewards


@runtime_checkable
class GameLearner(GameAgent, Protocol):
    """An agent whose training takes long: it reports, saves its state and goes on from it."""

    #: Settings with which training takes seconds, to see that all is well.
    smoke: ClassVar[Mapping[str, str | int | float | bool | None]]
    #: Reports of the whole training, and the seconds it took.
    history: list[GameReport]
    seconds: float

    @property
    def settings(self) -> dict[str, Any]:
        """All settings, by name, as they were used."""
        ...

    def learn(
        self,
        games: Sequence[Game],
        rules: Rules,
        rng: np.random.Generator,
        checkpoint: Path | None = None,
        *,
        run: dict[str, Any] | None = None,
        tensorboard: Path | None = None,
    ) -> Iterator[GameReport]:
        """Train, with reports on the way; :meth:`train` has nothing left to do then.

        Args:
            games: to learn from.
            rules: what episodes go by.
            rng: for all random choices.
            checkpoint: a file to go on from if it is there, and to save to.
            run: what the training is for, kept in the checkpoint.
            tensorboard: a folder for further logs.
        """
        ...

    def load(self, path: Path) -> dict[str, Any]:
        """Take the state of finished training from a checkpoint, and say what it was for."""
        ...
