"""The published random agent: any of seven choices at every tick, one episode a game."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from topple.iphyre.episode import Episode, EpisodeState
from topple.iphyre.game import Game
from topple.iphyre.observe import ACTIONS
from topple.iphyre.rules import AT_10_HZ, Rules
from topple.iphyre.split import Split
from topple.iphyre.strategy import Strategy

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
