"""NEIGHBOURS-O: a task is solved as the tasks most like it were, which it has met before.

From training it knows nothing but how many training tasks each listed action solves. Where every
test task is of a template that nobody has trained on, all else comes from its own attempts
(:mod:`~topple.phyre.agents.memory`): what solved the tasks made of the same bodies, those most like
the new one first, as it was or moved along with one of the bodies, and what failed there. A failure
on the task itself speaks against what is beside it.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from topple.phyre.action import Actions
from topple.phyre.agents.memory import NEAREST, REACH, Memory, beside
from topple.phyre.cache.shard import Outcomes
from topple.phyre.engine.result import Outcome
from topple.phyre.phases import Testing, Training
from topple.phyre.task import Task
from topple.runs.agent import Observation, Traits
from topple.runs.settings import above_zero, at_least

_UNKNOWN = 20  # training tasks more, of which an action that solves none has solved one

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]


@dataclass
class NeighboursOnline:
    """The agent that learns from its attempts on the tasks that it is scored on.

    Attributes:
        actions: listed actions that it chooses from.
        nearest: earlier tasks that say something about a task, at most.
        popularity: weight of how many training tasks an action solves, as a logarithm.
        gain: what solutions of earlier tasks add to the logit of an action, at most.
        reach: standard deviation of the Gaussian by which they do so around the moved action.
        failure_penalty: what a failure on the task takes from the logits of actions beside it.
        failure_radius: standard deviation of the Gaussian by which it does so.
    """

    actions: int = 20_000
    nearest: int = NEAREST
    popularity: float = 0.3
    gain: float = 16.0
    reach: float = REACH
    failure_penalty: float = 4.0
    failure_radius: float = 0.05
    _prior: Floats = field(init=False, repr=False)  # [actions]

    def __post_init__(self) -> None:
        at_least(self, 1, "actions", "nearest")
        at_least(self, 0, "popularity", "gain", "failure_penalty")
        above_zero(self, "reach", "failure_radius")

    @property
    def traits(self) -> Traits:
        """It observes kinds, sizes and places of all bodies, and learns from its attempts."""
        return Traits(online=True, observation=Observation.OBJECTS, candidates=self.actions)

    def train(self, training: Training) -> None:
        """Count the training tasks that each action solves."""
        outcomes = training.outcomes(self.actions)
        solved = (outcomes == Outcome.SOLVED).sum(axis=0)
        self._prior = self.popularity * np.log((solved + 1) / (len(outcomes) + _UNKNOWN))

    def act(self, testing: Testing) -> None:
        """Try what solved tasks like each task, in order of the tasks' ids."""
        memory = Memory(self.nearest, self.reach)
        listed = testing.actions(self.actions)
        for task in sorted(testing.tasks, key=lambda task: task.id):
            valid = np.flatnonzero(testing.fits(task, self.actions))
            actions = listed[valid]
            logits = self._prior[valid] + self.gain * np.tanh(memory.evidence(task, actions))
            tried, outcomes = self._attempt(testing, task, valid, actions, logits)
            memory.add(task, actions[tried], outcomes)

    def _attempt(
        self,
        testing: Testing,
        task: Task,
        numbers: Ints,
        actions: Actions,
        logits: Floats,
    ) -> tuple[Ints, Outcomes]:
        """Try the best action until one works; returns what was tried, and what came of it."""
        logits, left = logits.copy(), np.ones(len(actions), bool)
        tried: list[int] = []
        outcomes: list[int] = []
        while testing.remaining(task) and left.any() and Outcome.SOLVED not in outcomes[-1:]:
            best = int(np.where(left, logits, -np.inf).argmax())
            left[best] = False
            tried.append(best)
            outcomes.append(int(testing.attempt_listed(task, [int(numbers[best])])[0]))
            logits -= self.failure_penalty * beside(actions, actions[best], self.failure_radius)
        return np.array(tried, np.int64), np.array(outcomes, np.int8)
