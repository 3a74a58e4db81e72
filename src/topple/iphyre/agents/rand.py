"""Random: one of seven actions at every tick, as published."""

from __future__ import annotations

from dataclasses import dataclass

from topple.iphyre.analysis.random_agent import paper_games, play_random
from topple.iphyre.phases import Testing
from topple.iphyre.play_log import play_of
from topple.iphyre.strategy import Strategy
from topple.runs.agent import Traits, Untrained


@dataclass
class Random(Untrained):
    """The random agent.

    With the published rules and seed its plays of the paper's games are the published ones,
    whichever of those games are scored: one generator serves all fifty in the paper's order.

    Attributes:
        seed: seed of that generator for the first play of every game; each further play adds 1.
    """

    seed: int = 0

    @property
    def traits(self) -> Traits:
        """It acts at every tick and sees nothing."""
        return Traits(strategy=Strategy.ON_THE_FLY.value)

    def act(self, testing: Testing) -> None:
        """Play every game as often as allowed."""
        published = paper_games()
        games = [*published, *(game for game in testing.games if game not in published)]
        for number in range(testing.log.limit):
            ends = play_random(games, self.seed + number, testing.rules)
            for game in testing.games:
                testing.log.append(play_of(ends[game.name]))
