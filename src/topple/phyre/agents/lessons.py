"""What the transformer learns from: tasks, then puzzles as they come, and batches of attempts.

Half of a batch are solutions, half are failures on the same scenes. Mined attempts with the same
outcome take the place of some, see :mod:`~topple.phyre.agents.mined`. Batches are drawn on the
host and depend on the seed, their number, and what has been added.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from topple.phyre.action import Actions
from topple.phyre.agents.dqn_updates import Batches
from topple.phyre.agents.mined import Mined
from topple.phyre.agents.puzzle_supply import Part
from topple.phyre.agents.scene_tokens import SceneTokens
from topple.phyre.agents.watched import Watched
from topple.phyre.cache.shard import Outcomes
from topple.phyre.engine.result import Outcome
from topple.phyre.task import Task

Ints = npt.NDArray[np.int64]


class Batch(NamedTuple):
    """Attempts to learn from, or [batches, ...] those of several batches."""

    scenes: Ints  # [attempts]
    numbers: Ints  # [attempts] places in the table of actions
    solved: npt.NDArray[np.float32]  # [attempts]
    watched: Ints  # [watched] places among the watched attempts, which come on top


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
        watched: actions, outcomes, touches and motions of watched attempts.
        watched_scenes: [watched] their scenes, in the memory of the host.
    """

    def __init__(self, listed: Actions, task_share: float, mined_share: float, device: str) -> None:
        self.scenes = SceneTokens(device)
        self.actions = torch.tensor(listed, dtype=torch.float32, device=device)
        self.watched: list[Tensor] = []
        self.watched_scenes: Ints = np.zeros(0, np.int64)
        self._listed = len(listed)
        self._task_share, self._mined_share = task_share, mined_share
        self._tasks: Outcomes = np.zeros((0, 0), np.int8)
        self._task_batches: Batches | None = None
        self._puzzles: list[Outcomes] = []
        self._first: list[Ints] = []
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
        self._tasks = outcomes
        self.scenes.add([task.scene for task in tasks])
        self._add_attempts([mined], [watched] if watched else [])

    def add_puzzles(self, parts: Sequence[Part]) -> None:
        """Add puzzles."""
        watched = []
        offset = len(self.scenes)
        for part in parts:
            self._puzzles.append(part.outcomes)
            self._first.append(part.first)
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
            scenes, *columns = (np.concatenate(arrays) for arrays in zip(*watched, strict=True))
            tensors = [torch.from_numpy(column).to(device) for column in columns]
            pairs = zip(self.watched, tensors, strict=True)
            self.watched = [torch.cat(pair) for pair in pairs] if self.watched else tensors
            self.watched_scenes = np.concatenate([self.watched_scenes, scenes])

    def draw(self, count: int, size: int, watched: int, seed: int, number: int) -> Batch:
        """Draw consecutive batches.

        Args:
            count: how many.
            size: attempts of a batch.
            watched: attempts that come on top, if any were watched.
            seed: of all random choices.
            number: of this draw.
        """
        of_tasks = 2 * round((self._task_share if self._puzzles else 1.0) * size / 2)
        of_tasks = min(of_tasks, size - size % 2) if len(self._tasks) else 0
        chunks: list[tuple[npt.NDArray[np.generic], ...]] = []
        if of_tasks:
            if self._task_batches is None or self._task_batches.size != of_tasks:
                self._task_batches = Batches(self._tasks, of_tasks, even=True, seed=seed)
            chunk = self._task_batches.chunk(number, count)
            chunks.append((chunk.tasks, chunk.numbers, chunk.solved))
        rest = (size - of_tasks) // 2 * 2
        if rest and self._puzzles:
            outcomes, first = np.concatenate(self._puzzles), np.concatenate(self._first)
            chunk = Batches(outcomes, rest, even=True, seed=seed).chunk(number, count)
            numbers = first[chunk.tasks] + chunk.numbers
            chunks.append((chunk.tasks + len(self._tasks), numbers, chunk.solved))
        scenes, numbers, solved = (
            np.concatenate(arrays, axis=1).astype(kind)
            for arrays, kind in zip(
                zip(*chunks, strict=True), (np.int64, np.int64, np.float32), strict=True
            )
        )
        rng = np.random.default_rng([seed, number, 1])
        self._take_mined(scenes, numbers, solved, rng)
        seen = watched if self.watched else 0
        top = rng.integers(max(1, len(self.watched_scenes)), size=(count, seen))
        return Batch(scenes, numbers, solved, top)

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
