"""A Ray cluster: items are tasks of one core each, and survive the loss of a worker."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, cast

import ray

from topple.runs.executors import Item, Result

RETRIES = 5  # of an item whose worker or machine was lost; an error of its own is not retried
_IN_FLIGHT = 4  # items submitted per core, so that workers never wait


def _apply(function: Callable[[Item], Result], item: Item) -> Result:
    return function(item)


class RayExecutor:
    """The executor of a cluster.

    Args:
        address: of an existing cluster, such as "auto" or "ray://head:10001"; None starts one
            on this machine.
        workers: cores of the cluster that is started here; all by default.
    """

    def __init__(self, address: str | None = None, workers: int | None = None) -> None:
        if address is not None and workers is not None:
            raise ValueError(
                f"workers is {workers}, but the cluster at {address!r} has its own number; "
                "leave one of them out"
            )
        self._started_here = not ray.is_initialized()
        if self._started_here:
            options: dict[str, Any] = {"log_to_driver": False, "include_dashboard": False}
            if address is not None:
                options = {"address": address, "log_to_driver": False}
            elif workers is not None:
                options["num_cpus"] = workers
            ray.init(**options)

    def map(
        self, function: Callable[[Item], Result], items: Iterable[Item]
    ) -> Iterator[tuple[Item, Result]]:
        """Each item with its result, in the order they are finished."""
        remote: Any = ray.remote(num_cpus=1, max_retries=RETRIES)(_apply)
        shared = ray.put(function)
        limit = max(1, _IN_FLIGHT * int(cast(Any, ray).cluster_resources().get("CPU", 1)))
        rest = iter(items)
        flying: dict[Any, Item] = {}
        while True:
            while len(flying) < limit and (item := next(rest, None)) is not None:
                flying[remote.remote(shared, item)] = item
            if not flying:
                return
            (done,), _ = ray.wait(list(flying), num_returns=1)
            yield flying.pop(done), cast(Result, ray.get(done))

    def close(self) -> None:
        """Leave the cluster; one that was started here ends."""
        if self._started_here:
            ray.shutdown()
