"""Random plans as the original draws them, and data sets of their episodes."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from topple.iphyre.engine.batch import simulate_batch
from topple.iphyre.episode import removal_table, scores_of
from topple.iphyre.game import MAX_ELIMINABLE, Game
from topple.iphyre.plan import Plan, plan_from_seconds
from topple.iphyre.rules import AT_60_HZ, Rules
from topple.iphyre.score import Score

INTERVAL = 0.1  # s, the grid of times
LATEST = 7.0  # s, times are before this
NEVER_SHARE = 0.2  # how often a block is left alone

Generators = tuple[random.Random, np.random.RandomState]  # of times, and of what is kept

_FIRST_BLOCK, _LARGEST_BLOCK = 64, 4096  # plans played at a time


def draw_times(
    blocks: int,
    width: int = MAX_ELIMINABLE,
    interval: float = INTERVAL,
    latest: float = LATEST,
    never: float = NEVER_SHARE,
    seed: int | None = 0,
    generators: Generators | None = None,
) -> Iterator[list[float]]:
    """Times per block, padded with zeros to `width`; 0 means never.

    Times lie on a grid, no two alike, and each is set to 0 with probability `never`.
    The two generators and the order of draws are the original's, and so is the check
    for repeats, which sees only rows without padding.

    Args:
        blocks: how many.
        width: numbers in a row.
        interval: between two times of the grid, in seconds.
        latest: times are before this, in seconds.
        never: how often a block is left alone.
        seed: of the generators.
        generators: to draw from, in place of new ones with that seed.
    """
    draw, keep = generators or (random.Random(seed), np.random.RandomState(seed))
    grid: list[float] = np.arange(0, latest, interval).tolist()
    drawn: set[tuple[float, ...]] = set()
    while True:
        times = draw.sample(grid, blocks)
        while tuple(times) in drawn:
            times = draw.sample(grid, blocks)
        times = [time if keep.uniform() > never else 0.0 for time in times]
        times += [0.0] * (width - blocks)
        drawn.add(tuple(times))
        yield times


class Draw(NamedTuple):
    """One plan drawn and played."""

    number: int  # counted from 1
    times: tuple[float, ...]  # s, one per gray block; 0 means never
    plan: Plan
    builds: int  # the scene had been built this often in its space
    score: Score


def play_draws(
    game: Game, seed: int = 0, rules: Rules = AT_60_HZ, threads: int | None = None
) -> Iterator[Draw]:
    """Draw and play plans without end.

    The original plays them all in one space that it fills anew each time, after a
    first time to ask for the actions, so the builds of a scene count up.

    Args:
        game: the game to play.
        seed: of the plans.
        rules: of the episodes.
        threads: at most this many; all cores by default.
    """
    blocks = len(game.eliminable)
    times_drawn = draw_times(blocks, seed=seed)
    number, block = 0, _FIRST_BLOCK
    while True:
        rows = [tuple(next(times_drawn)[:blocks]) for _ in range(block)]
        plans = [plan_from_seconds(game, times, rules) for times in rows]
        numbers = range(number + 2, number + 2 + block)
        outcomes = simulate_batch(
            [game.scene],
            [0] * block,
            removal_table(plans),
            rules.request,
            numbers,
            threads=threads,
        )
        scores = scores_of(outcomes, rules)
        for times, plan, builds, score in zip(rows, plans, numbers, scores, strict=True):
            number += 1
            yield Draw(number, times, plan, builds, score)
        # Whoever needs many gets more at a time.
        block = min(2 * block, _LARGEST_BLOCK)


def sample(game: Game, solved: int = 50, failed: int = 50, seed: int = 0) -> tuple[list[Draw], int]:
    """Draw until so many plans solved the game and so many failed.

    Returns:
        The draws kept, successes first, and how many were drawn in all.
    """
    kept: dict[bool, list[Draw]] = {True: [], False: []}
    wanted = {True: solved, False: failed}
    draws = play_draws(game, seed)
    number = 0
    while any(len(kept[end]) < wanted[end] for end in wanted):
        draw = next(draws)
        number = draw.number
        if len(kept[draw.score.solved]) < wanted[draw.score.solved]:
            kept[draw.score.solved].append(draw)
    return kept[True] + kept[False], number
