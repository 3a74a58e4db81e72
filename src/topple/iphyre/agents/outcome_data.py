"""Plans with their outcomes, for classifiers to learn from.

If asked for, the motion of bodies comes along with the outcome; the engine gives it for little.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from topple.iphyre.engine.batch import MAX_BODIES, Trace, new_world, trace_episode
from topple.iphyre.game import HEIGHT, WIDTH, Game
from topple.iphyre.observe import object_table, observed
from topple.iphyre.rules import AT_10_HZ, AT_60_HZ, SECONDS, Rules
from topple.iphyre.sampling import Draw, play_draws, sample
from topple.iphyre.scramble import scramble
from topple.iphyre.variants import vary

SAMPLES_PER_CLASS = 50  # plans that work, and as many that do not, of every game

MOTION_TIMES = (1, 2, 4, 8, SECONDS)  # s after which motion is known
MOTION = 3  # how far a body has come right and down, in widths of the scene; whether it is out

_HOPELESS_SHARE = 0.25  # of the plans kept where none works
_FARTHEST = 1.5  # widths of the scene; motion beyond it does not matter


class Examples(NamedTuple):
    """Plans of games, with whether they worked."""

    games: tuple[Game, ...]  # for their pictures; none where nobody looks at these
    tables: NDArray[np.float32]  # (games, 12, 9) initial scenes as agents see them
    game: NDArray[np.int64]  # (examples,) place in games
    times: NDArray[np.float32]  # (examples, 12) s by body; 0: never
    solved: NDArray[np.bool_]  # (examples,)
    # (examples, 12, times, MOTION) by body; not a number for one that cannot move
    motion: NDArray[np.float16] | None = None

    @property
    def size(self) -> int:
        """The number of examples."""
        return len(self.game)

    def part(self, chosen: NDArray[np.bool_]) -> Examples:
        """Select some of the examples."""
        return self._replace(
            game=self.game[chosen],
            times=self.times[chosen],
            solved=self.solved[chosen],
            motion=None if self.motion is None else self.motion[chosen],
        )

    @property
    def digest(self) -> str:
        """A hash that identifies the examples."""
        digest = hashlib.blake2b(digest_size=8)
        for part in (self.tables, self.game, self.times, self.solved, self.motion):
            if part is not None:
                digest.update(np.ascontiguousarray(part).data)
        return digest.hexdigest()


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
    """Join the examples of several games; motion, if all have it."""
    motion = [part.motion for part in parts if part.motion is not None]
    before = np.cumsum([0, *(len(part.tables) for part in parts)])
    return Examples(
        tuple(game for part in parts for game in part.games),
        np.concatenate([part.tables for part in parts]),
        np.concatenate([part.game + first for part, first in zip(parts, before, strict=False)]),
        np.concatenate([part.times for part in parts]),
        np.concatenate([part.solved for part in parts]),
        np.concatenate(motion) if parts and len(motion) == len(parts) else None,
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
    for number in range(len(examples.tables)):
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
    yield from scrambled_games(games, scrambled, rng, combined)


def scrambled_games(
    games: Sequence[Game], count: int, rng: np.random.Generator, combined: float = 0.0
) -> Iterator[Game]:
    """So many games, put together from pieces of others, with something to remove.

    Args:
        games: where pieces come from.
        count: how many to make.
        rng: of all random choices.
        combined: how often one is made of two whole games.
    """
    made = 0
    while made < count:
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
    watched: bool = False,
    trial: int = 0,
) -> Examples:
    """Play random plans of a game, by default at 10 Hz, as agents do.

    Args:
        game: the game to play.
        draws: number of plans to play.
        each: greatest number of plans that work, and of others, to keep; fewer if none works.
        seed: seed of the plans.
        rules: of the plays.
        threads: at most this many; all cores by default.
        watched: whether the motion of bodies in these plays is kept as well.
        trial: if given, plays end early: after so many if all of them work or none does, and later
            as soon as there are enough plans of both kinds.
    """
    played = list(_played(game, draws, each, seed, rules, threads, trial))
    works = np.array([draw.score.solved for draw in played])
    failed = each if works.any() else int(each * _HOPELESS_SHARE)
    kept = [*np.flatnonzero(works)[:each], *np.flatnonzero(~works)[:failed]]
    times = np.array([played[k].times for k in kept], np.float32).reshape(len(kept), -1)
    examples = game_examples(game, times, works[kept])
    if not watched:
        return examples
    motion = np.full((len(kept), MAX_BODIES, len(MOTION_TIMES), MOTION), np.nan, np.float16)
    for row, k in zip(motion, kept, strict=True):
        row[: len(game.scene.radii)] = _motion(game, _trace(game, played[k], rules), rules)
    return examples._replace(motion=motion)


def _played(
    game: Game, draws: int, each: int, seed: int, rules: Rules, threads: int | None, trial: int
) -> Iterator[Draw]:
    """Random plans with their plays, at most so many."""
    works = 0
    for number, draw in enumerate(islice(play_draws(game, seed, rules, threads), draws), start=1):
        works += draw.score.solved
        yield draw
        if number == trial and works in (0, number):
            return
        if 0 < trial <= number and min(works, number - works) >= each:
            return


def _trace(game: Game, draw: Draw, rules: Rules) -> Trace:
    """The play of a draw, tick by tick."""
    request = replace(rules, builds=draw.builds).request
    return trace_episode(game.scene, draw.plan.eliminations, request)


def _motion(game: Game, trace: Trace, rules: Rules) -> NDArray[np.float64]:
    """(bodies, times, MOTION) of a play; from its end on, bodies stay where they were then."""
    ticks = np.minimum(np.array(MOTION_TIMES) * rules.hz, len(trace.poses) - 1)
    places = trace.poses[ticks, :, :2]
    came = np.clip((places - trace.poses[0, :, :2]) / WIDTH, -_FARTHEST, _FARTHEST)
    motion = np.concatenate([came, places[..., 1:] > HEIGHT], axis=2).swapaxes(0, 1)
    motion[~np.array(game.scene.is_dynamic)] = np.nan
    return motion
