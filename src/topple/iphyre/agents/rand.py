"""Random: any of seven choices at every tick, as published."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from topple.iphyre.analysis.random_agent import paper_games, play_random
from topple.iphyre.game import Game
from topple.iphyre.phases import GameTraits, Playing
from topple.iphyre.play_log import play_of
from topple.iphyre.rules import Rules
from topple.iphyre.strategy import Strategy


@dataclass
class Random:
    """The random agent.

    With the published rules and seed its plays of the paper's games are the published ones,
    whichever of those games are scored: one generator serves all fifty in the paper's order.

    Attributes:
        seed: of that generator, for the first play of every game; one more for each next play.
    """

    seed: int = 0

    @property
    def traits(self) -> GameTraits:
        """It acts at every tick and sees nothing."""
        return GameTraits(Strategy.ON_THE_FLY)

    def train(self, games: Sequence[Game], rules: Rules, rng: np.random.Generator) -> None:
        """Nothing to learn."""

    def play(self, playing: Playing) -> None:
        """Play every game as often as allowed."""
        published = paper_games()
        games = [*published, *(game for game in playing.games if game not in published)]
        for number in range(playing.log.limit):
            ends = play_random(games, self.seed + number, playing.rules)
            for game in playing.games:
                playing.log.append(play_of(ends[game.name]))
