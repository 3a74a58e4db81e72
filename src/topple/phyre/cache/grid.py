"""Outcomes of a list of actions on tasks, simulated once and kept on disk.

A grid answers for any tasks and any number of the list's first actions. What it does not know
yet it simulates, in units of some tasks and some actions, and stores after each unit, so an
interrupted build resumes where it stopped and loses at most the units under way. Any number
of processes may use one folder.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from topple.phyre.action import Actions
from topple.phyre.cache.shard import (
    SHARD_ACTIONS,
    UNKNOWN,
    CacheError,
    Cells,
    ShardKey,
    join_steps,
    merge_shard,
    read_shard,
    unknown_cells,
)
from topple.phyre.engine.backend import Backend, check_backend, device_for
from topple.phyre.engine.native import SceneSet, simulate_batch
from topple.phyre.engine.request import Request
from topple.phyre.engine_hash import engine_hash
from topple.phyre.scene import Scene
from topple.phyre.scene.codec import fingerprint
from topple.phyre.task import Task
from topple.phyre.tier import Tier
from topple.progress import Progress

UNIT_ACTIONS = 250  # of one unit; with a template's 100 tasks, 5 to 20 seconds of a core
DEVICE_ACTIONS = 100_000  # on a GPU: with 100 tasks, half a minute; near actions go together
_DIGEST_DIGITS = 16  # of a scene's SHA-256

assert SHARD_ACTIONS % UNIT_ACTIONS == 0
assert DEVICE_ACTIONS % SHARD_ACTIONS == 0


@dataclass(frozen=True, slots=True, eq=False)
class Unit:
    """Work that can be done anywhere: some tasks of a template, a range of actions."""

    key: ShardKey
    tasks: tuple[str, ...]
    digests: tuple[str, ...]
    scenes: tuple[Scene, ...]
    actions: Actions  # [actions, 3 * balls]
    wanted: npt.NDArray[np.bool_]  # [tasks, actions]

    @property
    def first(self) -> int:
        """Number of the first action."""
        return self.key.first


#: Applies a function to units in any order, anywhere, and yields each with its result.
UnitMap = Callable[[Callable[[Unit], Cells], Iterable[Unit]], Iterator[tuple[Unit, Cells]]]


def map_here(
    function: Callable[[Unit], Cells], units: Iterable[Unit]
) -> Iterator[tuple[Unit, Cells]]:
    """Work on one unit after the other, each on all cores of this machine."""
    for unit in units:
        yield unit, function(unit)


def simulate_unit(
    unit: Unit, backend: Backend = "cpu", threads: int | None = None, stable: bool = False
) -> Cells:
    """[tasks, actions] cells of a unit, UNKNOWN where they were not wanted.

    Raises:
        CacheError: This machine's engine is not the one the unit is meant for.
    """
    if engine_hash() != unit.key.engine:
        raise CacheError(
            f"this machine's engine is {engine_hash()}, the cache is built with "
            f"{unit.key.engine}; install the same version everywhere"
        )
    row, column = np.nonzero(unit.wanted)
    result = simulate_batch(
        SceneSet(unit.scenes),
        row,
        unit.actions[column],
        Request(stable=stable),
        threads=threads,
        backend=backend,
    )
    cells = unknown_cells(unit.wanted.shape, unit.key.steps)
    cells[row, column] = (
        join_steps(result.outcome, result.steps) if unit.key.steps else result.outcome
    )
    return cells


class OutcomeGrid:
    """Cells of [tasks, actions], simulated when they are asked for and kept in a folder.

    Args:
        folder: where the files are kept.
        tier: what the actions place.
        seed: of the fixed action list; or a digest of other actions and the settings.
        actions: gives the first actions of the list, [count, 3 * balls].
        steps: whether to keep the steps of each attempt, too.
        stable: whether to try the half-pixel neighbours of every solution; with steps only.
        run: how units are worked through; here, one after the other, by default.
        progress: called with (cells done, cells in all) while the grid is built.
        backend: where attempts are simulated.
        threads: at most this many for a unit; all cores by default.
    """

    def __init__(
        self,
        folder: Path,
        tier: Tier,
        seed: int | str,
        actions: Callable[[int], Actions],
        *,
        steps: bool = False,
        stable: bool = False,
        run: UnitMap = map_here,
        progress: Progress | None = None,
        backend: Backend = "cpu",
        threads: int | None = None,
    ) -> None:
        self.folder = folder
        self.tier = tier
        self.seed = seed
        self.actions = actions
        self.steps = steps
        self.backend = check_backend(backend)
        self._run = run
        self._progress = progress
        self._simulate = partial(
            simulate_unit, backend=self.backend, threads=threads, stable=stable
        )

    def cells(self, tasks: Sequence[Task], count: int) -> Any:
        """[tasks, count] cells of the first actions; simulates what is not known yet.

        Raises:
            CacheError: Cells are missing from the folder though they were stored just now.
        """
        self.build(tasks, count)
        found = self.known(tasks, count)
        if found.min(initial=0) == UNKNOWN:  # the least value of a cell; needs no large mask
            raise CacheError(
                f"outcomes in {self.folder} disappeared while they were read: another process "
                "deletes or changes files there; run it again"
            )
        return found

    def known(self, tasks: Sequence[Task], count: int) -> Any:
        """[tasks, count] what is on disk, UNKNOWN elsewhere; simulates nothing."""
        found = unknown_cells((len(tasks), count), self.steps)
        for template, places in by_template(tasks):
            digests = scene_digests([tasks[place] for place in places])
            for first in range(0, count, SHARD_ACTIONS):
                shard = read_shard(self.folder, self._key(template, first))
                if shard is not None:
                    width = min(SHARD_ACTIONS, count - first)
                    found[places, first : first + width] = shard.rows(digests)[:, :width]
        return found

    def build(self, tasks: Sequence[Task], count: int | Sequence[int]) -> None:
        """Simulate and store what is not known yet.

        Args:
            tasks: published or your own.
            count: how many actions of the list, for all tasks or for each.
        """
        for task in tasks:
            if task.tier is not self.tier:
                raise ValueError(
                    f"task '{task.id}' is of tier {task.tier.value!r}, the cache of "
                    f"{self.tier.value!r}; use a cache of the task's tier"
                )
        counts = np.broadcast_to(np.asarray(count, np.int64), (len(tasks),))
        if counts.size and counts.min() < 0:
            raise ValueError(f"count is {counts.min()}; it has to be 0 or more")
        on_device = device_for(self.backend, int(counts.sum())) is not None
        units = list(self._missing(tasks, counts, DEVICE_ACTIONS if on_device else UNIT_ACTIONS))
        total = sum(int(unit.wanted.sum()) for unit in units)
        done = 0
        for unit, cells in self._run(self._simulate, units):
            self._store(unit, cells)
            done += int(unit.wanted.sum())
            if self._progress is not None:
                self._progress(done, total)

    def _known_elsewhere(self, digests: Mapping[str, str]) -> npt.NDArray[np.int64]:
        """[tasks] how many of the first actions need no simulation."""
        return np.zeros(len(digests), np.int64)

    def _missing(
        self, tasks: Sequence[Task], counts: npt.NDArray[np.int64], width: int
    ) -> Iterator[Unit]:
        """What has to be simulated, in units of at most so many actions."""
        for template, places in by_template(tasks):
            group = [tasks[place] for place in places]
            digests = scene_digests(group)
            if len(digests) != len(group):
                raise ValueError(f"a task of template {template!r} is listed twice")
            stop = counts[places]
            start = np.minimum(self._known_elsewhere(digests), stop)
            stretch = max(width, SHARD_ACTIONS)
            for first in range(0, int(stop[start < stop].max(initial=0)), stretch):
                number = first + np.arange(stretch)
                wanted = (start[:, None] <= number) & (number < stop[:, None])
                for shard_first in range(0, stretch, SHARD_ACTIONS):
                    columns = wanted[:, shard_first : shard_first + SHARD_ACTIONS]
                    if columns.any():
                        shard = read_shard(self.folder, self._key(template, first + shard_first))
                        columns &= (shard.rows(digests) if shard else UNKNOWN) == UNKNOWN
                for offset in range(0, stretch, width):
                    part = wanted[:, offset : offset + width]
                    rows = np.flatnonzero(part.any(axis=1))
                    if len(rows):
                        past = int(np.flatnonzero(part.any(axis=0))[-1]) + 1
                        yield Unit(
                            self._key(template, first + offset),
                            tuple(str(group[row].id) for row in rows),
                            tuple(digests[str(group[row].id)] for row in rows),
                            tuple(group[row].scene for row in rows),
                            self.actions(first + offset + past)[first + offset :],
                            part[rows, :past],
                        )

    def _store(self, unit: Unit, cells: Cells) -> None:
        digests = dict(zip(unit.tasks, unit.digests, strict=True))
        first = unit.first // SHARD_ACTIONS * SHARD_ACTIONS
        end = -(-(unit.first + cells.shape[1]) // SHARD_ACTIONS) * SHARD_ACTIONS
        whole = unknown_cells((len(unit.tasks), end - first), self.steps)
        whole[:, unit.first - first : unit.first - first + cells.shape[1]] = cells
        for start in range(0, end - first, SHARD_ACTIONS):
            part = whole[:, start : start + SHARD_ACTIONS]
            if (part != UNKNOWN).any():
                merge_shard(self.folder, self._key(unit.key.template, first + start), digests, part)

    def _key(self, template: str, first: int) -> ShardKey:
        return ShardKey(engine_hash(), self.tier.value, self.seed, template, first, self.steps)


def by_template(tasks: Sequence[Task]) -> Iterator[tuple[str, list[int]]]:
    """Each template with the places of its tasks."""
    order = sorted(range(len(tasks)), key=lambda place: tasks[place].id.template)
    for template, places in groupby(order, key=lambda place: tasks[place].id.template):
        yield template, list(places)


def scene_digests(tasks: Iterable[Task]) -> dict[str, str]:
    """The digest of each task's scene, by the task's id."""
    return {str(task.id): fingerprint([task.scene])[:_DIGEST_DIGITS] for task in tasks}
