"""Solutions to show: from a run record, from the action cache, or found by search."""

from __future__ import annotations

import time
from functools import lru_cache

import numpy as np

from topple.paths import cache_folder
from topple.phyre.action import Actions, discrete_actions
from topple.phyre.cache import ACTION_CACHE, ActionCache
from topple.phyre.engine.result import Outcome
from topple.phyre.task import load_task
from topple.phyre.tier import Tier
from topple.player.puzzles import PhyreTask, published_task
from topple.player.runs import RunIndex

SEARCHED = 100_000  # actions of the fixed list at most, as time allows
SEARCH_SECONDS = 12.0
SETTLE_SECONDS = 2.0  # after this, a solution that is not stable is accepted too
_CHUNK = 1000


def find_solution(runs: RunIndex, task: PhyreTask) -> tuple[list[float], str] | None:
    """An action that solves a task, and where it comes from."""
    recorded = runs.solution(task.name)
    if recorded is not None:
        return recorded
    if task.template is None:
        action = search(task)
    else:
        cached = _cached(task.name)
        if cached is not None:
            return cached, "from the known solutions"
        action = _published(task.name)
    return None if action is None else (list(action), "found by search")


def _cached(name: str) -> list[float] | None:
    """The first action of the fixed list that is known to solve a task."""
    task = load_task(name)
    cache = ActionCache(cache_folder() / ACTION_CACHE, task.tier)
    solved = np.flatnonzero(cache.known([task], SEARCHED)[0] == Outcome.SOLVED)
    if not len(solved):
        return None
    first = int(solved[0])
    action: list[float] = cache.actions(first + 1)[first].tolist()
    return action


@lru_cache(maxsize=2)
def _actions(tier: Tier) -> Actions:
    return discrete_actions(tier, SEARCHED)


def search(task: PhyreTask, seconds: float = SEARCH_SECONDS) -> tuple[float, ...] | None:
    """A solution from the fixed list of actions, a stable one if there is time to find it."""
    start = time.monotonic()
    actions = _actions(task.tier)
    unstable: tuple[float, ...] | None = None
    for first in range(0, len(actions), _CHUNK):
        chunk = actions[first : first + _CHUNK]
        outcome = task.simulator.attempts(0, chunk, stable=True).outcome
        stable = np.flatnonzero(outcome == Outcome.STABLY_SOLVED)
        if len(stable):
            return tuple(chunk[stable[0]].tolist())
        solved = np.flatnonzero(outcome > 0)
        if unstable is None and len(solved):
            unstable = tuple(chunk[solved[0]].tolist())
        spent = time.monotonic() - start
        if spent > seconds or (unstable is not None and spent > SETTLE_SECONDS):
            break
    return unstable


@lru_cache(maxsize=5000)
def _published(name: str) -> tuple[float, ...] | None:
    return search(published_task(name))
