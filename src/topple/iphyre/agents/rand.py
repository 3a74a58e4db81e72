"""Random: one of seven actions at every tick, as published."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from topple.iphyre.episode import Episode, EpisodeState
from topple.iphyre.game import Game
from topple.iphyre.observe import ACTIONS
from topple.iphyre.phases import Testing
from topple.iphyre.play_log import play_of
from topple.iphyre.rules import AT_10_HZ, Rules
from topple.iphyre.split import Split
from topple.iphyre.strategy import Strategy
from topple.runs.agent import Traits, Untrained

# One generator serves all games in turn, so their order is part of the result. This one
# reproduces every entry of the paper; the shipped order of the games reproduces 32 of 40.
PAPER_ORDER = (
    Split.BASIC,
    Split.UNSEEN_BASIC,
    Split.COMPOSITIONAL,
    Split.NOISY,
    Split.MULTI_BALL,
)


def paper_games() -> list[Game]:
    """All fifty games in the order in which the paper's random agent played them."""
    return [game for split in PAPER_ORDER for game in split.games]


def play_random(
    games: Iterable[Game], seed: int = 0, rules: Rules = AT_10_HZ
) -> dict[str, EpisodeState]:
    """Play each game once; returns the last state of each by name."""
    rng = np.random.RandomState(seed)
    ends = {}
    for game in games:
        episode = Episode(game, rules)
        while not episode.solved and episode.tick < rules.tick_limit:
            episode.act(Strategy.ON_THE_FLY, rng.randint(0, ACTIONS))
        ends[game.name] = episode.state
    return ends


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
