"""Order against timing: why an agent failed, by the paper's appendix H.

A failure counts as one of timing if the agent removed the blocks of the oracle's plan
in the oracle's order, and as one of order otherwise.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from topple.iphyre.split import Split, by_split


class Attempted(NamedTuple):
    """What an agent did in a game."""

    order: tuple[int, ...]  # bodies in the order removed
    solved: bool


class FailureCounts(NamedTuple):
    """The paper's terms for a set of games."""

    total: int
    success_number: int  # SN: games solved
    right_order_number: int  # RON: games played in the oracle's order
    success_right_order_number: int  # SRON: both

    @property
    def timing_share(self) -> float | None:
        """P(T|F): of the failures, those with the right order; None without failures."""
        failures = self.total - self.success_number
        if not failures:
            return None
        return (self.right_order_number - self.success_right_order_number) / failures

    @property
    def order_share(self) -> float | None:
        """P(O|F): of the failures, those with a wrong order; None without failures."""
        timing = self.timing_share
        return None if timing is None else 1.0 - timing


def count_failures(
    attempts: Mapping[str, Attempted], oracle: Mapping[str, tuple[int, ...]]
) -> FailureCounts:
    """Count over games, by name.

    Raises:
        KeyError: the oracle has no order for a game that was attempted.
    """
    missing = sorted(set(attempts) - set(oracle))
    if missing:
        raise KeyError(f"the oracle has no plan for {', '.join(missing)}")
    right = {name for name, attempt in attempts.items() if attempt.order == oracle[name]}
    solved = {name for name, attempt in attempts.items() if attempt.solved}
    return FailureCounts(len(attempts), len(solved), len(right), len(right & solved))


def failures_by_split(
    attempts: Mapping[str, Attempted], oracle: Mapping[str, tuple[int, ...]]
) -> dict[Split, FailureCounts]:
    """Counts of each split that was attempted."""
    return {split: count_failures(own, oracle) for split, own in by_split(attempts).items()}
