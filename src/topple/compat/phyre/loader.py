"""The published tasks as the original's objects.

The original reads them from a file that it ships, with tasks of tiers that Topple does not
have; here they are built from their templates. Every call makes new objects, so that one
may change them.
"""

from __future__ import annotations

import gc
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager

from topple.compat.phyre.conversion import task_to_thrift
from topple.compat.phyre.interface.task import ttypes as task_if
from topple.phyre.task import UnknownTaskError, load_task, tier_tasks
from topple.phyre.tier import Tier


def load_compiled_task_dict(task_ids: Sequence[str] | None = None) -> dict[str, task_if.Task]:
    """Tasks by id.

    Args:
        task_ids: which; by default all 5,000 of the tiers BALL and TWO_BALLS. Unlike the
            original, no others come along.

    Raises:
        RuntimeError: some ids are not published; the message lists them.
    """
    if task_ids is None:
        tasks = [task for tier in Tier for task in tier_tasks(tier)]
        with _no_collection():
            return {str(task.id): task_to_thrift(task) for task in tasks}
    check_task_ids(task_ids)
    return {task_id: task_to_thrift(load_task(task_id)) for task_id in task_ids}


@contextmanager
def _no_collection() -> Iterator[None]:
    """Looking for garbage while many objects are made takes longer than making them."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def check_task_ids(task_ids: Iterable[str]) -> None:
    """Refuse ids that are not published, all at once.

    Raises:
        RuntimeError: some ids are not published; the message lists them.
    """
    unknown = []
    for task_id in task_ids:
        try:
            load_task(task_id)
        except (UnknownTaskError, ValueError):
            unknown.append(task_id)
    if unknown:
        raise RuntimeError(f"unknown task ids: {', '.join(map(repr, unknown))}")


def load_compiled_template_dict() -> dict[str, dict[str, task_if.Task]]:
    """All tasks by template and id."""
    templates: dict[str, dict[str, task_if.Task]] = {}
    for task_id, task in load_compiled_task_dict().items():
        templates.setdefault(task_id.split(":")[0], {})[task_id] = task
    return templates


def load_compiled_task_list(task_ids: Sequence[str]) -> list[task_if.Task]:
    """Some tasks, in the order of their ids."""
    tasks = load_compiled_task_dict(task_ids)
    return [tasks[task_id] for task_id in task_ids]
