"""Attempts at tasks by a belief about candidates, which failures change."""

from __future__ import annotations

import numpy as np

from topple.phyre.action import Actions
from topple.phyre.agents.dqn_network import Order
from topple.phyre.agents.nearness import LOOKS, kept_distances
from topple.phyre.cache.shard import Outcomes
from topple.phyre.engine.result import Outcome
from topple.phyre.phases import Testing
from topple.phyre.task import Task
from topple.runs.belief import Belief


def attempt_by_belief(
    testing: Testing,
    task: Task,
    numbers: Order,
    actions: Actions,
    belief: Belief,
    *,
    until_solved: bool = False,
) -> tuple[Order, Outcomes]:
    """Try the best candidate again and again; a failure counts against those beside it.

    If near misses count for those beside them, attempts are watched: a failure was as far from
    success as the bodies of the goal stayed apart.

    Args:
        testing: where attempts are made.
        task: the task.
        numbers: [listed] numbers in the list of actions of those candidates that are from there.
        actions: [candidates, action_size] all candidates, the listed ones first; all valid.
        belief: about them.
        until_solved: whether the attempt that solves the task is the last.

    Returns:
        The places of the tried ones among the candidates, and their outcomes.
    """

    def attempt(place: int) -> tuple[Outcome, float | None]:
        """The outcome of a candidate, and how far from success it was if that counts."""
        if belief.near_miss:
            assert task.scene.goal is not None
            outcome, result = testing.watch(task, actions[place], LOOKS)
            return outcome, float(kept_distances(result, task.scene.goal[:2])[0])
        if place < len(numbers):
            return Outcome(int(testing.attempt_listed(task, [int(numbers[place])])[0])), None
        return testing.attempt(task, actions[place]), None

    tried: list[int] = []
    outcomes: list[int] = []
    for _ in range(min(testing.remaining(task), len(actions))):
        tried.append(best := belief.take_best())
        outcome, distance = attempt(best)
        outcomes.append(outcome)
        if outcome == Outcome.NOT_SOLVED:
            belief.fail(best, distance)
        elif until_solved and outcome == Outcome.SOLVED:
            break
    return np.array(tried, np.int64), np.array(outcomes, np.int8)
