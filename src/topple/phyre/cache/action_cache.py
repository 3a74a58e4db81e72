"""Outcomes of the fixed action list on tasks: looked up where they are known, else simulated.

The list is the one behind the published tables: ``RandomState(42)``, each action rounded to
float32 and simulated as that. Whether an action is valid is geometry; which valid actions
solve a task stands in the solution indexes that come with the package or were imported. Only
what no index covers is simulated, and kept on disk.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property, partial
from pathlib import Path

import numpy as np
import numpy.typing as npt

from topple.phyre.action import CACHE_SEED, listed_actions
from topple.phyre.cache.grid import OutcomeGrid, UnitMap, by_template, map_here, scene_digests
from topple.phyre.cache.index import (
    Numbers,
    SolutionIndex,
    imported_indexes,
    make_index,
    shipped_index,
)
from topple.phyre.cache.shard import UNKNOWN, CacheError, Outcomes
from topple.phyre.engine.backend import Backend
from topple.phyre.engine.native import SceneSet, map_actions, valid_actions
from topple.phyre.engine.result import Outcome
from topple.phyre.engine_hash import engine_hash
from topple.phyre.task import Task
from topple.phyre.tier import Tier
from topple.progress import Progress

ACTION_CACHE = "phyre_actions"  # the folder of action caches in topple.paths.cache_folder()
_VALIDITY_STEP = 64  # actions looked at together when valid ones are searched


class ActionCache(OutcomeGrid):
    """Outcomes of the fixed action list on any tasks of a tier.

    Threads and processes may share a folder; each thread takes a cache object of its own.

    Args:
        folder: where files are kept, see :func:`topple.paths.cache_folder`.
        tier: what the actions place.
        seed: of the action list; 42 is the published one.
        indexes: what to answer from without simulating; by default the index that comes with
            the package and those that were imported.
        run: how units are worked through; here, one after the other, by default.
        progress: called with (outcomes done, outcomes in all) while the cache is built.
        backend: where outcomes are simulated.
    """

    def __init__(
        self,
        folder: Path,
        tier: Tier,
        *,
        seed: int = CACHE_SEED,
        indexes: Sequence[SolutionIndex] | None = None,
        run: UnitMap = map_here,
        progress: Progress | None = None,
        backend: Backend = "cpu",
    ) -> None:
        actions = partial(listed_actions, tier, seed=seed)
        super().__init__(folder, tier, seed, actions, run=run, progress=progress, backend=backend)
        self._seed, self._given = seed, indexes

    @cached_property
    def indexes(self) -> list[SolutionIndex]:
        """The indexes of this engine, tier and list, the longest first."""
        found = self._given
        if found is None:
            found = [shipped_index(self.tier), *imported_indexes(self.folder, self.tier)]
        suited = [
            index for index in found if index.engine == engine_hash() and index.seed == self._seed
        ]
        return sorted(suited, key=lambda index: -index.actions)

    def outcomes(self, tasks: Sequence[Task], count: int) -> Outcomes:
        """[tasks, count] outcomes of the first actions; simulates what is not known yet.

        Raises:
            CacheError: Stored outcomes are damaged, or disappear while they are read.
        """
        cells: Outcomes = self.cells(tasks, count)
        return cells

    def known(self, tasks: Sequence[Task], count: int) -> Outcomes:
        """[tasks, count] what an index or a file knows, UNKNOWN elsewhere; simulates nothing."""
        found = np.empty((len(tasks), count), np.int8)
        for _, places in by_template(tasks):
            group = [tasks[place] for place in places]
            digests = scene_digests(group)
            covered = np.minimum(self._known_elsewhere(digests), count)
            if (covered < count).any():
                found[places] = super().known(group, count)
            else:
                found[places] = 0
            width = int(covered.max(initial=0))
            if not width:
                continue
            valid = valid_actions(SceneSet([task.scene for task in group]), self.actions(width))
            for place, length, row, (task, digest) in zip(
                places, covered.tolist(), valid, digests.items(), strict=True
            ):
                if length:
                    cells = found[place, :length]
                    np.negative(row[:length].view(np.int8), out=cells)  # NOT_SOLVED is -1
                    cells[self._listed_solutions(task, digest, length)] = Outcome.SOLVED
        return found

    def solutions(self, tasks: Sequence[Task], count: int) -> list[Numbers]:
        """The numbers of each task's solutions among the first actions, in order.

        These are sparse rows: all tasks of a tier and 100,000 actions take 13 MB. What no index
        covers is simulated.
        """
        digests = scene_digests(tasks)
        covered = dict(zip(digests, self._known_elsewhere(digests) >= count, strict=True))
        rest = [task for task in tasks if not covered[str(task.id)]]
        solved = {
            str(task.id): np.flatnonzero(row == Outcome.SOLVED).astype(np.int32)
            for task, row in zip(rest, self.outcomes(rest, count), strict=True)
        }
        for task, digest in digests.items():
            if covered[task]:
                solved[task] = self._listed_solutions(task, digest, count)
        return [solved[str(task.id)] for task in tasks]

    def index(self, tasks: Sequence[Task], count: int) -> SolutionIndex:
        """An index of what is known of some tasks; simulates nothing.

        Raises:
            CacheError: Some of the outcomes are not known.
        """
        solutions: list[Numbers] = []
        for _, places in by_template(tasks):
            known = self.known([tasks[place] for place in places], count)
            for place, row in zip(places, known, strict=True):
                if (row == UNKNOWN).any():
                    raise CacheError(
                        f"not all of {count} outcomes on task '{tasks[place].id}' are known; "
                        "simulate them first: topple cache build"
                    )
                solutions.append(np.flatnonzero(row == Outcome.SOLVED).astype(np.int32))
        ordered = [tasks[place] for _, places in by_template(tasks) for place in places]
        digests = scene_digests(ordered)
        return make_index(engine_hash(), self.tier, self._seed, count, digests, solutions)

    def first_valid(self, tasks: Sequence[Task], count: int, within: int) -> list[list[int]]:
        """The numbers of each task's first ``count`` valid actions, without simulating.

        Args:
            tasks: whose actions.
            count: how many; fewer are returned if there are fewer.
            within: actions of the list to look at.
        """
        scenes = SceneSet([task.scene for task in tasks])
        found: list[list[int]] = [[] for _ in tasks]
        first, open_places = 0, np.arange(len(tasks))
        while first < within and len(open_places):
            block = self.actions(min(first + _VALIDITY_STEP, within))[first:]
            index = np.repeat(open_places, len(block))
            valid, _ = map_actions(scenes, index, np.tile(block, (len(open_places), 1)))
            for place, row in zip(open_places, valid.reshape(-1, len(block)), strict=True):
                found[place] += (first + np.flatnonzero(row)).tolist()
                del found[place][count:]
            first += len(block)
            open_places = open_places[[len(found[place]) < count for place in open_places]]
        return found

    def _index_of(self, task: str, digest: str) -> SolutionIndex | None:
        """The longest index that covers a task."""
        return next((index for index in self.indexes if index.scenes.get(task) == digest), None)

    def _known_elsewhere(self, digests: Mapping[str, str]) -> npt.NDArray[np.int64]:
        found = [self._index_of(task, digest) for task, digest in digests.items()]
        return np.array([index.actions if index else 0 for index in found], np.int64)

    def _listed_solutions(self, task: str, digest: str, count: int) -> Numbers:
        index = self._index_of(task, digest)
        assert index is not None
        return index.solutions(task, count)
