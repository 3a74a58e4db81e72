"""Attempts in the light of failures: what failed counts against the candidates beside it."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

from topple.phyre.action import Actions
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
    testing: Testing,
    task: Task,
    numbers: Order,
    belief: Belief,
    others: Actions | None = None,
    *,
    until_solved: bool = False,
) -> tuple[Order, Outcomes]:
    """Try the best candidate again and again; a failure counts against those beside it.

    Args:
        testing: where attempts are made.
        task: the task.
        numbers: [listed] numbers of the candidates in the list of actions; all valid.
        belief: about these candidates, then about the others.
        others: [others, action_size] candidates that are not in the list; all valid.
        until_solved: whether the attempt that solves the task is the last.

    Returns:
        The places of the tried ones among the candidates, and their outcomes.
    """
    count = len(numbers) + (0 if others is None else len(others))
    tried: list[int] = []
    outcomes: list[int] = []
    for _ in range(min(testing.remaining(task), count)):
        tried.append(best := belief.take_best())
        if best < len(numbers):
            outcome = int(testing.attempt_listed(task, [int(numbers[best])])[0])
        else:
            assert others is not None
            outcome = testing.attempt(task, others[best - len(numbers)])
        outcomes.append(outcome)
        if outcome == Outcome.NOT_SOLVED:
            belief.fail(best)
        elif until_solved and outcome == Outcome.SOLVED:
            break
    return np.array(tried, np.int64), np.array(outcomes, np.int8)
