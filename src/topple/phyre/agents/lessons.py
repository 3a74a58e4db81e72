"""What the transformer learns from: tasks, then puzzles as they come, and batches of attempts.

Half of a batch are solutions, half are failures on the same scenes. Mined attempts with the same
outcome take the place of some, see :mod:`~topple.phyre.agents.mined`. Attempts come in groups on
scenes of about the same size, and every batch has groups of the same sizes, so that a GPU does the
same in each. Batches are drawn on the host and depend on the seed, their number, and what has been
added.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from topple.phyre.action import Actions
from topple.phyre.agents.dqn_updates import Batches, split_evenly
from topple.phyre.agents.mined import Mined
from topple.phyre.agents.puzzle_supply import Part
from topple.phyre.agents.scene_tokens import SceneTokens
from topple.phyre.agents.transformer_network import LENGTHS, length_kinds
from topple.phyre.agents.watched import Watched
from topple.phyre.cache.shard import Outcomes
from topple.phyre.engine.result import Outcome
from topple.phyre.task import Task
from topple.phyre.tier import COMPONENTS_PER_BALL

Ints = npt.NDArray[np.int64]
Columns = tuple[npt.NDArray[np.generic], ...]  # [batches, attempts] each


class Group(NamedTuple):
    """Attempts of a batch that are computed together."""

    length: int  # tokens that each is padded to
    attempts: int
    watched: int


class Drawn(NamedTuple):
    """Batches of attempts to learn from, group after group."""

    scenes: Ints  # [batches, attempts]
    numbers: Ints  # [batches, attempts] places in the table of actions
    solved: npt.NDArray[np.float32]  # [batches, attempts]
    watched: Ints  # [batches, watched] places among the watched attempts, which come on top
    groups: tuple[Group, ...]


class _Pool:
    """Outcomes of listed actions on scenes, from which batches are drawn evenly."""

    def __init__(self) -> None:
        self._outcomes: list[Outcomes] = []
        self._tried: list[npt.NDArray[np.int32]] = []
        self._batches: Batches | None = None

    def __len__(self) -> int:
        return sum(map(len, self._outcomes))

    def add(self, outcomes: Outcomes, tried: npt.NDArray[np.int32] | None = None) -> None:
        """Add scenes: [scenes, tried] what came of actions, and their numbers.

        Without numbers, the first actions of the list were tried; then there are no others.
        """
        self._outcomes.append(outcomes)
        if tried is not None:
            self._tried.append(tried)
        self._batches = None

    def draw(
        self, number: int, count: int, size: int, kinds: npt.NDArray[np.intp], seed: int
    ) -> tuple[Columns, Ints]:
        """Scenes, actions and results of attempts, and the kind of the scene in each column."""
        if self._batches is None or self._batches.size != size:
            outcomes = np.concatenate(self._outcomes)
            self._batches = Batches(outcomes, size, even=True, strata=kinds, seed=seed)
        chunk = self._batches.chunk(number, count)
        sizes = self._batches.sizes
        numbers = chunk.numbers
        if self._tried:
            self._tried = [np.concatenate(self._tried)]
            numbers = self._tried[0][chunk.tasks, chunk.numbers]
        return (chunk.tasks, numbers, chunk.solved), np.repeat(np.arange(len(sizes)), sizes)


class Lessons:
    """Scenes with attempts on them, on the device of the network.

    Args:
        listed: [actions, action_size] the list that outcomes refer to.
        task_share: share of a batch that comes from the tasks, if there are puzzles as well.
        mined_share: share of attempts that mined ones take the place of, where there are any.
        device: of the network.

    Attributes:
        scenes: of the tasks, then of the puzzles.
        actions: [actions, action_size] the list, then the mined actions, scene by scene.
        watched: scenes, actions, outcomes, touches and motions of watched attempts.
    """

    def __init__(self, listed: Actions, task_share: float, mined_share: float, device: str) -> None:
        self.scenes = SceneTokens(device)
        self.actions = torch.tensor(listed, dtype=torch.float32, device=device)
        self.watched: list[Tensor] = []
        self._watched_scenes: Ints = np.zeros(0, np.int64)
        self._listed = len(listed)
        self._balls = listed.shape[1] // COMPONENTS_PER_BALL
        self._task_share, self._mined_share = task_share, mined_share
        self._tasks, self._puzzles = _Pool(), _Pool()
        self._mined: list[Outcomes] = []

    def add_tasks(
        self, tasks: Sequence[Task], outcomes: Outcomes, mined: Mined, watched: Watched | None
    ) -> None:
        """Add all tasks, before any puzzles.

        Args:
            tasks: the tasks.
            outcomes: [tasks, actions] of the first listed actions.
            mined: attempts on each.
            watched: attempts on some.
        """
        self._tasks.add(outcomes)
        self.scenes.add([task.scene for task in tasks])
        self._add_attempts([mined], [watched] if watched else [])

    def add_puzzles(self, parts: Sequence[Part]) -> None:
        """Add puzzles."""
        watched = []
        offset = len(self.scenes)
        for part in parts:
            self._puzzles.add(part.outcomes, part.tried)
            if part.watched:
                watched.append(part.watched._replace(scene=part.watched.scene + offset))
            offset += len(part)
        self.scenes.add_rows([part.rows for part in parts])
        self._add_attempts([part.mined for part in parts], watched)

    def _add_attempts(self, mined: Sequence[Mined], watched: Sequence[Watched]) -> None:
        device, size = self.actions.device, self.actions.shape[1]
        actions = [torch.from_numpy(part.actions.reshape(-1, size)).to(device) for part in mined]
        self.actions = torch.cat([self.actions, *actions])
        self._mined += [part.outcomes for part in mined]
        if watched:
            columns = [np.concatenate(arrays) for arrays in zip(*watched, strict=True)]
            tensors = [torch.from_numpy(column).to(device) for column in columns]
            pairs = zip(self.watched, tensors, strict=True)
            self.watched = [torch.cat(pair) for pair in pairs] if self.watched else tensors
            self._watched_scenes = np.concatenate([self._watched_scenes, columns[0]])

    def draw(self, count: int, size: int, watched: int, seed: int, number: int) -> Drawn:
        """Draw consecutive batches.

        Args:
            count: how many.
            size: attempts of a batch.
            watched: attempts that come on top, if any were watched.
            seed: of all random choices.
            number: of this draw.
        """
        kinds = length_kinds(self.scenes.counts, self._balls)
        tasks = len(self._tasks)
        of_tasks = 2 * round((self._task_share if self._puzzles else 1.0) * size / 2)
        of_tasks = min(of_tasks, size - size % 2) if tasks else 0
        of_puzzles = (size - of_tasks) // 2 * 2 if self._puzzles else 0
        columns: list[Columns] = []
        kind: list[Ints] = []
        pools = (
            (self._tasks, of_tasks, slice(tasks), 0),
            (self._puzzles, of_puzzles, slice(tasks, None), tasks),
        )
        for pool, attempts, own, offset in pools:
            if attempts:
                drawn, each = pool.draw(number, count, attempts, kinds[own], seed)
                columns.append((drawn[0] + offset, *drawn[1:]))
                kind.append(each)
        every = np.concatenate(kind)
        order = np.argsort(every, kind="stable")
        scenes, numbers, solved = (
            np.concatenate(arrays, axis=1)[:, order].astype(dtype)
            for arrays, dtype in zip(
                zip(*columns, strict=True), (np.int64, np.int64, np.float32), strict=True
            )
        )
        rng = np.random.default_rng([seed, number, 1])
        self._take_mined(scenes, numbers, solved, rng)
        top, seen = self._draw_watched(kinds, count, watched if self.watched else 0, rng)
        counts = np.bincount(every, minlength=len(LENGTHS))
        sizes = zip(LENGTHS, counts.tolist(), seen.tolist(), strict=True)
        groups = tuple(Group(*row) for row in sizes if row[1] or row[2])
        return Drawn(scenes, numbers, solved, top, groups)

    def _draw_watched(
        self, kinds: npt.NDArray[np.intp], count: int, watched: int, rng: np.random.Generator
    ) -> tuple[Ints, Ints]:
        """[batches, watched] places among the watched attempts, and [kinds] how many of each."""
        kind = kinds[self._watched_scenes]
        pools = [np.flatnonzero(kind == number) for number in range(len(LENGTHS))]
        sizes = split_evenly(watched, [len(pool) for pool in pools])
        drawn = [
            pool[rng.integers(len(pool), size=(count, size))]
            for pool, size in zip(pools, sizes.tolist(), strict=True)
            if size
        ]
        return np.concatenate([np.zeros((count, 0), np.int64), *drawn], axis=1), sizes

    def _take_mined(
        self,
        scenes: Ints,
        numbers: Ints,
        solved: npt.NDArray[np.float32],
        rng: np.random.Generator,
    ) -> None:
        """Let mined attempts on the same scenes with the same outcomes take the place of some."""
        outcomes = np.concatenate(self._mined)
        count = outcomes.shape[1]
        if not count or not self._mined_share:
            return
        column = rng.integers(count, size=scenes.shape)
        wanted = np.where(solved > 0, Outcome.SOLVED, Outcome.NOT_SOLVED)
        taken = outcomes[scenes, column] == wanted
        taken &= rng.random(scenes.shape) < self._mined_share
        numbers[taken] = self._listed + (scenes * count + column)[taken]
