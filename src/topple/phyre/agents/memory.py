"""What attempts on earlier tasks say of a task that the same bodies make up.

An action that solved an earlier task speaks for the actions around it, as it was or moved along
with one of the bodies; that of the most similar task counts most. How far each way of moving
actions can be trusted shows when a task is solved. What failed on an earlier task speaks a little
against the actions around it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from topple.phyre.action import Actions
from topple.phyre.agents.families import Key, Likeness, Way, likenesses, moved_by, ways_of
from topple.phyre.cache.shard import Outcomes
from topple.phyre.engine.result import Outcome
from topple.phyre.task import Task

NEAREST, REACH = 20, 0.07  # earlier tasks that count, and how far solutions reach, if not said

_FADING = 0.9  # of what the next nearest task says
_DOUBT = 0.04  # what a failure on another task takes, where a solution adds 1
_FAILURES = 30  # on another task that are remembered
_LEARNED_FROM = 5  # nearest tasks that show which ways can be trusted
_RATE, _TOLERANCE = 0.1, 0.1  # of learning that, and a distance at which a way is nearly right
_SPREAD = 5.0  # pixels that every measure varies by at least

Floats = npt.NDArray[np.float64]


class Met(NamedTuple):
    """A task that was attempted."""

    likeness: Likeness
    solution: Floats | None  # [action_size]
    failures: Floats  # [failures, action_size]


class Memory:
    """Tasks that were attempted before."""

    def __init__(self, nearest: int = NEAREST, reach: float = REACH) -> None:
        """Begin with nothing.

        Args:
            nearest: earlier tasks that say something about a task.
            reach: standard deviation of the Gaussian by which solutions count around them.
        """
        self._nearest, self._reach = nearest, reach
        self._met: dict[Key, list[Met]] = defaultdict(list)
        self._trust: dict[tuple[Key, Way], float] = defaultdict(lambda: 1.0)

    def evidence(self, task: Task, actions: Actions) -> Floats:
        """[actions] how much the attempts on other tasks speak for actions, or against them."""
        likeness = next(likenesses(task))
        near, ways = self._near(likeness), self._ways(likeness)
        evidence = np.zeros(len(actions))
        for rank, met in enumerate(near):
            weight = _FADING**rank
            if met.solution is not None:
                says = [
                    self._trust[likeness.key, way]
                    * beside(actions, _moved(met, likeness, way), self._reach)
                    for way in ways
                ]
                evidence += weight * np.max(says, axis=0)
            for failure in met.failures[:_FAILURES]:
                evidence -= weight * _DOUBT * beside(actions, failure, self._reach)
        return evidence

    def add(self, task: Task, actions: Actions, outcomes: Outcomes) -> None:
        """Remember the attempts on a task.

        Args:
            task: the task.
            actions: [attempts, action_size] in their order.
            outcomes: [attempts] what came of them.
        """
        likeness = next(likenesses(task))
        solved = np.flatnonzero(outcomes == Outcome.SOLVED)
        solution = actions[solved[0]] if len(solved) else None
        if solution is not None:
            near = self._near(likeness)[:_LEARNED_FROM]
            self._learn_ways(solution, likeness, near, self._ways(likeness))
        failures = actions[outcomes == Outcome.NOT_SOLVED]
        self._met[likeness.key].append(Met(likeness, solution, failures))

    def _near(self, likeness: Likeness) -> list[Met]:
        """The earlier tasks that are most like a task, by measures as they vary among them."""
        earlier = self._met[likeness.key]
        if not earlier:
            return []
        measures = np.stack([met.likeness.measures for met in earlier])
        spread = np.ptp(measures, axis=0) + _SPREAD
        distance = (np.abs(measures - likeness.measures) / spread).sum(axis=1)
        order = np.argsort(distance, kind="stable")[: self._nearest]
        return [earlier[place] for place in order.tolist()]

    def _ways(self, likeness: Likeness) -> list[Way]:
        earlier = self._met[likeness.key]
        return ways_of(np.stack([met.likeness.centres for met in earlier] + [likeness.centres]))

    def _learn_ways(
        self, solution: Floats, likeness: Likeness, near: Sequence[Met], ways: Sequence[Way]
    ) -> None:
        """Trust the ways that would have moved solutions of other tasks to this one."""
        for met in near:
            if met.solution is None:
                continue
            for way in ways:
                off = beside(solution[None], _moved(met, likeness, way), _TOLERANCE)
                trust = self._trust[likeness.key, way]
                self._trust[likeness.key, way] = trust + _RATE * (float(off[0]) - trust)


def _moved(met: Met, likeness: Likeness, way: Way) -> Floats:
    """What solved another task, moved to where it should solve a task."""
    assert met.solution is not None
    shift = moved_by(way, met.likeness.centres, likeness.centres, len(met.solution))
    return met.solution + shift


def beside(actions: Actions, action: Floats, radius: float) -> Floats:
    """[actions] how near actions are to one, as a Gaussian."""
    near: Floats = np.exp(((actions - action) ** 2).sum(axis=1) / (-2 * radius**2))
    return near
