"""NEIGHBOURS-O: a task is solved as the tasks most like it were, which it has met before.

From training it knows nothing but how many training tasks each listed action solves. Where every
test task is of a template that nobody has trained on, all else comes from its own attempts: what
solved the tasks made of the same bodies, those most like the new one first, as it was or moved
along with one of the bodies, and what failed there. How far each way of moving actions can be
trusted shows when a task is solved. A failure on the task itself speaks against what is beside it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from topple.phyre.agents.families import Likeness, Way, likenesses, moved_by, ways_of
from topple.phyre.engine.result import Outcome
from topple.phyre.phases import Testing, Training
from topple.phyre.task import Task
from topple.runs.agent import Observation, Traits
from topple.runs.settings import above_zero, at_least

_FADING = 0.9  # of what the next nearest task says
_DOUBT = 0.04  # what a failure on another task takes, where a solution adds 1
_FAILURES = 30  # on another task that are remembered
_UNKNOWN = 20  # training tasks more, of which an action that solves none has solved one
_LEARNED_FROM = 5  # nearest tasks that show which ways can be trusted
_RATE, _TOLERANCE = 0.1, 0.1  # of learning that, and a distance at which a way is nearly right
_SPREAD = 5.0  # pixels that every measure varies by at least

Floats = npt.NDArray[np.float64]


class Met(NamedTuple):
    """A task that was attempted."""

    likeness: Likeness
    solution: Floats | None  # [action_size]
    failures: Floats  # [failures, action_size]


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
    nearest: int = 20
    popularity: float = 0.3
    gain: float = 16.0
    reach: float = 0.07
    failure_penalty: float = 4.0
    failure_radius: float = 0.05
    _prior: Floats = field(init=False, repr=False)  # [actions]
    _met: dict[object, list[Met]] = field(init=False, repr=False)  # by what tasks are made of
    _trust: dict[tuple[object, Way], float] = field(init=False, repr=False)

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
        self._met = defaultdict(list)
        self._trust = defaultdict(lambda: 1.0)
        listed = testing.actions(self.actions)
        for task in sorted(testing.tasks, key=lambda task: task.id):
            valid = np.flatnonzero(testing.fits(task, self.actions))
            likeness = next(likenesses(task))
            earlier = self._met[likeness.key]
            near = self._nearest(likeness, earlier)
            ways = ways_of(np.stack([met.likeness.centres for met in earlier] + [likeness.centres]))
            logits = self._prior[valid] + self.gain * np.tanh(
                self._evidence(listed[valid], likeness, near, ways)
            )
            solution, failures = self._attempt(testing, task, valid, listed[valid], logits)
            if solution is not None:
                self._learn_ways(solution, likeness, near[:_LEARNED_FROM], ways)
            earlier.append(Met(likeness, solution, failures))

    def _nearest(self, likeness: Likeness, earlier: Sequence[Met]) -> list[Met]:
        """The earlier tasks that are most like a task, by measures as they vary among them."""
        if not earlier:
            return []
        measures = np.stack([met.likeness.measures for met in earlier])
        spread = np.ptp(measures, axis=0) + _SPREAD
        distance = (np.abs(measures - likeness.measures) / spread).sum(axis=1)
        order = np.argsort(distance, kind="stable")[: self.nearest]
        return [earlier[place] for place in order.tolist()]

    def _evidence(
        self, actions: Floats, likeness: Likeness, near: Sequence[Met], ways: Sequence[Way]
    ) -> Floats:
        """[actions] how much the attempts on other tasks speak for actions, or against them."""
        evidence = np.zeros(len(actions))
        for rank, met in enumerate(near):
            weight = _FADING**rank
            if met.solution is not None:
                says = [
                    self._trust[likeness.key, way]
                    * _beside(actions, self._moved(met, likeness, way), self.reach)
                    for way in ways
                ]
                evidence += weight * np.max(says, axis=0)
            for failure in met.failures[:_FAILURES]:
                evidence -= weight * _DOUBT * _beside(actions, failure, self.reach)
        return evidence

    def _moved(self, met: Met, likeness: Likeness, way: Way) -> Floats:
        """What solved another task, moved to where it should solve a task."""
        assert met.solution is not None
        return met.solution + moved_by(
            way, met.likeness.centres, likeness.centres, len(met.solution)
        )

    def _attempt(
        self,
        testing: Testing,
        task: Task,
        numbers: npt.NDArray[np.int64],
        actions: Floats,
        logits: Floats,
    ) -> tuple[Floats | None, Floats]:
        """Try the best action until one works; returns what solved the task, and what failed."""
        logits, left = logits.copy(), np.ones(len(actions), bool)
        failures: list[int] = []
        while testing.remaining(task) and left.any():
            best = int(np.where(left, logits, -np.inf).argmax())
            left[best] = False
            if testing.attempt_listed(task, [int(numbers[best])])[0] == Outcome.SOLVED:
                return actions[best], actions[failures]
            failures.append(best)
            logits -= self.failure_penalty * _beside(actions, actions[best], self.failure_radius)
        return None, actions[failures]

    def _learn_ways(
        self, solution: Floats, likeness: Likeness, near: Sequence[Met], ways: Sequence[Way]
    ) -> None:
        """Trust the ways that would have moved solutions of other tasks to this one."""
        for met in near:
            if met.solution is None:
                continue
            for way in ways:
                off = _beside(solution[None], self._moved(met, likeness, way), _TOLERANCE)
                trust = self._trust[likeness.key, way]
                self._trust[likeness.key, way] = trust + _RATE * (float(off[0]) - trust)


def _beside(actions: Floats, action: Floats, radius: float) -> Floats:
    """[actions] how near actions are to one, as a Gaussian."""
    near: Floats = np.exp(((actions - action) ** 2).sum(axis=1) / (-2 * radius**2))
    return near
