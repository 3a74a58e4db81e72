"""NEIGHBOURS: a task is solved as the training tasks most like it were.

It knows which listed actions solve each training task, and has no network. Tasks that the same
bodies make up are compared by a distance that is learned from their solutions
(:mod:`~topple.phyre.agents.task_metric`). What solved a task may be carried over as it is, or moved
along with one of the bodies: the three ways that serve best on training tasks, each left out in
turn, are hypotheses for each of the nearest tasks. The action that solves most of them, by their
weights, is tried; a failure takes weight from those that it should have solved. So everything it
learns on a scored task is that its attempts failed, and it simulates nothing there.

A task that hardly any training task has the bodies of is compared with those of the same kinds of
bodies by its goal alone, or with those whose goal is of the same kind, or with all.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain, islice
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.spatial import KDTree

from topple.phyre.action import Actions
from topple.phyre.agents.task_metric import TaskMetric, learn_metric
from topple.phyre.auccess import MAX_ATTEMPTS, WEIGHTS
from topple.phyre.cache.shard import Outcomes
from topple.phyre.engine.request import SCENE_SIZE
from topple.phyre.engine.result import Outcome
from topple.phyre.likeness import measures, parts
from topple.phyre.phases import Testing, Training
from topple.phyre.scramble import LIST_LENGTH
from topple.phyre.task import Task
from topple.phyre.tier import COMPONENTS_PER_BALL
from topple.runs.agent import Observation, Traits
from topple.runs.settings import at_least, fraction

_FEWEST, _MOST = 9, 500  # tasks that a distance is learned from
_METRIC_ACTIONS = 1500  # that solve most of them, which a distance is learned from
_DIRECTIONS = ((True, True), (True, False), (False, True))
_WAYS = 13  # of carrying actions over, that are compared at most
# What they are compared by: tasks that are left out in turn, neighbours, and candidates.
_LEFT_OUT, _NEAREST, _BEST = 25, 15, 300
_ALONE = 0.02  # by which a way has to be better than to leave actions as they are
_TEMPERATURE = 0.02  # of the AUCCESS that says how much ways are trusted
_VOTES = 1500  # solutions of a task that are carried over at most
_LEAST_SHIFT = 0.002  # of the scene; a body that varies less does not move
_LEAST_NEARNESS = 1e-4

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]


class Likeness(NamedTuple):
    """What a task has in common with others."""

    key: tuple[object, ...]  # equal for these; empty for all
    measures: Floats  # [measures] of the bodies that they share
    centres: Floats  # [bodies, 2] of these, in widths of the scene


class Way(NamedTuple):
    """How actions are carried over: moved along with a body in some directions, or not at all."""

    body: int = 0
    right: bool = False
    up: bool = False


AS_THEY_ARE = Way()


@dataclass(eq=False)
class Family:
    """Training tasks that are compared with a task.

    Attributes:
        rows: their places among the training tasks.
        measures: [tasks, measures] of the bodies that all of them have.
        centres: [tasks, bodies, 2] of these bodies, in widths of the scene.
        metric: which differences matter; none if the tasks are too many or have nothing in common.
        ways: how actions are carried over, and the weight of each.
    """

    rows: Ints
    measures: Floats
    centres: Floats
    metric: TaskMetric | None = None
    ways: list[tuple[Way, float]] = field(default_factory=lambda: [(AS_THEY_ARE, 1.0)])


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
    _tasks: Sequence[Task] = field(default=(), init=False, repr=False)
    _members: dict[tuple[object, ...], list[int]] = field(init=False, repr=False)
    _families: dict[tuple[object, ...], Family] = field(
        default_factory=dict, init=False, repr=False
    )
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
        self._tasks = training.tasks
        self._members = defaultdict(list)
        for row, task in enumerate(training.tasks):
            for likeness in likenesses(task):
                self._members[likeness.key].append(row)

    def _family_of(self, task: Task) -> tuple[Family, Likeness]:
        """The training tasks to compare a task with, and what they have in common with it."""
        for likeness in likenesses(task):
            if len(self._members[likeness.key]) >= _FEWEST or not likeness.key:
                break
        if likeness.key not in self._families:
            self._families[likeness.key] = self._new_family(self._members[likeness.key], likeness)
        return self._families[likeness.key], likeness

    def _new_family(self, rows: list[int], likeness: Likeness) -> Family:
        """Learn the distance between tasks, and how actions are carried over."""
        alike = [
            next(each for each in likenesses(self._tasks[row]) if each.key == likeness.key)
            for row in rows
        ]
        family = Family(
            np.array(rows),
            np.stack([each.measures for each in alike]),
            np.stack([each.centres for each in alike]),
        )
        if not likeness.measures.size or len(rows) > _MOST:
            return family
        solved = self._outcomes[family.rows] == Outcome.SOLVED
        count = solved.sum(axis=0)
        best = np.argsort(-count, kind="stable")[:_METRIC_ACTIONS]
        family.metric = learn_metric(family.measures, solved[:, best[count[best] > 0]])
        if not self.ways:
            return family
        left_out = np.random.default_rng(0).permutation(len(rows))[:_LEFT_OUT]
        scores = []
        for way in ways_of(family.centres):
            gain = np.mean([self._gain(family, int(place), way) for place in left_out])
            scores.append((float(gain) + (_ALONE if way == AS_THEY_ARE else 0.0), way))
        scores.sort(key=lambda pair: -pair[0])
        family.ways = [
            (way, float(np.exp((score - scores[0][0]) / _TEMPERATURE)))
            for score, way in scores[: self.ways]
        ]
        return family

    def _gain(self, family: Family, place: int, way: Way) -> float:
        """AUCCESS on a training task that is left out, with one way of carrying actions over."""
        others = np.arange(len(family.rows)) != place
        row = self._outcomes[family.rows[place]]
        own = Likeness((), family.measures[place], family.centres[place])
        valid = row != Outcome.INVALID
        guess = self._guess(family, others, own, [(way, 1.0)], valid, (_NEAREST, _BEST))
        for attempt, number in enumerate(islice(self._order(guess), MAX_ATTEMPTS)):
            if row[number] == Outcome.SOLVED:
                return float(WEIGHTS[attempt:].sum() / WEIGHTS.sum())
        return 0.0

    # Acting.

    def act(self, testing: Testing) -> None:
        """Try on each task what solves its neighbours."""
        for task in testing.tasks:
            family, own = self._family_of(task)
            valid = testing.fits(task, self.actions)
            every = np.ones(len(family.rows), bool)
            most = (self.nearest, self.candidates)
            guess = self._guess(family, every, own, family.ways, valid, most)
            valid[guess.candidates] = False  # for the rest
            for number in chain(self._order(guess), self._popular[valid[self._popular]]):
                if not testing.remaining(task):
                    break
                if testing.attempt_listed(task, [int(number)])[0] == Outcome.SOLVED:
                    break

    def _guess(
        self,
        family: Family,
        among: Flags,
        own: Likeness,
        ways: Sequence[tuple[Way, float]],
        valid: Flags,
        most: tuple[int, int],
    ) -> Guess:
        """What the nearest tasks of a family say of a task.

        Args:
            family: the tasks.
            among: [tasks] which of them count.
            own: what the task has in common with them.
            ways: how actions are carried over, with weights.
            valid: [actions] whether listed actions are valid on the task.
            most: how many tasks and candidates to consider.
        """
        chosen = np.flatnonzero(among)
        near = np.ones(len(chosen))
        if family.metric is not None:
            near = family.metric.nearness(family.measures[chosen], own.measures)
            order = np.argsort(-near, kind="stable")[: most[0]]
            order = order[near[order] > _LEAST_NEARNESS]
            chosen, near = chosen[order], near[order]
        votes = np.zeros(self.actions)
        moved: list[tuple[int, Floats]] = []
        weights: list[float] = []
        for way, trust in ways:
            for place, weight in zip(chosen.tolist(), (near * trust).tolist(), strict=True):
                size = self._listed.shape[1]
                shift = moved_by(way, family.centres[place], own.centres, size)
                row = int(family.rows[place])
                numbers = self._solutions[row]
                step = -(-len(numbers) // _VOTES) or 1
                np.add.at(votes, self._carried(numbers[::step], shift), weight * step)
                moved.append((row, shift))
                weights.append(weight)
        votes[~valid] = 0
        candidates = np.argsort(-votes, kind="stable")[: most[1]]
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
        inside: Flags = np.asarray(((actions >= 0) & (actions <= 1)).all(axis=1))
        return inside, np.asarray(self._tree.query(actions[inside])[1], np.int64)

    def _order(self, guess: Guess) -> Iterator[int]:
        """The candidates in the order of attempts, if all of them fail."""
        solves, weights = guess.solves.astype(np.float64), guess.weights.copy()
        left = np.ones(len(guess.candidates), bool)
        for _ in range(len(left)):
            # Not as a product of matrices, whose last bits depend on the machine's library.
            chance = np.einsum("h,hc->c", weights, solves)
            best = int(np.where(left, chance, -1.0).argmax())
            left[best] = False
            yield int(guess.candidates[best])
            weights *= 1 - (1 - self.trust) * solves[:, best]
            weights /= weights.sum() or 1.0


def moved_by(way: Way, before: Floats, after: Floats, size: int) -> Floats:
    """[size] how an action moves on the way from one task to another.

    Args:
        way: what it moves along with.
        before: [bodies, 2] centres of the bodies in the one.
        after: [bodies, 2] in the other.
        size: of the action.
    """
    shift = np.zeros(size)
    if way != AS_THEY_ARE:
        gone = after[way.body] - before[way.body]
        shift[0::COMPONENTS_PER_BALL] = gone[0] * way.right
        shift[1::COMPONENTS_PER_BALL] = gone[1] * way.up
    return shift


def likenesses(task: Task) -> Iterator[Likeness]:
    """What other tasks may have in common with a task, from all of its bodies to nothing."""
    every = parts(task.scene)
    own = [part for part, _ in every]
    goal = sorted((pair for pair in every if pair[0].role), key=lambda pair: pair[0].role)
    goal_parts = tuple(part for part, _ in goal)
    for key, bodies in (
        (("bodies", *own), [body for _, body in every]),
        (("kinds", frozenset(own)), [body for _, body in goal]),
        (("goal", *goal_parts), [body for _, body in goal]),
        ((), []),
    ):
        centres = np.array([body.position for body in bodies]).reshape(-1, 2) / SCENE_SIZE
        yield Likeness(key, measures(bodies), centres)


def ways_of(centres: Floats) -> list[Way]:
    """Ways of carrying actions over between tasks: bodies that move alike count once."""
    ways = [AS_THEY_ARE]
    seen: list[Floats] = []
    for body in range(centres.shape[1]):
        off = centres[:, body] - centres[:, body].mean(axis=0)
        still = off.std(axis=0).max() < _LEAST_SHIFT
        if still or any(np.abs(off - other).max() < _LEAST_SHIFT for other in seen):
            continue
        seen.append(off)
        ways += [Way(body, right, up) for right, up in _DIRECTIONS]
    return ways[:_WAYS]
