"""Where work is done: on this machine, or on a cluster."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Protocol, TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")


class Executor(Protocol):
    """Applies a function to many items, somewhere.

    Which executor is used changes no result: the function is pure, and results come back
    with the item they belong to.
    """

    def map(
        self, function: Callable[[Item], Result], items: Iterable[Item]
    ) -> Iterator[tuple[Item, Result]]:
        """Each item with its result, in the order they are finished."""

    def close(self) -> None:
        """Give back what it holds."""


class LocalExecutor:
    """The executor of this machine: one item after the other, each on all cores of the engine."""

    def map(
        self, function: Callable[[Item], Result], items: Iterable[Item]
    ) -> Iterator[tuple[Item, Result]]:
        """Each item with its result, in order."""
        for item in items:
            yield item, function(item)

    def close(self) -> None:
        """Nothing is held."""
