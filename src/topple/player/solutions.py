"""Solutions to show: an agent's, if a record has one, else one found by search."""

from __future__ import annotations

from functools import lru_cache

from topple.player.runs import RunShelf
from topple.player.tasks import PhyreTask, published_task

SEARCH_BUDGET = 20_000  # actions of the fixed list; some 5 seconds at most


def find_solution(runs: RunShelf, task: PhyreTask) -> tuple[list[float], str] | None:
    """An action that solves a task, and where it is from."""
    recorded = runs.solution(task.name)
    if recorded is not None:
        return recorded
    action = _published(task.name) if task.template is not None else _search(task)
    return None if action is None else (list(action), "found by search")


def _search(task: PhyreTask) -> tuple[float, ...] | None:
    # Stable solutions look better; but any will do.
    for stable in (True, False):
        found = task.simulator.solutions(0, budget=SEARCH_BUDGET // 2, stable=stable)
        if len(found):
            return tuple(found[0].tolist())
    return None


@lru_cache(maxsize=5000)
def _published(name: str) -> tuple[float, ...] | None:
    return _search(published_task(name))
