"""REHEARSE: an action is tried on the training tasks most like a task before it is tried there.

It carries solutions over from the training tasks most like a task, as NEIGHBOURS does, and moves
each ball along with one of the bodies. But where NEIGHBOURS looks up the nearest listed action, it
simulates: an action that may solve the task is carried back to each of the nearest training tasks
and tried there. On scored tasks it simulates nothing; what it learns of them is that attempts fail.

Simulations are dear with two balls, so candidates are tried on few training tasks first, and only
the best of them on more. Most tasks are solved by one of the first candidates; only if all of these
fail, many more are considered. What is left of the attempts goes to the listed actions that solve
most of the nearest tasks, by what the failures leave of their weights.

Many tasks are thought about in step, so that their simulations fill a batch.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from topple.phyre.action import Actions
from topple.phyre.agents.families import (
    AS_THEY_ARE,
    LEAST_SHIFT,
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
from topple.phyre.agents.mined import changed
from topple.phyre.cache.shard import Outcomes
from topple.phyre.engine.native import SceneSet, valid_actions
from topple.phyre.engine.result import Outcome
from topple.phyre.phases import Testing, Training
from topple.phyre.scene.codec import fingerprint
from topple.phyre.scramble import LIST_LENGTH
from topple.phyre.task import Task
from topple.phyre.tier import COMPONENTS_PER_BALL
from topple.runs.agent import Observation, Traits
from topple.runs.settings import at_least, fraction

_TOGETHER = 125  # tasks that are thought about in step
_ROUNDS = 2  # of candidates
_MORE = 4  # times as many candidates in the round that follows one in which all failed
_LISTED = 3  # one of so many candidates is a listed action that solves near tasks as it is
_PARENTS = 8  # best candidates that are changed
_EACH = 6  # solutions that a hypothesis proposes, at least
#: Hypotheses that candidates are tried on, and the share of these that goes on.
_STAGES = ((6, 0.3), (20, 0.4), (60, 1.0))
# What ways of carrying actions over are compared by: tasks that are left out in turn, the nearest
# of each, and solutions of these.
_LEFT_OUT, _NEAREST, _SOLUTIONS = 20, 3, 8
_WAY_STAGES = ((100, 0.25), (_LEFT_OUT * _NEAREST * _SOLUTIONS, 1.0))
_ALONE = 0.01  # share of solutions by which a way has to be better than to leave actions alone
_TEMPERATURE = 0.2  # of the share of solutions, beside the best one, by which a way is trusted

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]
Ways = tuple[Way, ...]  # one for each ball
T = TypeVar("T")


class Asked(NamedTuple):
    """Simulations on training tasks that somebody waits for: which actions solve their tasks."""

    rows: Ints  # [simulations] places among the training tasks
    actions: Actions  # [simulations, 3 * balls]; one that leaves the scene solves nothing


Asking = Generator[Asked, Flags, T]


class Hypotheses(NamedTuple):
    """Training tasks that a task may be like, and how actions are carried over from them."""

    rows: Ints  # [hypotheses] places of the training tasks
    shifts: Floats  # [hypotheses, 3 * balls]
    weights: Floats  # [hypotheses]

    def likeliest_first(self) -> Hypotheses:
        """The same, in the order of their weights."""
        order = np.argsort(-self.weights, kind="stable")
        return Hypotheses(self.rows[order], self.shifts[order], self.weights[order])


@dataclass
class Rehearse:
    """The agent that tries actions on the nearest training tasks first.

    Attributes:
        actions: listed actions whose outcomes on training tasks are known.
        nearest: training tasks that actions are tried on, at most.
        ways: ways of carrying actions over, each of which is a hypothesis for each of these tasks.
        candidates: that are considered first; if they fail, four times as many are.
        refined: changes of the best candidates that are considered as well.
        mined: actions beside known solutions that are tried on each training task of a family, to
            find further solutions; beside those of the nearest tasks where none is known.
        trust: share of its weight that a hypothesis keeps when an action fails that should have
            solved the task.
    """

    actions: int = LIST_LENGTH
    nearest: int = 30
    ways: int = 3
    candidates: int = 160
    refined: int = 0
    mined: int = 100
    trust: float = 0.5
    _training: Training = field(init=False, repr=False)
    _outcomes: Outcomes = field(init=False, repr=False)  # [tasks, actions]
    _listed: Actions = field(init=False, repr=False)
    _families: Families = field(init=False, repr=False)
    _ways: dict[Key, list[tuple[Ways, float]]] = field(init=False, repr=False)
    #: Further solutions, by families and places of tasks.
    _mined: dict[Key, dict[int, Actions]] = field(init=False, repr=False)
    _seed: int = field(init=False, repr=False)

    def __post_init__(self) -> None:
        at_least(self, 1, "actions", "nearest", "ways", "candidates")
        at_least(self, 0, "refined", "mined")
        fraction(self, "trust")

    @property
    def traits(self) -> Traits:
        """It observes kinds, sizes and places of all bodies, and attempts any actions."""
        return Traits(observation=Observation.OBJECTS)

    def train(self, training: Training) -> None:
        """Look up what solves the training tasks; all else is learned when it is needed."""
        self._training = training
        self._outcomes = training.outcomes(self.actions)
        self._listed = training.actions(self.actions)
        self._families = Families(training.tasks, self._outcomes)
        self._ways, self._mined = {}, {}
        self._seed = int(training.rng.integers(2**32))

    def act(self, testing: Testing) -> None:
        """Try on each task what solves the tasks most like it."""
        for start in range(0, len(testing.tasks), _TOGETHER):
            tasks = testing.tasks[start : start + _TOGETHER]
            self._study(tasks)
            parts = [testing.part(task) for task in tasks]
            in_step([self._solve(part, part.tasks[0]) for part in parts], self._simulate)
            for part in parts:
                testing.join(part)

    def _simulate(self, asked: Asked) -> Flags:
        """[simulations] whether actions solve training tasks."""
        inside = in_scene(asked.actions)
        solved: Flags = np.zeros(len(inside), np.bool_)
        result = self._training.simulate(asked.rows[inside], asked.actions[inside])
        solved[inside] = result.outcome == Outcome.SOLVED
        return solved

    def _solutions(self, key: Key, row: int, most: int) -> Actions:
        """Actions that solve a task of a family, drawn at random, but always the same."""
        found = self._listed_solutions(row)
        if row in self._mined.get(key, ()):
            found = np.concatenate([found, self._mined[key][row]])
        chosen: Actions = self._generator(row).permutation(found)[:most]
        return chosen

    def _listed_solutions(self, row: int) -> Actions:
        solutions: Actions = self._listed[self._outcomes[row] == Outcome.SOLVED]
        return solutions

    def _generator(self, number: int) -> np.random.Generator:
        return np.random.default_rng([self._seed, number])

    # Training tasks.

    def _study(self, tasks: Sequence[Task]) -> None:
        """Find out how actions are carried over to tasks, if their families are new."""
        families = {family.key: family for family, _ in map(self._families.of, tasks)}
        new = [family for key, family in families.items() if key not in self._ways]
        keys = [family.key for family in new]
        mined = in_step([self._mine(family) for family in new], self._simulate)
        self._mined |= dict(zip(keys, mined, strict=True))
        ways = in_step([self._compare_ways(family) for family in new], self._simulate)
        self._ways |= dict(zip(keys, ways, strict=True))

    def _mine(self, family: Family) -> Asking[dict[int, Actions]]:
        """Further solutions of the tasks of a family."""
        tried: dict[int, Actions] = {}
        if not self.mined or family.metric is None:
            return tried
        for place, row in enumerate(family.rows.tolist()):
            near, _ = family.nearest(family.likeness(place), _NEAREST, place)
            known = map(self._listed_solutions, [row, *family.rows[near]])
            some = next((solutions for solutions in known if len(solutions)), None)
            if some is not None:
                rng = self._generator(row)
                tried[row] = changed(some[rng.integers(len(some), size=self.mined)], rng)
        if not tried:
            return tried
        rows = np.repeat(np.array(list(tried)), self.mined)
        solved = yield Asked(rows, np.concatenate(list(tried.values())))
        worked = np.split(solved, len(tried))
        return {row: tried[row][those] for row, those in zip(tried, worked, strict=True)}

    def _compare_ways(self, family: Family) -> Asking[list[tuple[Ways, float]]]:
        """The best ways of carrying actions over within a family, and how far each is trusted."""
        balls = self._listed.shape[1] // COMPONENTS_PER_BALL
        ways = _ways_of_balls(family.centres, balls)
        rng = np.random.default_rng(self._seed)
        trials = [
            (other, place, action)
            for place in rng.permutation(len(family.rows))[:_LEFT_OUT].tolist()
            for other in family.nearest(family.likeness(place), _NEAREST, place)[0][:_NEAREST]
            for action in self._solutions(family.key, int(family.rows[other]), _SOLUTIONS)
        ]
        if family.metric is None or not trials:
            return [((AS_THEY_ARE,) * balls, 1.0)]
        shuffled = [trials[number] for number in rng.permutation(len(trials))]
        source, target, actions = map(np.array, zip(*shuffled, strict=True))
        shifts = np.stack(
            [
                [
                    _shift(way, family.centres[one], family.centres[other])
                    for one, other in zip(source, target, strict=True)
                ]
                for way in ways
            ]
        )

        def ask(trial: Ints, way: Ints) -> Asked:
            return Asked(family.rows[target[trial]], actions[trial] + shifts[way, trial])

        kept, solved = yield from narrow(np.ones(len(trials)), len(ways), _WAY_STAGES, ask)
        share = solved.mean(axis=0) + _ALONE * (kept == 0)
        order = np.argsort(-share, kind="stable")[: self.ways]
        trust = np.exp((share[order] / share[order[0]] - 1) / _TEMPERATURE)
        return [(ways[kept[place]], float(each)) for place, each in zip(order, trust, strict=True)]

    # What to try on a task.

    def _solve(self, testing: Testing, task: Task) -> Asking[None]:
        """Attempt a task until it is solved, or no attempt is left."""
        family, own = self._families.of(task)
        hypotheses = self._hypotheses(family, own)
        rng = self._generator(int(fingerprint([task.scene])[:16], 16))
        valid = testing.fits(task, self.actions)
        tried: set[bytes] = set()
        for number in range(_ROUNDS):
            hypotheses = hypotheses.likeliest_first()
            count = self.candidates * _MORE**number
            candidates = self._candidates(task, valid, family.key, hypotheses, count)
            fresh = [action.tobytes() not in tried for action in candidates]
            kept, solved = yield from self._rehearse(hypotheses, candidates[fresh])
            if self.refined and len(kept):
                near = _valid(task, self._beside(kept, solved, hypotheses, rng))
                others = yield from self._rehearse(hypotheses, near)
                if len(near):
                    kept = np.concatenate([kept, others[0]])
                    solved = np.concatenate([solved, others[1]], axis=1)
            for place in best_in_turn(hypotheses.weights[: len(solved)], solved, self.trust):
                if not testing.remaining(task) or testing.attempt(task, kept[place]).is_solved:
                    return
                tried.add(kept[place].tobytes())
            hypotheses.weights[: len(solved)] *= self.trust ** solved.sum(axis=1)
        for listed in self._by_votes(valid, hypotheses).tolist():
            if self._listed[listed].tobytes() in tried:
                continue
            if not testing.remaining(task) or testing.attempt_listed(task, [listed])[0] == (
                Outcome.SOLVED
            ):
                return

    def _rehearse(
        self, hypotheses: Hypotheses, candidates: Actions
    ) -> Asking[tuple[Actions, Flags]]:
        """The best of some actions, and [hypotheses, actions] where they succeed."""
        rows, shifts, weights = hypotheses

        def ask(trial: Ints, candidate: Ints) -> Asked:
            return Asked(rows[trial], candidates[candidate] - shifts[trial])

        kept, solved = yield from narrow(weights, len(candidates), _STAGES, ask)
        return candidates[kept], solved

    def _beside(
        self, actions: Actions, solved: Flags, hypotheses: Hypotheses, rng: np.random.Generator
    ) -> Actions:
        """Actions that differ a little from the best of some."""
        score = np.einsum("h,hc->c", hypotheses.weights[: len(solved)], solved.astype(np.float64))
        best = actions[np.argsort(-score, kind="stable")[:_PARENTS]]
        return changed(best[rng.integers(len(best), size=self.refined)], rng)

    def _hypotheses(self, family: Family, own: Likeness) -> Hypotheses:
        """What a task may be like."""
        places, near = family.nearest(own, self.nearest)
        if family.metric is None:  # nothing says which are nearest
            rng = np.random.default_rng(self._seed)
            places = rng.permutation(places)[: self.nearest]
        ways = self._ways[family.key]
        pairs = list(product(zip(places.tolist(), near.tolist(), strict=False), ways))
        return Hypotheses(
            np.array([family.rows[place] for (place, _), _ in pairs]),
            np.stack([_shift(way, family.centres[p], own.centres) for (p, _), (way, _) in pairs]),
            np.array([weight * trust for (_, weight), (_, trust) in pairs]),
        )

    def _candidates(
        self, task: Task, valid: Flags, key: Key, hypotheses: Hypotheses, count: int
    ) -> Actions:
        """Valid actions that may solve a task: listed ones, and what hypotheses propose."""
        listed = self._by_votes(valid, hypotheses)[: count // _LISTED]
        found = [self._listed[listed]]
        each = max(_EACH, -(-count // len(hypotheses.rows)))
        for row, shift in zip(hypotheses.rows.tolist(), hypotheses.shifts, strict=True):
            if sum(map(len, found)) >= count:
                break
            found.append(self._solutions(key, row, each) + shift)
        return _valid(task, np.unique(np.concatenate(found), axis=0))

    def _by_votes(self, valid: Flags, hypotheses: Hypotheses) -> Ints:
        """Valid listed actions, those first that solve most of the nearest tasks as they are."""
        votes = np.zeros(self.actions)
        for row in np.unique(hypotheses.rows):
            weight = hypotheses.weights[hypotheses.rows == row].sum()
            votes[self._outcomes[row] == Outcome.SOLVED] += weight
        order = np.argsort(-votes, kind="stable")
        return order[valid[order]]


def in_step(searches: Sequence[Asking[T]], answer: Callable[[Asked], Flags]) -> list[T]:
    """Run searches that wait for simulations; what all of them wait for becomes one batch.

    Returns:
        What each of them returns.
    """
    results: dict[int, T] = {}
    answers: dict[int, Flags | None] = dict.fromkeys(range(len(searches)))
    while answers:
        asked: dict[int, Asked] = {}
        for number, given in answers.items():
            try:
                # The first step of a generator takes no answer.
                asked[number] = searches[number].send(given)  # type: ignore[arg-type]
            except StopIteration as end:
                results[number] = end.value
        answers = {}
        if asked:
            rows, actions = zip(*asked.values(), strict=True)
            every = answer(Asked(np.concatenate(rows), np.concatenate(actions)))
            ends = np.cumsum([len(each) for each in rows])
            answers = dict(zip(asked, np.split(every, ends[:-1]), strict=True))
    return [results[number] for number in range(len(searches))]


def narrow(
    weights: Floats,
    count: int,
    stages: Sequence[tuple[int, float]],
    ask: Callable[[Ints, Ints], Asked],
) -> Asking[tuple[Ints, Flags]]:
    """Put candidates to trials, and only the best of them to more trials.

    Args:
        weights: [trials] of success.
        count: how many candidates there are.
        stages: trials after which some candidates are dropped, and the share that goes on.
        ask: for the simulations of some trials of some candidates, by their numbers.

    Returns:
        The candidates that are left, and [trials, candidates] where they succeeded. There are as
        many trials as were made.
    """
    left = np.arange(count)
    solved = np.zeros((0, count), bool)
    for until, share in stages:
        trials = np.arange(len(solved), min(until, len(weights)))
        if len(trials) and len(left):
            answer = yield ask(np.repeat(trials, len(left)), np.tile(left, len(trials)))
            solved = np.concatenate([solved, answer.reshape(len(trials), -1)])
        # Not as a product of matrices, whose last bits depend on the machine's library.
        score = np.einsum("t,tc->c", weights[: len(solved)], solved.astype(np.float64))
        best = np.sort(np.argsort(-score, kind="stable")[: int(np.ceil(share * len(left)))])
        left, solved = left[best], solved[:, best]
    return left, solved


def _ways_of_balls(centres: Floats, balls: int) -> list[Ways]:
    """Ways of carrying actions over: all balls alike, or one of them alone; none moves first."""
    distinct: list[Way] = []
    seen: list[Floats] = []
    for way in ways_of(centres):
        shifts = np.stack([moved_by(way, centres[0], each, 2) for each in centres])
        if not any(np.abs(shifts - other).max() < LEAST_SHIFT for other in seen):
            distinct.append(way)
            seen.append(shifts)
    together = [(way,) * balls for way in distinct]
    alone = [
        tuple(way if ball == moved else AS_THEY_ARE for ball in range(balls))
        for moved in range(balls)
        for way in distinct[1:]
    ]
    return together + (alone if balls > 1 else [])


def _shift(ways: Ways, before: Floats, after: Floats) -> Floats:
    """[3 * balls] how an action moves on the way from one task to another."""
    return np.concatenate([moved_by(way, before, after, COMPONENTS_PER_BALL) for way in ways])


def _valid(task: Task, actions: Actions) -> Actions:
    """The actions that are valid on a task, which anybody can see."""
    inside = actions[in_scene(actions)]
    valid: Actions = inside[valid_actions(SceneSet([task.scene]), inside)[0]]
    return valid
