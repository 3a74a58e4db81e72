"""Belief about candidates in the light of failures: what failed counts against those beside it."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor


class Belief:
    """The logits of candidates, given the failures so far, on the device of the network.

    A failure takes ``penalty * exp(-d^2 / (2 * radius^2))`` from the logit of every candidate at
    distance d between their vectors.

    Args:
        logits: [candidates] of success, before the first attempt.
        vectors: [candidates, size] on the same device.
        penalty: what a failure takes from candidates right beside it.
        radius: standard deviation of the Gaussian.
        worth: what candidates with such logits are worth; the logits by default.
    """

    def __init__(
        self,
        logits: Tensor,
        vectors: Tensor,
        penalty: float,
        radius: float,
        worth: Callable[[Tensor], Tensor] | None = None,
    ) -> None:
        self._logits, self._vectors = logits.clone(), vectors
        self._penalty, self._scale = penalty, -1 / (2 * radius**2)
        self._worth = worth
        self._taken = torch.zeros_like(logits, dtype=torch.bool)

    def take_best(self) -> int:
        """The best candidate that was not taken; of equal ones the first."""
        worth = self._logits if self._worth is None else self._worth(self._logits)
        best = int(worth.masked_fill(self._taken, -torch.inf).argmax())
        self._taken[best] = True
        return best

    def fail(self, candidate: int) -> None:
        """Count a failure against the candidates beside it."""
        square = (self._vectors - self._vectors[candidate]).square().sum(dim=1)
        self._logits -= self._penalty * torch.exp(square * self._scale)
