"""Sampled episodes as sequences of states and removals, ten steps a second, from 60 Hz data."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from topple.iphyre.dataset import FPS, Dataset, collect
from topple.iphyre.engine.batch import MAX_BODIES
from topple.iphyre.episode import Episode
from topple.iphyre.game import Game
from topple.iphyre.observe import ACTIONS, COLUMNS, observed
from topple.iphyre.rules import ELIMINATION_REWARD, SECONDS, TIME_REWARD
from topple.iphyre.strategy import Strategy

STEPS = SECONDS * FPS
STATE = MAX_BODIES * COLUMNS
POSITIONS = 2 * ACTIONS


class Sequences(NamedTuple):
    """Episodes as arrays, padded with zeros."""

    states: NDArray[np.float32]  # (episodes, 150, 108) tables as agents see them
    positions: NDArray[np.float32]  # (episodes, 14) where the choices are
    removed: NDArray[np.bool_]  # (episodes, 150, 12) bodies that go between a step and the next
    actions: NDArray[np.int64]  # (episodes, 150) the same as a choice; 0: nothing
    returns: NDArray[np.float32]  # (episodes, 150) rewards from a step on
    lengths: NDArray[np.int64]  # (episodes,) steps
    solved: NDArray[np.bool_]  # (episodes,)

    @property
    def size(self) -> int:
        """The number of episodes."""
        return len(self.states)

    @property
    def digest(self) -> str:
        """A hash that identifies the episodes."""
        return hashlib.blake2b(b"".join(p.tobytes() for p in self), digest_size=8).hexdigest()


def collect_sequences(games: Sequence[Game], each: int, seed: int = 0) -> Sequences:
    """Sample a number of solved episodes, and as many unsolved ones, of each game."""
    parts = [_of_game(game, collect(game, each, each, seed)) for game in games]
    return Sequences(*(np.concatenate(column) for column in zip(*parts, strict=True)))


def windows(lengths: NDArray[np.int64], size: int) -> NDArray[np.int64]:
    """(windows, 2) episode and first step of parts that cover all episodes without overlap."""
    return np.array(
        [
            (k, start)
            for k, length in enumerate(lengths.tolist())
            for start in range(0, length, size)
        ]
    )


def _of_game(game: Game, data: Dataset) -> Iterator[NDArray[np.generic]]:
    tables = data.tables
    there: NDArray[np.bool_] = np.any(tables, axis=3)  # (episodes, 150, 12)
    lengths = np.any(there, axis=2).sum(axis=1)
    gone = np.zeros_like(there)
    # What was removed between two tables is what the choice at the first of them was.
    gone[:, :-1] = there[:, :-1] & ~there[:, 1:]
    gone[np.arange(STEPS) >= lengths[:, None] - 1] = False
    actions = _choices(gone[:, :, list(game.eliminable)])
    removing = (actions > 0).astype(np.int64)
    before = np.cumsum(removing, axis=1) - removing
    earned = TIME_REWARD / FPS * np.arange(STEPS) + ELIMINATION_REWARD * before
    within = np.arange(STEPS) < lengths[:, None]
    returns = np.where(within, data.rewards[:, None] - earned, 0.0)
    flat = tables.reshape(-1, MAX_BODIES, COLUMNS).astype(np.float64)
    states = np.stack([observed(table) for table in flat])
    positions = Episode(game).observe(Strategy.ON_THE_FLY)[STATE:]
    yield states.reshape(len(tables), STEPS, STATE)
    yield np.repeat(positions[None], len(tables), axis=0)
    yield gone
    yield actions
    yield returns.astype(np.float32)
    yield lengths.astype(np.int64)
    yield data.solved


def _choices(gone: NDArray[np.bool_]) -> NDArray[np.int64]:
    """(episodes, 150) a choice per step; of two removals in a step, the second waits for the next.

    The clock of the original adds up floats, so two times a step apart may share a step.
    """
    actions = np.zeros(gone.shape[:2], np.int64)
    for episode, step, block in np.argwhere(gone).tolist():
        while actions[episode, step] and step < STEPS - 1:
            step += 1
        actions[episode, step] = 1 + block
    return actions
