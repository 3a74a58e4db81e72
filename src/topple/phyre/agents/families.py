"""Training tasks that a task is like, and how what solved them is carried over to it.

Tasks that the same bodies make up are a family. Within it, a distance says which are most alike;
it is learned from the actions that solve them (:mod:`~topple.phyre.agents.task_metric`).

A task that hardly any training task has the bodies of is compared with those of the same kinds of
bodies by its goal alone, or with those whose goal is of the same kind, or with all.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from topple.phyre.action import Actions
from topple.phyre.agents.task_metric import TaskMetric, learn_metric
from topple.phyre.cache.shard import Outcomes
from topple.phyre.engine.request import SCENE_SIZE
from topple.phyre.engine.result import Outcome
from topple.phyre.likeness import measures, parts
from topple.phyre.task import Task
from topple.phyre.tier import COMPONENTS_PER_BALL

_FEWEST, _MOST = 9, 500  # tasks that a distance is learned from
_METRIC_ACTIONS = 1500  # that solve most of them, which a distance is learned from
_DIRECTIONS = ((True, True), (True, False), (False, True))
_WAYS = 13  # of carrying actions over, that are compared at most
LEAST_SHIFT = 0.002  # of the scene; what varies less does not move
_LEAST_NEARNESS = 1e-4

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]
Key = tuple[object, ...]


class Likeness(NamedTuple):
    """What a task has in common with others."""

    key: Key  # equal for these; empty for all
    measures: Floats  # [measures] of the bodies that they share
    centres: Floats  # [bodies, 2] of these, in widths of the scene


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


@dataclass(frozen=True, eq=False)
class Family:
    """Training tasks that are compared with a task.

    Attributes:
        key: what they have in common.
        rows: their places among the training tasks.
        measures: [tasks, measures] of the bodies that all of them have.
        centres: [tasks, bodies, 2] of these bodies, in widths of the scene.
        metric: which differences matter; none if the tasks are too many or have nothing in common.
    """

    key: Key
    rows: Ints
    measures: Floats
    centres: Floats
    metric: TaskMetric | None = None

    def nearest(self, own: Likeness, most: int, without: int | None = None) -> tuple[Ints, Floats]:
        """The tasks most like a task, and how much each tells of it; all, if nothing tells.

        Args:
            own: what the task has in common with them.
            most: how many of them.
            without: place of a task that does not count.
        """
        chosen = np.flatnonzero(np.arange(len(self.rows)) != (-1 if without is None else without))
        if self.metric is None:
            return chosen, np.ones(len(chosen))
        near = self.metric.nearness(self.measures[chosen], own.measures)
        order = np.argsort(-near, kind="stable")[:most]
        order = order[near[order] > _LEAST_NEARNESS]
        return chosen[order], near[order]

    def likeness(self, place: int) -> Likeness:
        """What one of the tasks has in common with the others."""
        return Likeness(self.key, self.measures[place], self.centres[place])


class Families:
    """All training tasks, by what they have in common."""

    def __init__(self, tasks: Sequence[Task], outcomes: Outcomes) -> None:
        """Take note of the tasks; distances are learned when they are needed.

        Args:
            tasks: the training tasks.
            outcomes: [tasks, actions] of listed actions.
        """
        self._tasks = tasks
        self._outcomes = outcomes
        self._members: dict[Key, list[int]] = defaultdict(list)
        self._known: dict[Key, Family] = {}
        for row, task in enumerate(tasks):
            for likeness in likenesses(task):
                self._members[likeness.key].append(row)

    def of(self, task: Task) -> tuple[Family, Likeness]:
        """The training tasks to compare a task with, and what they have in common with it."""
        for likeness in likenesses(task):
            if len(self._members[likeness.key]) >= _FEWEST or not likeness.key:
                break
        if likeness.key not in self._known:
            self._known[likeness.key] = self._new(likeness.key)
        return self._known[likeness.key], likeness

    def _new(self, key: Key) -> Family:
        rows = self._members[key]
        alike = [
            next(each for each in likenesses(self._tasks[row]) if each.key == key) for row in rows
        ]
        stacked = np.stack([each.measures for each in alike])
        metric = None
        if stacked.size and len(rows) <= _MOST:
            solved = self._outcomes[rows] == Outcome.SOLVED
            count = solved.sum(axis=0)
            best = np.argsort(-count, kind="stable")[:_METRIC_ACTIONS]
            metric = learn_metric(stacked, solved[:, best[count[best] > 0]])
        centres = np.stack([each.centres for each in alike])
        return Family(key, np.array(rows), stacked, centres, metric)


class Way(NamedTuple):
    """How a ball is carried over: moved along with a body in some directions, or not at all."""

    body: int = 0
    right: bool = False
    up: bool = False


AS_THEY_ARE = Way()


def ways_of(centres: Floats) -> list[Way]:
    """Ways of carrying actions over between tasks: bodies that move alike count once."""
    ways = [AS_THEY_ARE]
    seen: list[Floats] = []
    for body in range(centres.shape[1]):
        off = centres[:, body] - centres[:, body].mean(axis=0)
        still = off.std(axis=0).max() < LEAST_SHIFT
        if still or any(np.abs(off - other).max() < LEAST_SHIFT for other in seen):
            continue
        seen.append(off)
        ways += [Way(body, right, up) for right, up in _DIRECTIONS]
    return ways[:_WAYS]


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


def in_scene(actions: Actions) -> Flags:
    """[actions] whether all of their numbers are from 0 to 1."""
    inside: Flags = np.asarray(((actions >= 0) & (actions <= 1)).all(axis=1))
    return inside


def best_in_turn(weights: Floats, solves: Flags, trust: float) -> Iterator[int]:
    """Places of actions, each the likeliest to solve a task if all before it have failed.

    Args:
        weights: [hypotheses] about the task.
        solves: [hypotheses, actions] which actions solve the task if a hypothesis holds.
        trust: share of its weight that a hypothesis keeps when an action fails that should have
            solved the task.
    """
    chances, weights = solves.astype(np.float64), weights.copy()
    left = np.ones(solves.shape[1], bool)
    for _ in range(len(left)):
        # Not as a product of matrices, whose last bits depend on the machine's library.
        chance = np.einsum("h,hc->c", weights, chances)
        best = int(np.where(left, chance, -1.0).argmax())
        left[best] = False
        yield best
        weights *= 1 - (1 - trust) * chances[:, best]
        weights /= weights.sum() or 1.0
