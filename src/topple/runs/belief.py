"""Belief about candidates in the light of failures: what failed counts against those beside it."""

from __future__ import annotations

from collections.abc import Callable
from statistics import median

import torch
from torch import Tensor

#: A failure is a near miss below this share of the usual distance from success, and one as usual
#: up to the second. Beyond it, something happened that was not aimed at.
NEAR, USUAL = 0.9, 1.05


class Belief:
    """The logits of candidates, given the failures so far, on the device of the network.

    A failure takes ``penalty * exp(-d^2 / (2 * radius^2))`` from the logit of every candidate at
    distance d between their vectors. If it is known how far failures were from success, only those
    as far as usual do so. A near miss adds ``near_miss * exp(...)`` instead, and a failure that was
    farther away than usual changes nothing. The usual distance is the median of all so far.

    Args:
        logits: [candidates] of success, before the first attempt.
        vectors: [candidates, size] on the same device.
        penalty: what a failure takes from candidates right beside it.
        radius: standard deviation of the Gaussian.
        worth: what candidates with such logits are worth; the logits by default.
        near_miss: what a near miss adds to candidates right beside it.
    """

    def __init__(
        self,
        logits: Tensor,
        vectors: Tensor,
        penalty: float,
        radius: float,
        worth: Callable[[Tensor], Tensor] | None = None,
        near_miss: float = 0.0,
    ) -> None:
        self.near_miss = near_miss
        self._before, self._logits, self._vectors = logits, logits.clone(), vectors
        self._penalty, self._scale = penalty, -1 / (2 * radius**2)
        self._worth = worth
        self._taken = torch.zeros_like(logits, dtype=torch.bool)
        self._misses: list[tuple[Tensor, float]] = []  # nearness of candidates, and the distance

    def take_best(self) -> int:
        """The best candidate that was not taken; of equal ones the first."""
        worth = self._logits if self._worth is None else self._worth(self._logits)
        best = int(worth.masked_fill(self._taken, -torch.inf).argmax())
        self._taken[best] = True
        return best

    def fail(self, candidate: int, distance: float | None = None) -> None:
        """Count a failure against the candidates beside it, or for them if it was a near miss.

        Args:
            candidate: what failed.
            distance: how far from success it was, if that is known: for all failures or for none.
        """
        square = (self._vectors - self._vectors[candidate]).square().sum(dim=1)
        near = torch.exp(square * self._scale)
        if distance is None:
            self._logits -= self._penalty * near
            return
        self._misses.append((near, distance))
        usual = median(each for _, each in self._misses)
        # All of them anew, because what is usual may have changed.
        self._logits = self._before.clone()
        for near, each in self._misses:
            if each < NEAR * usual:
                self._logits += self.near_miss * near
            elif each <= USUAL * usual:
                self._logits -= self._penalty * near
