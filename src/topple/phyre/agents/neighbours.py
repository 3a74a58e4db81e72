"""NEIGHBOURS: a task is solved as the training tasks most like it were.

It knows which listed actions solve each training task, and has no network. Which training tasks
are most like a task is learned (:mod:`~topple.phyre.agents.families`). What solved a task may be
carried over as it is, or moved along with one of the bodies: the three ways that serve best on
training tasks, each left out in turn, are hypotheses for each of the nearest tasks. The action that
solves most of them, by their weights, is tried; a failure takes weight from those that it should
have solved. So everything it learns on a scored task is that its attempts failed, and it simulates
nothing there.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain, islice
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.spatial import KDTree

from topple.phyre.action import Actions
from topple.phyre.agents.families import (
    AS_THEY_ARE,
    Families,
    Family,
    Key,
    Likeness,
    Way,
    best_in_turn,
    in_scene,
    moved_by,
    ways_of,
)
from topple.phyre.auccess import MAX_ATTEMPTS, WEIGHTS
from topple.phyre.cache.shard import Outcomes
from topple.phyre.engine.result import Outcome
from topple.phyre.phases import Testing, Training
from topple.phyre.scramble import LIST_LENGTH
from topple.runs.agent import Observation, Traits
from topple.runs.settings import at_least, fraction

# What ways of carrying actions over are compared by: tasks that are left out in turn, neighbours,
# and candidates.
_LEFT_OUT, _NEAREST, _BEST = 25, 15, 300
_ALONE = 0.02  # by which a way has to be better than to leave actions as they are
_TEMPERATURE = 0.02  # of the AUCCESS that says how much ways are trusted
_VOTES = 1500  # solutions of a task that are carried over at most

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]
Weighted = Sequence[tuple[Way, float]]


class Guess(NamedTuple):
    """What is thought of a task before it is attempted."""

    candidates: Ints  # [candidates] numbers of listed actions, those with most votes first
    solves: Flags  # [hypotheses, candidates]
    weights: Floats  # [hypotheses]


@dataclass
class Neighbours:
    """The agent that carries solutions over from the nearest training tasks.

    Attributes:
        actions: listed actions whose outcomes on training tasks are known.
        nearest: training tasks that are hypotheses about a task, at most.
        ways: ways of carrying actions over that are hypotheses as well; 0: they stay as they are.
        candidates: actions with most votes, which are considered on a task.
        trust: share of its weight that a hypothesis keeps when an action fails that should have
            solved the task.
    """

    actions: int = LIST_LENGTH
    nearest: int = 40
    ways: int = 3
    candidates: int = 2000
    trust: float = 0.5
    _outcomes: Outcomes = field(init=False, repr=False)  # [tasks, actions]
    _solutions: list[Ints] = field(init=False, repr=False)  # of each task, numbers of actions
    _popular: Ints = field(init=False, repr=False)  # numbers of actions, most solutions first
    _families: Families = field(init=False, repr=False)
    _ways: dict[Key, Weighted] = field(init=False, repr=False)
    _listed: Actions = field(init=False, repr=False)
    _tree: KDTree = field(init=False, repr=False)

    def __post_init__(self) -> None:
        at_least(self, 1, "actions", "nearest", "candidates")
        at_least(self, 0, "ways")
        fraction(self, "trust")

    @property
    def traits(self) -> Traits:
        """It observes kinds, sizes and places of all bodies."""
        return Traits(observation=Observation.OBJECTS, candidates=self.actions)

    # Training.

    def train(self, training: Training) -> None:
        """Look up what solves the training tasks; what makes them alike is learned when needed."""
        self._outcomes = training.outcomes(self.actions)
        self._solutions = [np.flatnonzero(row == Outcome.SOLVED) for row in self._outcomes]
        counts = np.bincount(np.concatenate(self._solutions), minlength=self.actions)
        self._popular = np.argsort(-counts, kind="stable")
        self._listed = training.actions(self.actions)
        self._tree = KDTree(self._listed)
        self._families = Families(training.tasks, self._outcomes)
        self._ways = {}

    def _ways_in(self, family: Family) -> Weighted:
        """How actions are carried over within a family; learned when asked for the first time."""
        if family.key not in self._ways:
            learns = self.ways and family.metric is not None
            self._ways[family.key] = self._best_ways(family) if learns else [(AS_THEY_ARE, 1.0)]
        return self._ways[family.key]

    def _best_ways(self, family: Family) -> Weighted:
        """The ways that serve best on training tasks which are left out in turn."""
        left_out = np.random.default_rng(0).permutation(len(family.rows))[:_LEFT_OUT]
        scores = []
        for way in ways_of(family.centres):
            gain = np.mean([self._gain(family, int(place), way) for place in left_out])
            scores.append((float(gain) + (_ALONE if way == AS_THEY_ARE else 0.0), way))
        scores.sort(key=lambda pair: -pair[0])
        return [
            (way, float(np.exp((score - scores[0][0]) / _TEMPERATURE)))
            for score, way in scores[: self.ways]
        ]

    def _gain(self, family: Family, place: int, way: Way) -> float:
        """AUCCESS on a training task that is left out, with one way of carrying actions over."""
        row = self._outcomes[family.rows[place]]
        own = family.likeness(place)
        near = family.nearest(own, _NEAREST, without=place)
        guess = self._guess(family, near, own, [(way, 1.0)], row != Outcome.INVALID, _BEST)
        for attempt, number in enumerate(islice(self._order(guess), MAX_ATTEMPTS)):
            if row[number] == Outcome.SOLVED:
                return float(WEIGHTS[attempt:].sum() / WEIGHTS.sum())
        return 0.0

    # Acting.

    def act(self, testing: Testing) -> None:
        """Try on each task what solves its neighbours."""
        for task in testing.tasks:
            family, own = self._families.of(task)
            valid = testing.fits(task, self.actions)
            near, ways = family.nearest(own, self.nearest), self._ways_in(family)
            guess = self._guess(family, near, own, ways, valid, self.candidates)
            valid[guess.candidates] = False  # for the rest
            for number in chain(self._order(guess), self._popular[valid[self._popular]]):
                if not testing.remaining(task):
                    break
                if testing.attempt_listed(task, [int(number)])[0] == Outcome.SOLVED:
                    break

    def _guess(
        self,
        family: Family,
        near: tuple[Ints, Floats],
        own: Likeness,
        ways: Weighted,
        valid: Flags,
        most: int,
    ) -> Guess:
        """What the nearest tasks of a family say of a task.

        Args:
            family: the tasks.
            near: the nearest of them, and how near they are.
            own: what the task has in common with them.
            ways: how actions are carried over, with weights.
            valid: [actions] whether listed actions are valid on the task.
            most: how many candidates to consider.
        """
        votes = np.zeros(self.actions)
        moved: list[tuple[int, Floats]] = []
        weights: list[float] = []
        for way, trust in ways:
            for place, weight in zip(near[0].tolist(), (near[1] * trust).tolist(), strict=True):
                size = self._listed.shape[1]
                shift = moved_by(way, family.centres[place], own.centres, size)
                row = int(family.rows[place])
                numbers = self._solutions[row]
                step = -(-len(numbers) // _VOTES) or 1
                np.add.at(votes, self._carried(numbers[::step], shift), weight * step)
                moved.append((row, shift))
                weights.append(weight)
        votes[~valid] = 0
        candidates = np.argsort(-votes, kind="stable")[:most]
        candidates = candidates[votes[candidates] > 0]
        solves = np.zeros((len(moved), len(candidates)), bool)
        for k, (row, shift) in enumerate(moved):
            solves[k] = self._solves(row, candidates, -shift)
        return Guess(candidates, solves, np.array(weights) / sum(weights))

    def _carried(self, numbers: Ints, shift: Floats) -> Ints:
        """Numbers of the listed actions nearest to moved ones, if these stay in the scene."""
        return self._moved(numbers, shift)[1] if shift.any() else numbers

    def _solves(self, row: int, numbers: Ints, shift: Floats) -> Flags:
        """[numbers] whether moved actions solve a training task, by the nearest listed ones."""
        if not shift.any():
            return np.asarray(self._outcomes[row, numbers] == Outcome.SOLVED)
        inside, nearest = self._moved(numbers, shift)
        solves = np.zeros(len(numbers), bool)
        solves[inside] = self._outcomes[row, nearest] == Outcome.SOLVED
        return solves

    def _moved(self, numbers: Ints, shift: Floats) -> tuple[Flags, Ints]:
        """[numbers] whether moved actions stay in the scene; the listed ones nearest to these."""
        actions = self._listed[numbers] + shift
        inside = in_scene(actions)
        return inside, np.asarray(self._tree.query(actions[inside])[1], np.int64)

    def _order(self, guess: Guess) -> Iterator[int]:
        """The candidates in the order of attempts, if all of them fail."""
        for place in best_in_turn(guess.weights, guess.solves, self.trust):
            yield int(guess.candidates[place])
