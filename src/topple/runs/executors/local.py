"""This machine: one item after the other, each on all cores of the native core."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from topple.runs.executors import Item, Result


class LocalExecutor:
    """The executor of this machine."""

    def map(
        self, function: Callable[[Item], Result], items: Iterable[Item]
    ) -> Iterator[tuple[Item, Result]]:
        """Each item with its result, in order."""
        for item in items:
            yield item, function(item)

    def close(self) -> None:
        """Nothing is held."""
