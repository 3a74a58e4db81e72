"""The two phases of a run, as an agent of I-PHYRE meets them.

In training it may simulate what it likes. In testing every play is logged.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager

import numpy as np

from topple.iphyre.engine.batch import Trace
from topple.iphyre.episode import Episode, play, watch
from topple.iphyre.game import Game
from topple.iphyre.plan import Plan
from topple.iphyre.play_log import Play, PlayError, PlayLog, play_of
from topple.iphyre.results import GameResults
from topple.iphyre.rules import Rules
from topple.iphyre.score import Score


class Training:
    """Games to learn from, with unlimited simulation.

    Attributes:
        games: the training games.
        rules: the rules of their episodes.
        rng: the generator of all random choices of the agent; the same in a repeated run.
        simulator_calls: episodes simulated so far, of agents that count them.
    """

    def __init__(self, games: Sequence[Game], rules: Rules, rng: np.random.Generator) -> None:
        self.games = tuple(games)
        self.rules = rules
        self.rng = rng
        self.simulator_calls = 0


class Testing:
    """Games to be scored on, a number of plays on each, and feedback on every play.

    Attributes:
        games: to be solved, in any order; all of them count.
        rules: what episodes go by.
        rng: for all random choices of the agent; the same in a repeated run.
        log: the plays so far.
        simulator_calls: episodes that the agent simulated to decide what to play; it counts
            them itself.
        imagined: episodes that it imagined, in games as it perceives them; likewise.
    """

    __test__ = False  # pytest collects no tests from it

    def __init__(
        self, games: Iterable[Game], rules: Rules, rng: np.random.Generator, plays: int = 1
    ) -> None:
        self.games = tuple(games)
        self.rules = rules
        self.rng = rng
        self.log = PlayLog((game.name for game in self.games), plays)
        self.simulator_calls = 0
        self.imagined = 0

    def remaining(self, game: Game) -> int:
        """Plays left on a game."""
        return self.log.remaining(game.name)

    @property
    def privileged(self) -> bool:
        """Whether the agent simulated scored games beside its plays."""
        return self.simulator_calls > 0

    def count_simulations(self, count: int) -> None:
        """Count episodes that were simulated beside the plays."""
        self.simulator_calls += count

    def results(self) -> GameResults:
        """What came out.

        Raises:
            ValueError: The agent left out a game.
        """
        missing = [game.name for game in self.games if self.remaining(game) == self.log.limit]
        if missing:
            raise ValueError(f"the agent did not play {', '.join(missing)}")
        return GameResults(tuple(self.log))

    def part(self, game: Game) -> Testing:
        """A testing of one game alone, for agents that play several at once.

        What happened there counts when it is joined, in an order that does not depend on chance.
        """
        return Testing([game], self.rules, self.rng, self.log.limit)

    def join(self, part: Testing) -> None:
        """Add what happened in a part."""
        for made in part.log:
            self.log.append(made)
        self.simulator_calls += part.simulator_calls
        self.imagined += part.imagined

    def play(self, game: Game, plan: Plan) -> Score:
        """Play a plan made in advance."""
        score = play(game, plan, self.rules)
        self.log.append(Play(game.name, plan, score))
        return score

    def watch(self, game: Game, plan: Plan) -> tuple[Score, Trace]:
        """Play a plan made in advance and watch the play tick by tick."""
        return self.play(game, plan), watch(game, plan, self.rules)

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
