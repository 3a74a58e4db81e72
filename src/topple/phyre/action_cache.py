"""Outcomes of the fixed action list on tasks, simulated once and kept on disk.

The list is the one behind the published tables: ``RandomState(42)``, each action rounded to
float32 and simulated as that. A cache answers for any tasks and any number of actions; what
it does not know yet it simulates, in units of some tasks and some actions, and stores after
each unit. Killing it loses at most the units under way. The full list of 100,000 actions on
all 5,000 tasks takes 125 MB.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from itertools import groupby
from pathlib import Path

import numpy as np
import numpy.typing as npt

from topple.phyre.action import CACHE_SEED, Actions, discrete_actions
from topple.phyre.engine.backend import Backend, check_backend, device_for
from topple.phyre.engine.native import SceneSet, map_actions, simulate_batch
from topple.phyre.engine_hash import engine_hash
from topple.phyre.outcome_shard import (
    SHARD_ACTIONS,
    UNKNOWN,
    CacheError,
    Outcomes,
    ShardKey,
    merge_shard,
    read_shard,
)
from topple.phyre.scene import Scene
from topple.phyre.scene.codec import fingerprint
from topple.phyre.task import Task
from topple.phyre.tier import Tier
from topple.progress import Progress

UNIT_ACTIONS = 250  # of one unit; with a template's 100 tasks, 5 to 20 seconds of a core
DEVICE_ACTIONS = 100_000  # on a GPU: with 100 tasks, half a minute; near actions go together
_DIGEST_DIGITS = 16  # of a scene's SHA-256
_VALIDITY_STEP = 64  # actions looked at together when valid ones are searched

assert SHARD_ACTIONS % UNIT_ACTIONS == 0
assert DEVICE_ACTIONS % SHARD_ACTIONS == 0


@dataclass(frozen=True, slots=True, eq=False)
class Unit:
    """Work that can be done anywhere: some tasks of a template, a range of actions."""

    key: ShardKey
    tasks: tuple[str, ...]
    digests: tuple[str, ...]
    scenes: tuple[Scene, ...]
    wanted: npt.NDArray[np.bool_]  # [tasks, actions]

    @property
    def first(self) -> int:
        """Number of the first action."""
        return self.key.first


#: Applies a function to units in any order, anywhere, and yields each with its result.
UnitMap = Callable[[Callable[[Unit], Outcomes], Iterable[Unit]], Iterator[tuple[Unit, Outcomes]]]


def map_here(
    function: Callable[[Unit], Outcomes], units: Iterable[Unit]
) -> Iterator[tuple[Unit, Outcomes]]:
    """One unit after the other, each on all cores of this machine."""
    for unit in units:
        yield unit, function(unit)


def simulate_unit(unit: Unit, backend: Backend = "cpu") -> Outcomes:
    """[tasks, actions] outcomes of a unit, UNKNOWN where they were not wanted.

    Raises:
        CacheError: This machine's engine is not the one the unit is meant for.
    """
    if engine_hash() != unit.key.engine:
        raise CacheError(
            f"this machine's engine is {engine_hash()}, the cache is built with "
            f"{unit.key.engine}; install the same version everywhere"
        )
    actions = listed_actions(Tier(unit.key.tier), unit.first + unit.wanted.shape[1], unit.key.seed)
    row, column = np.nonzero(unit.wanted)
    result = simulate_batch(
        SceneSet(unit.scenes), row, actions[unit.first + column], backend=backend
    )
    outcomes = np.full(unit.wanted.shape, UNKNOWN, np.int8)
    outcomes[row, column] = result.outcome
    return outcomes


def listed_actions(tier: Tier, count: int, seed: int = CACHE_SEED) -> Actions:
    """[count, 3 * balls] the first actions of the fixed list, as they are simulated."""
    # Whole shards, so that growing requests do not draw the list over and over.
    whole = -(-count // SHARD_ACTIONS) * SHARD_ACTIONS
    return _listed(tier, whole, seed)[:count]


@lru_cache(maxsize=4)
def _listed(tier: Tier, count: int, seed: int) -> Actions:
    # The published list was stored, and then simulated, in single precision.
    rounded = discrete_actions(tier, count, seed).astype(np.float32).astype(np.float64)
    rounded.flags.writeable = False
    return rounded


class ActionCache:
    """Outcomes of the fixed action list on any tasks of a tier.

    Args:
        folder: where the files are kept, see :func:`topple.paths.cache_folder`.
        tier: what the actions place.
        seed: of the action list; 42 is the published one.
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
        run: UnitMap = map_here,
        progress: Progress | None = None,
        backend: Backend = "cpu",
    ) -> None:
        self.folder = folder
        self.tier = tier
        self.seed = seed
        self._run = run
        self._progress = progress
        self.backend = check_backend(backend)

    def actions(self, count: int) -> Actions:
        """[count, 3 * balls] the first actions of the list, as they are simulated."""
        return listed_actions(self.tier, count, self.seed)

    def outcomes(self, tasks: Sequence[Task], count: int) -> Outcomes:
        """[tasks, count] outcomes of the first actions; simulates what is not known yet."""
        self.build(tasks, count)
        return self.known(tasks, count)

    def known(self, tasks: Sequence[Task], count: int) -> Outcomes:
        """[tasks, count] what is on disk, UNKNOWN elsewhere; simulates nothing."""
        found = np.full((len(tasks), count), UNKNOWN, np.int8)
        for template, places in _by_template(tasks):
            digests = _digests([tasks[place] for place in places])
            for first in range(0, count, SHARD_ACTIONS):
                shard = read_shard(self.folder, self._key(template, first))
                if shard is not None:
                    width = min(SHARD_ACTIONS, count - first)
                    found[places, first : first + width] = shard.rows(digests)[:, :width]
        return found

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
        for unit, outcomes in self._run(partial(simulate_unit, backend=self.backend), units):
            self._store(unit, outcomes)
            done += int(unit.wanted.sum())
            if self._progress is not None:
                self._progress(done, total)

    def _missing(
        self, tasks: Sequence[Task], counts: npt.NDArray[np.int64], width: int
    ) -> Iterator[Unit]:
        """What has to be simulated, in units of at most so many actions."""
        for template, places in _by_template(tasks):
            group = [tasks[place] for place in places]
            digests = _digests(group)
            if len(digests) != len(group):
                raise ValueError(f"a task of template {template!r} is listed twice")
            stretch = max(width, SHARD_ACTIONS)
            for first in range(0, int(counts[places].max(initial=0)), stretch):
                wanted = first + np.arange(stretch) < counts[places][:, None]
                for shard_first in range(0, stretch, SHARD_ACTIONS):
                    columns = wanted[:, shard_first : shard_first + SHARD_ACTIONS]
                    if columns.any():
                        shard = read_shard(self.folder, self._key(template, first + shard_first))
                        columns &= (shard.rows(digests) if shard else UNKNOWN) == UNKNOWN
                for start in range(0, stretch, width):
                    part = wanted[:, start : start + width]
                    rows = np.flatnonzero(part.any(axis=1))
                    if len(rows):
                        yield Unit(
                            self._key(template, first + start),
                            tuple(str(group[row].id) for row in rows),
                            tuple(digests[str(group[row].id)] for row in rows),
                            tuple(group[row].scene for row in rows),
                            part[rows],
                        )

    def _store(self, unit: Unit, outcomes: Outcomes) -> None:
        digests = dict(zip(unit.tasks, unit.digests, strict=True))
        first = unit.first // SHARD_ACTIONS * SHARD_ACTIONS
        end = -(-(unit.first + outcomes.shape[1]) // SHARD_ACTIONS) * SHARD_ACTIONS
        whole = np.full((len(unit.tasks), end - first), UNKNOWN, np.int8)
        whole[:, unit.first - first : unit.first - first + outcomes.shape[1]] = outcomes
        for start in range(0, end - first, SHARD_ACTIONS):
            part = whole[:, start : start + SHARD_ACTIONS]
            if (part != UNKNOWN).any():
                key = self._key(unit.key.template, first + start)
                merge_shard(self.folder, key, digests, part)

    def _key(self, template: str, first: int) -> ShardKey:
        return ShardKey(engine_hash(), self.tier.value, self.seed, template, first)


def _by_template(tasks: Sequence[Task]) -> Iterator[tuple[str, list[int]]]:
    """Each template with the places of its tasks."""
    order = sorted(range(len(tasks)), key=lambda place: tasks[place].id.template)
    for template, places in groupby(order, key=lambda place: tasks[place].id.template):
        yield template, list(places)


def _digests(tasks: Iterable[Task]) -> dict[str, str]:
    return {str(task.id): fingerprint([task.scene])[:_DIGEST_DIGITS] for task in tasks}
