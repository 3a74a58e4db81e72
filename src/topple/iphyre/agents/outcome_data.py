"""Plans with their outcomes, for classifiers to learn from."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from topple.iphyre.engine.batch import MAX_BODIES, new_world
from topple.iphyre.game import Game
from topple.iphyre.observe import object_table, observed
from topple.iphyre.rules import AT_10_HZ, AT_60_HZ, Rules
from topple.iphyre.sampling import play_draws, sample
from topple.iphyre.scramble import scramble
from topple.iphyre.variants import vary

SAMPLES_PER_CLASS = 50  # plans that work, and as many that do not, of every game

_HOPELESS_SHARE = 0.25  # of the plans kept where none works


class Examples(NamedTuple):
    """Plans of games, with whether they worked."""

    games: tuple[Game, ...]
    tables: NDArray[np.float32]  # (games, 12, 9) initial scenes as agents see them
    game: NDArray[np.int64]  # (examples,) place in games
    times: NDArray[np.float32]  # (examples, 12) s by body; 0: never
    solved: NDArray[np.bool_]  # (examples,)

    @property
    def size(self) -> int:
        """The number of examples."""
        return len(self.game)

    def part(self, chosen: NDArray[np.bool_]) -> Examples:
        """Select some of the examples."""
        return self._replace(
            game=self.game[chosen], times=self.times[chosen], solved=self.solved[chosen]
        )

    @property
    def digest(self) -> str:
        """A hash that identifies the examples."""
        parts = (self.tables, self.game, self.times, self.solved)
        return hashlib.blake2b(b"".join(p.tobytes() for p in parts), digest_size=8).hexdigest()


def first_table(game: Game) -> NDArray[np.float32]:
    """(12, 9) a game's initial scene as agents see it."""
    return observed(object_table(new_world(game.scene, AT_60_HZ.dt), game.eliminable))


def by_body(game: Game, times: NDArray[np.float32]) -> NDArray[np.float32]:
    """(plans, 12) times by body from times by gray block."""
    rows = np.zeros((len(times), MAX_BODIES), np.float32)
    rows[:, list(game.eliminable)] = times[:, : len(game.eliminable)]
    return rows


def game_examples(game: Game, times: NDArray[np.float32], solved: NDArray[np.bool_]) -> Examples:
    """Plans of one game, by their times for each gray block."""
    numbers = np.zeros(len(times), np.int64)
    return Examples((game,), first_table(game)[None], numbers, by_body(game, times), solved)


def joined(parts: Sequence[Examples]) -> Examples:
    """Join the examples of several games, given for one game each."""
    return Examples(
        tuple(game for part in parts for game in part.games),
        np.concatenate([part.tables for part in parts]),
        np.concatenate([part.game + place for place, part in enumerate(parts)]),
        np.concatenate([part.times for part in parts]),
        np.concatenate([part.solved for part in parts]),
    )


def sample_examples(
    games: Sequence[Game], each: int = SAMPLES_PER_CLASS, seed: int = 0, masked: bool = True
) -> Examples:
    """Draw plans of every game until there are enough of both kinds, as published.

    Args:
        games: games to draw plans for.
        each: plans that work, and as many that do not.
        seed: seed of the draws; one generator per game starts from it.
        masked: whether times after the end of an episode are set to never, as in the original.
            It tells a classifier something about outcomes, as only episodes that work end early.
    """
    parts = []
    for game in games:
        draws, _ = sample(game, each, each, seed)
        rows = np.array([draw.times for draw in draws], np.float32).reshape(len(draws), -1)
        if masked:
            ends = np.array([draw.score.ticks / AT_60_HZ.hz for draw in draws])
            rows = np.where(rows <= ends[:, None], rows, np.float32(0.0))
        parts.append(game_examples(game, rows, np.array([draw.score.solved for draw in draws])))
    return joined(parts)


def held_out(examples: Examples, share: float, seed: int) -> NDArray[np.bool_]:
    """(examples,) which ones to keep for testing: a random share of each game's."""
    rng = np.random.default_rng(seed)
    chosen = np.zeros(examples.size, np.bool_)
    for number in range(len(examples.games)):
        own = np.flatnonzero(examples.game == number)
        chosen[rng.permutation(own)[: round(share * len(own))]] = True
    return chosen


def widened(
    games: Sequence[Game], variants: int, scrambled: int, seed: int, combined: float = 0.0
) -> Iterator[Game]:
    """The games, some variants of each, and some scrambled games with something to remove.

    Args:
        games: the games.
        variants: of each.
        scrambled: games put together from pieces of these.
        seed: of all random choices.
        combined: how often a scrambled game is made of two whole games.
    """
    yield from games
    rng = np.random.default_rng(seed)
    for game in games:
        for number in range(variants):
            yield vary(game, f"{game.name}_variant_{number}", rng)
    made = 0
    while made < scrambled:
        game = scramble(games, f"scrambled_{made}", rng, combined)
        if game.eliminable:
            made += 1
            yield game


def play_examples(
    game: Game,
    draws: int,
    each: int,
    seed: int,
    rules: Rules = AT_10_HZ,
    threads: int | None = None,
) -> Examples:
    """Play random plans of a game, by default at 10 Hz, as agents do.

    Args:
        game: the game to play.
        draws: number of plans to play.
        each: greatest number of plans that work, and of others, to keep; fewer if none works.
        seed: seed of the plans.
        rules: of the plays.
        threads: at most this many; all cores by default.
    """
    played = list(islice(play_draws(game, seed, rules, threads), draws))
    works = np.array([draw.score.solved for draw in played])
    failed = each if works.any() else int(each * _HOPELESS_SHARE)
    kept = [*np.flatnonzero(works)[:each], *np.flatnonzero(~works)[:failed]]
    times = np.array([played[k].times for k in kept], np.float32).reshape(len(kept), -1)
    return game_examples(game, times, works[kept])
