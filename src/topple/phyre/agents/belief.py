"""Attempts at tasks by a belief about candidates, which failures change."""

from __future__ import annotations

import numpy as np

from topple.phyre.action import Actions
from topple.phyre.agents.dqn_network import Order
from topple.phyre.cache.shard import Outcomes
from topple.phyre.engine.result import Outcome
from topple.phyre.phases import Testing
from topple.phyre.task import Task
from topple.runs.belief import Belief


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
