"""Statuses of the fixed action list, under the original's names.

Nothing is downloaded: the package knows the statuses of all 100,000 actions on all published
tasks. They are worked out when a task is asked for, in milliseconds.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from topple.compat.phyre.simulation import SimulationStatus
from topple.paths import cache_folder
from topple.phyre.action import CACHE_SEED
from topple.phyre.cache import ACTION_CACHE, ActionCache
from topple.phyre.task import load_task, tier_task_ids
from topple.phyre.tier import Tier

ACTION_SEED = CACHE_SEED
DEFAULT_NUM_ACTIONS = 100_000
PHYRE_CACHE_ENV = "PHYRE_CACHE_DIR"  # the variable that moves the original's folders

SOLVED = int(SimulationStatus.SOLVED)
INVALID = int(SimulationStatus.INVALID_INPUT)
NOT_SOLVED = int(SimulationStatus.NOT_SOLVED)


def get_default_100k_cache(tier: str, size: int = DEFAULT_NUM_ACTIONS) -> SimulationCache:
    """The fixed action list of the published tables.

    Args:
        tier: "ball" or "two_balls".
        size: how many of its actions; more than 100,000 are simulated.
    """
    return SimulationCache(cache_folder() / ACTION_CACHE, tier, size)


def get_cache_folder(action_size: int) -> Path:
    """Where the original keeps lists of so many actions, for programs with files beside them.

    Topple itself keeps nothing there.
    """
    return cache_folder(PHYRE_CACHE_ENV, "phyre") / "offline_simulation" / str(action_size)


def get_partial_cache_folder(action_size: int) -> Path:
    """Where the original keeps parts of such lists while they are made."""
    return cache_folder(PHYRE_CACHE_ENV, "phyre") / "partial" / str(action_size)


class SimulationCache:
    """Statuses of a fixed list of actions on the tasks of a tier.

    Args:
        cache_dir: where statuses that had to be simulated are kept.
        tier: "ball" or "two_balls"; by default the one that the folder is named after, as
            the original's are, or else "ball".
        size: how many actions of the list.
    """

    def __init__(
        self, cache_dir: str | Path, tier: str | None = None, size: int = DEFAULT_NUM_ACTIONS
    ) -> None:
        folder = Path(cache_dir)
        named = folder.name if folder.name in {known.value for known in Tier} else "ball"
        self._cache = ActionCache(folder, Tier.parse(tier or named))
        self._names = tuple(map(str, tier_task_ids(self._cache.tier)))
        self._size = size

    def __len__(self) -> int:
        return self._size

    @cached_property
    def action_array(self) -> npt.NDArray[np.float32]:
        """[size, action_space_dim] the actions, in the precision they are simulated in."""
        return self._cache.actions(self._size).astype(np.float32)

    @property
    def task_ids(self) -> frozenset[str]:
        """The tasks of the tier."""
        return frozenset(self._names)

    def load_simulation_states(self, task_id: str) -> npt.NDArray[np.int8]:
        """[size] statuses of all actions on a task."""
        statuses: npt.NDArray[np.int8] = self._statuses([task_id], self._size)[0]
        return statuses

    def get_sample(
        self, task_ids: Sequence[str] | None = None, num_actions: int | None = None
    ) -> dict[str, Any]:
        """Statuses of the first actions on some tasks.

        Args:
            task_ids: the tasks; all by default.
            num_actions: how many actions; all by default.

        Returns:
            ``task_ids``, ``actions`` [num_actions, action_space_dim] and
            ``simulation_statuses`` [tasks, num_actions].

        Raises:
            ValueError: More actions were asked for than there are.
        """
        task_ids = self._names if task_ids is None else task_ids
        num_actions = self._size if num_actions is None else num_actions
        if num_actions > self._size:
            raise ValueError(f"num_actions is {num_actions}; the cache has {self._size} actions")
        return {
            "task_ids": task_ids,
            "actions": self.action_array[:num_actions],
            "simulation_statuses": self._statuses(task_ids, num_actions),
        }

    def _statuses(self, task_ids: Iterable[str], count: int) -> npt.NDArray[np.int8]:
        listed = list(task_ids)
        unique = sorted(set(listed))
        missing = set(unique).difference(self._names)
        if missing:
            raise KeyError(f"no task {min(missing)!r} in tier {self._cache.tier.value!r}")
        rows = self._cache.outcomes([load_task(task) for task in unique], count)
        places = {task: place for place, task in enumerate(unique)}
        statuses: npt.NDArray[np.int8] = rows[[places[task] for task in listed]]
        return statuses
