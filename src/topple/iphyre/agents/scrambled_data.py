"""Plans with their outcomes on variants of games and on scrambled ones, to learn from."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

import numpy as np

from topple.iphyre.agents.outcome_data import Examples, game_examples
from topple.iphyre.game import Game
from topple.iphyre.rules import AT_10_HZ
from topple.iphyre.sampling import play_draws
from topple.iphyre.scramble import scramble
from topple.iphyre.variants import vary

_HOPELESS_SHARE = 0.25  # of the plans kept where none works


def widened(games: Sequence[Game], variants: int, scrambled: int, seed: int) -> Iterator[Game]:
    """Games, so many variants of each, and so many scrambled ones with something to remove."""
    yield from games
    rng = np.random.default_rng(seed)
    for game in games:
        for number in range(variants):
            yield vary(game, f"{game.name}_variant_{number}", rng)
    made = 0
    while made < scrambled:
        game = scramble(games, f"scrambled_{made}", rng)
        if game.eliminable:
            made += 1
            yield game


def play_examples(game: Game, draws: int, each: int, seed: int) -> Examples:
    """Random plans of a game at 10 Hz, as agents play.

    Args:
        game: to play.
        draws: plans to play.
        each: plans that work and plans that do not to keep, at most; fewer where none works.
        seed: of the plans.
    """
    played = list(islice(play_draws(game, seed, AT_10_HZ), draws))
    works = np.array([draw.score.solved for draw in played])
    failed = each if works.any() else int(each * _HOPELESS_SHARE)
    kept = [*np.flatnonzero(works)[:each], *np.flatnonzero(~works)[:failed]]
    times = np.array([played[k].times for k in kept], np.float32).reshape(len(kept), -1)
    return game_examples(game, times, works[kept])
