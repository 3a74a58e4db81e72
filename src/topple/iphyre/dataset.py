"""Data sets: sampled episodes of a game with what was seen, in one file."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from topple.files import whole_file
from topple.iphyre.engine.batch import MAX_BODIES, World
from topple.iphyre.episode import Episode
from topple.iphyre.game import MAX_ELIMINABLE, Game
from topple.iphyre.observe import COLUMNS, object_table
from topple.iphyre.pictures import picture_world
from topple.iphyre.plan import Plan
from topple.iphyre.rules import AT_60_HZ, SECONDS, Rules
from topple.iphyre.sampling import Draw, sample

FPS = 10  # object tables and frames a second


class Dataset(NamedTuple):
    """Sampled episodes, the successes first."""

    times: NDArray[np.float64]  # (n, 6) s per gray block; 0: never, or after the end
    solved: NDArray[np.bool_]  # (n,)
    removed: NDArray[np.int32]  # (n,) blocks
    seconds: NDArray[np.float64]  # (n,) at the end
    rewards: NDArray[np.float64]  # (n,)
    tables: NDArray[np.float32]  # (n, 150, 12, 9) px, ten a second; zero after the end
    drawn: NDArray[np.int64]  # () plans drawn to get these
    frames: NDArray[np.uint8]  # (n, 150, size, size, 3), or (0,) if none were asked for


def collect(
    game: Game, solved: int = 50, failed: int = 50, seed: int = 0, frame_size: int = 0
) -> Dataset:
    """Sample episodes of a game and record them; frames only if given a size."""
    draws, drawn = sample(game, solved, failed, seed)
    count, length = len(draws), SECONDS * FPS
    tables = np.zeros((count, length, MAX_BODIES, COLUMNS), dtype=np.float32)
    frames = np.zeros((0,), dtype=np.uint8)
    if frame_size:
        frames = np.full((count, length, frame_size, frame_size, 3), 255, dtype=np.uint8)
    times = np.zeros((count, MAX_ELIMINABLE))
    for k, draw in enumerate(draws):
        end = draw.score.ticks / AT_60_HZ.hz
        times[k, : len(draw.times)] = [time if time <= end else 0.0 for time in draw.times]
        _record(game, draw, tables[k], frames[k] if frame_size else None)
    scores = [draw.score for draw in draws]
    return Dataset(
        times=times,
        solved=np.array([score.solved for score in scores]),
        removed=np.array([score.removed for score in scores], dtype=np.int32),
        seconds=np.array([score.ticks / AT_60_HZ.hz for score in scores]),
        rewards=np.array([score.reward for score in scores]),
        tables=tables,
        drawn=np.array(drawn),
        frames=frames,
    )


def _record(
    game: Game, draw: Draw, tables: NDArray[np.float32], frames: NDArray[np.uint8] | None
) -> None:
    """Play a draw again, as it was played, and write what is seen before every sixth tick."""
    last = draw.score.ticks - 1
    worlds = walk(game, draw.plan, AT_60_HZ, draw.builds, last, AT_60_HZ.hz // FPS)
    for place, world in enumerate(worlds):
        tables[place] = object_table(world, game.eliminable)
        if frames is not None:
            frames[place] = picture_world(game, world, size=frames.shape[1])


def walk(
    game: Game, plan: Plan, rules: Rules, builds: int, last: int, stride: int
) -> Iterator[World]:
    """Play a plan and stop every so many ticks, after the removals that are due then.

    Args:
        game: what is played.
        plan: what is removed, and when.
        rules: what it goes by.
        builds: how often the scene was built in its space.
        last: the tick to play up to.
        stride: ticks between two stops; the first is at the start.

    Yields:
        The same world each time, further on.
    """
    episode = Episode(game, rules)
    episode.world.reset(builds)
    due = dict(plan.eliminations)
    for tick in sorted({*due, *range(0, last + 1, stride)}):
        if tick > last:
            break
        episode.run(tick - episode.tick)
        if tick in due:
            episode.remove(due[tick])
        if tick % stride == 0:
            yield episode.world


def save(dataset: Dataset, path: Path) -> None:
    """Write a data set as one compressed file, whole."""
    with whole_file(path) as temporary, temporary.open("wb") as file:
        np.savez_compressed(file, **dataset._asdict())


def load(path: Path) -> Dataset:
    """Read a data set."""
    with np.load(path) as file:
        return Dataset(*(file[field] for field in Dataset._fields))
