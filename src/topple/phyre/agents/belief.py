"""Attempts in the light of failures: what failed counts against the candidates beside it."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

from topple.phyre.agents.dqn_network import Order
from topple.phyre.cache.shard import Outcomes
from topple.phyre.engine.result import Outcome
from topple.phyre.phases import Testing
from topple.phyre.task import Task


class Belief:
    """The logits of candidates, given the failures so far, on the device of the network.

    A failed attempt takes ``penalty * exp(-d^2 / (2 * radius^2))`` from the logit of every
    candidate at distance d between action vectors.

    Args:
        logits: [candidates] before the first attempt.
        vectors: [candidates, action_size] on the same device.
        penalty: what a failure takes from candidates right beside it.
        radius: standard deviation of the Gaussian.
    """

    def __init__(self, logits: Tensor, vectors: Tensor, penalty: float, radius: float) -> None:
        self._logits, self._vectors = logits.clone(), vectors
        self._penalty, self._scale = penalty, -1 / (2 * radius**2)

    def take_best(self) -> int:
        """The best candidate that was not taken; of equal ones the first."""
        best = int(self._logits.argmax())
        self._logits[best] = -torch.inf
        return best

    def fail(self, candidate: int) -> None:
        """Count a failure against the candidates beside it."""
        square = (self._vectors - self._vectors[candidate]).square().sum(dim=1)
        self._logits -= self._penalty * torch.exp(square * self._scale)


def attempt_by_belief(
    testing: Testing, task: Task, numbers: Order, belief: Belief
) -> tuple[Order, Outcomes]:
    """Try the best candidate again and again; a failure counts against those beside it.

    Args:
        testing: where attempts are made.
        task: the task.
        numbers: [candidates] their numbers in the list of actions; all valid.
        belief: about these candidates.

    Returns:
        The numbers of the tried actions, and their outcomes.
    """
    tried: list[int] = []
    outcomes: list[Outcomes] = []
    for _ in range(min(testing.remaining(task), len(numbers))):
        tried.append(best := belief.take_best())
        outcomes.append(testing.attempt_listed(task, [int(numbers[best])]))
        if outcomes[-1][0] == Outcome.NOT_SOLVED:
            belief.fail(best)
    return numbers[tried], np.concatenate(outcomes)
