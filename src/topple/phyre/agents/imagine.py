"""IMAGINE: tries actions in its head, with an engine that is not the real one, before it acts.

After the account of how people solve such puzzles: they simulate with noise, act, and update
(Allen, Smith and Tenenbaum, PNAS 2020). The agent has a *mind*: percepts of the scene and its
physics, each an engine on a scene as it may be. It imagines listed actions, then changes the best
of them until enough imagined solutions are found, imagines these again under all percepts, and
attempts the most promising one. A failure speaks against actions nearby and against percepts
that expected something else; after some failures it searches again.

It needs no training. The exact engine on scenes seen as they are is an oracle with search: its
runs are marked as privileged.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from topple.phyre.action import Actions, small_changes
from topple.phyre.agents.minds import (
    Ask,
    Asked,
    Imagined,
    Mind,
    NativeMind,
    OtherEngineMind,
    Perception,
    Percepts,
    Together,
    ask_in_turn,
)
from topple.phyre.engine.backend import device_for
from topple.phyre.engine.native import SceneSet, map_actions
from topple.phyre.engine.physics import COARSE, Physics
from topple.phyre.engine.request import SCENE_SIZE, Request
from topple.phyre.phases import Testing
from topple.phyre.scene import Scene
from topple.phyre.scene.codec import fingerprint
from topple.phyre.task import Task
from topple.runs.agent import Observation, Traits, Untrained
from topple.runs.settings import above_zero, at_least, one_of, settings_of
from topple.threads import thread_count

ENGINES = ("coarse", "exact", "chipmunk")

_GENERATION = 500  # actions imagined together
_TASKS_ON_GPU = 64  # thought about at once, which makes batches that fill a GPU
_PARENTS = 20  # actions that others are derived from
_SHARE_LISTED = 0.3  # of a generation that follows the first search; the others are derived
_FAILURE_RADIUS = 0.04  # within which a failure speaks against other actions
_FAILURE_WEIGHT = 0.9
_SEED_BITS = 32
_APART = 0.05  # between actions that are told apart when the agent is watched


class Thought(NamedTuple):
    """What the agent had imagined before an attempt."""

    action: Actions  # that it attempts
    imagined: int  # actions that it had imagined
    solutions: int  # of them that worked in its head
    best: Actions  # [actions, 3 * balls] those it believed in most, the attempted one first
    mind: Mind  # its likeliest percept


@dataclass
class Imagine(Untrained):
    """The agent that imagines.

    Attributes:
        engine: what it imagines with: coarse (larger time step, fewer passes, no continuous
            collision), exact (the benchmark's own) or chipmunk (another engine altogether).
        friction: that it believes in.
        restitution: that it believes in.
        gravity: that it believes in, in metres per second squared.
        place_noise: how far off bodies are perceived, in pixels.
        angle_noise: how far off their angles are perceived, in degrees.
        size_noise: how far off their sizes are perceived, in per cent.
        constants_noise: how far off friction, restitution and gravity may be, as a share.
        motion_noise: noise of imagined motion after a second, in radians and as a share.
        percepts: that it keeps in mind: the scene as it may be, with the physics as they may be.
        listed: listed actions that it imagines first.
        imagined: actions that it imagines in a search, at most, without those it repeats.
        solutions: imagined solutions that end a search.
        finalists: of them that are imagined again.
        repeats: times that each is imagined again, spread over the percepts.
        jitter: standard deviation of its hand in these repetitions, in pixels.
        patience: failures after which it searches again.
        searches: that it makes on a task, at most; afterwards it goes by what it imagined.
    """

    engine: str = "coarse"
    friction: float = 0.5
    restitution: float = 0.2
    gravity: float = 9.8
    place_noise: float = 0.0
    angle_noise: float = 0.0
    size_noise: float = 0.0
    constants_noise: float = 0.05
    motion_noise: float = 0.0
    percepts: int = 8
    listed: int = 1000
    imagined: int = 4000
    solutions: int = 30
    finalists: int = 60
    repeats: int = 8
    jitter: float = 0.5
    patience: int = 10
    searches: int = 4
    #: Actions attempted on a scene before, by its fingerprint. What the agent does depends on the
    #: scene, the settings and the seed alone, so runs of several folds may share this.
    remembered: dict[str, list[list[float]]] = field(default_factory=dict, init=False, repr=False)

    def __post_init__(self) -> None:
        one_of(self, "engine", ENGINES)
        noises = ("place_noise", "angle_noise", "size_noise", "constants_noise", "motion_noise")
        at_least(self, 0, *noises, "friction", "restitution", "jitter")
        at_least(self, 1, "percepts", "listed", "imagined", "solutions", "finalists", "repeats")
        at_least(self, 1, "patience", "searches")
        above_zero(self, "gravity")

    @property
    def is_oracle(self) -> bool:
        """Whether it imagines exactly what will happen."""
        real = Physics()
        return (
            self.engine == "exact"
            and self._perception.is_perfect
            and not (self.constants_noise or self.motion_noise)
            and (self.friction, self.restitution) == (real.friction, real.restitution)
            and self.gravity == -real.gravity
        )

    @property
    def traits(self) -> Traits:
        """It observes the scene, as well as it perceives it, and learns from its attempts."""
        return Traits(observation=Observation.SCENE, imagination=settings_of(self))

    @property
    def _perception(self) -> Perception:
        return Perception(self.place_noise, self.angle_noise, self.size_noise)

    def act(self, testing: Testing) -> None:
        """Try to solve each task; several at once, on all cores or on a GPU."""
        seed = self._seed(testing)
        testing.privileged |= self.is_oracle
        parts = [testing.part(task) for task in testing.tasks]
        together = self._together(testing)
        threads = thread_count(_TASKS_ON_GPU if together else None, len(parts))

        def act_on(part: Testing) -> None:
            with together.task() if together else nullcontext(ask_in_turn) as ask:
                self._act_on(part, part.tasks[0], seed, ask)

        with ThreadPoolExecutor(threads) as pool:
            list(pool.map(act_on, parts))
        for part in parts:
            testing.join(part)

    def _together(self, testing: Testing) -> Together | None:
        """How minds imagine on a GPU; None if they do so on the CPU."""
        if self.engine == "chipmunk":
            return None
        attempts = min(len(testing.tasks), _TASKS_ON_GPU) * _GENERATION
        device = device_for(testing.backend, attempts, imagined=True)
        return Together("cuda") if device else None

    def _act_on(self, testing: Testing, task: Task, seed: int, ask: Ask) -> None:
        name = fingerprint([task.scene])
        if name in self.remembered:
            for action in self.remembered[name]:
                testing.attempt(task, action)
            return
        search = self._search(testing, task, seed, ask)
        self.remembered[name] = [action.tolist() for action in search.attempts()]

    def think(self, testing: Testing, shown: int) -> Iterator[Thought]:
        """Act on the only task of a testing as in any run, and tell what is imagined.

        Args:
            testing: with the generator of the run.
            shown: actions told of each thought, at most.
        """
        search = self._search(testing, testing.tasks[0], self._seed(testing))
        return (search.thought(action, shown) for action in search.attempts())

    @staticmethod
    def _seed(testing: Testing) -> int:
        return int(testing.rng.integers(2**_SEED_BITS))

    def _search(self, testing: Testing, task: Task, seed: int, ask: Ask = ask_in_turn) -> _Search:
        rng = np.random.default_rng([seed, int(fingerprint([task.scene])[:16], 16)])
        return _Search(self, testing, task, rng, ask)

    def minds(self, scene: Scene, rng: np.random.Generator) -> list[Mind]:
        """What the world may be like: a perceived scene with believed physics each."""
        made: list[Mind] = []
        for _ in range(self.percepts):
            perceived = self._perception.look(scene, rng)
            factors = np.exp(self.constants_noise * rng.standard_normal(3)).tolist()
            made.append(self._mind(perceived, *factors))
        return made

    def _mind(self, scene: Scene, friction: float, restitution: float, gravity: float) -> Mind:
        care = COARSE if self.engine == "coarse" else Physics()
        physics = replace(
            care,
            friction=self.friction * friction,
            restitution=self.restitution * restitution,
            gravity=-self.gravity * gravity,
            noise=self.motion_noise,
        )
        return (
            OtherEngineMind(scene, physics)
            if self.engine == "chipmunk"
            else NativeMind(scene, physics)
        )


class _Search:
    """An agent's search for actions on one task, and what it imagined so far."""

    def __init__(
        self, agent: Imagine, testing: Testing, task: Task, rng: np.random.Generator, ask: Ask
    ) -> None:
        self._agent = agent
        self._testing = testing
        self._task = task
        self._rng = rng
        self._real = SceneSet([task.scene])  # for what fits, which anybody can see
        self._percepts = Percepts(agent.minds(task.scene, rng), ask)
        size = testing.tier.action_size
        self._actions: Actions = np.zeros((0, size))
        self._solved = np.zeros(0, bool)
        self._distance = np.zeros(0)
        self._votes = np.zeros((0, agent.percepts))  # successes when imagined again
        self._counts = np.zeros((0, agent.percepts))
        self._tried = np.zeros(0, bool)
        self._belief = np.zeros(0)  # what failures leave of it
        self._failed: Actions = np.zeros((0, size))
        self._next_listed = 0

    def attempts(self) -> Iterator[Actions]:
        """Make attempts until the task is solved or none is left, and yield their actions."""
        left = self._testing.remaining(self._task)
        for number in range(self._agent.searches):
            self._search(first=number == 0)
            self._repeat()
            last = number == self._agent.searches - 1
            for _ in range(left if last else min(left, self._agent.patience)):
                left -= 1
                action = self._best()
                if action is None:
                    break
                yield action
                if self._attempt(action):
                    return

    def _attempt(self, action: Actions) -> bool:
        request = Request(final_state=True)
        outcome, seen = self._testing.watch(self._task, action, request)
        assert seen.final_state is not None
        if outcome.is_solved:
            return True
        self._failed = np.concatenate([self._failed, action[None]])
        self._belief *= _belief_left(self._actions, action[None])
        spread = 4.0 + 4.0 * self._agent.place_noise
        bodies = len(self._task.scene.bodies)
        self._percepts.update(action, seen.final_state[0, :bodies, :2].astype(float), spread)
        return False

    def _search(self, first: bool) -> None:
        """Imagine new actions until there are enough imagined solutions."""
        agent = self._agent
        goal = int(self._solved.sum()) + agent.solutions
        left = agent.imagined
        while left > 0 and self._solved.sum() < goal:
            count = min(left, _GENERATION)
            if first and self._next_listed < agent.listed:
                new = self._listed(count)
            else:
                listed = self._listed(round(count * _SHARE_LISTED))
                new = np.concatenate([listed, self._derived(count - len(listed))])
            self._imagine(new)
            left -= max(len(new), 1)

    def _listed(self, count: int) -> Actions:
        """The next listed actions that fit the scene."""
        found = [self._actions[:0]]
        missing = count
        while missing > 0:
            end = self._next_listed + 4 * count
            block = self._testing.actions(end)[self._next_listed :]
            fitting = np.flatnonzero(self._fit(block))[:missing]
            used = fitting[-1] + 1 if len(fitting) == missing else len(block)
            self._next_listed += int(used)
            found.append(block[fitting])
            missing -= len(fitting)
        return np.concatenate(found)

    def _derived(self, count: int) -> Actions:
        """Actions beside the best ones so far."""
        rng = self._rng
        order = np.lexsort((self._distance, ~self._solved, self._belief < 0.5))
        parents = self._actions[order[: min(_PARENTS, len(order))]]
        chosen = parents[rng.integers(len(parents), size=3 * count)]
        change = small_changes(chosen.shape, rng)
        balls = chosen.shape[1] // 3
        if balls > 1:  # often one ball alone
            moved = rng.integers(2 * balls, size=len(chosen))
            for ball in range(balls):
                change[moved == ball, 3 * ball : 3 * ball + 3] = 0.0
        new = np.clip(chosen + change, 0.0, 1.0)
        return new[self._fit(new)][:count]

    def _fit(self, actions: Actions) -> npt.NDArray[np.bool_]:
        return map_actions(self._real, np.zeros(len(actions), np.int32), actions)[0]

    def _imagine(self, actions: Actions) -> None:
        """Imagine each action under one percept, drawn by their weights."""
        minds = self._percepts.minds
        place = self._rng.choice(len(minds), len(actions), p=self._percepts.weights)
        solved = np.zeros(len(actions), bool)
        distance = np.zeros(len(actions))
        groups = [np.flatnonzero(place == number) for number in range(len(minds))]
        asked = [(number, actions[those]) for number, those in enumerate(groups) if len(those)]
        for those, result in zip(filter(len, groups), self._ask(asked), strict=True):
            solved[those], distance[those] = result.solved, result.distance
        nothing = np.zeros((len(actions), len(minds)))
        self._actions = np.concatenate([self._actions, actions])
        self._solved = np.concatenate([self._solved, solved])
        self._distance = np.concatenate([self._distance, distance])
        self._votes = np.concatenate([self._votes, nothing])
        self._counts = np.concatenate([self._counts, nothing])
        self._tried = np.concatenate([self._tried, np.zeros(len(actions), bool)])
        self._belief = np.concatenate([self._belief, _belief_left(actions, self._failed)])

    def _ask(self, several: Iterable[tuple[int, Actions]]) -> list[Imagined]:
        """Let percepts imagine actions; each is given by its number."""
        asked = [
            Asked(self._percepts.minds[number], actions, int(self._rng.integers(2**31)))
            for number, actions in several
        ]
        return self._percepts.ask(asked)

    def _repeat(self) -> None:
        """Imagine the most promising solutions again, under all percepts in turn."""
        agent = self._agent
        fresh = np.flatnonzero(self._solved & ~self._tried & (self._counts.sum(1) == 0))
        fresh = fresh[np.argsort(-self._belief[fresh], kind="stable")][: agent.finalists]
        if not len(fresh):
            return
        order = np.argsort(-self._percepts.weights, kind="stable")
        jitter = agent.jitter / SCENE_SIZE
        actions = self._actions[fresh]
        numbers = [int(order[repeat % len(order)]) for repeat in range(agent.repeats)]
        shaken = (
            (number, np.clip(actions + jitter * self._rng.standard_normal(actions.shape), 0, 1))
            for number in numbers
        )
        for number, result in zip(numbers, self._ask(shaken), strict=True):
            self._votes[fresh, number] += result.solved
            self._counts[fresh, number] += 1

    def _values(self) -> npt.NDArray[np.float64]:
        """[actions] how likely each is to succeed."""
        weights = self._percepts.weights
        asked = self._counts.sum(axis=1) > 0
        # Before it is imagined again, a solution counts as if one of two repetitions failed.
        votes = self._votes @ weights + self._solved
        counts = self._counts @ weights + 2.0
        return np.where(asked | self._solved, votes / counts, 0.0) * self._belief

    def _best(self) -> Actions | None:
        """The action that is most likely to succeed, of those not yet tried."""
        value = np.where(self._tried, -1.0, self._values())
        if self._tried.all():
            return None
        equals = np.flatnonzero(value == value.max())
        place = int(equals[np.argmin(self._distance[equals])])
        self._tried[place] = True
        best: Actions = self._actions[place]
        return best

    def thought(self, action: Actions, shown: int) -> Thought:
        """What was imagined before an attempt at an action."""
        best = [action]
        order = np.lexsort((self._distance, -self._values()))
        for other in self._actions[order[~self._tried[order]]]:
            if len(best) >= shown:
                break
            if np.abs(np.stack(best) - other).max(axis=1).min() > _APART:
                best.append(other)
        mind = self._percepts.minds[int(self._percepts.weights.argmax())]
        return Thought(action, len(self._actions), int(self._solved.sum()), np.stack(best), mind)


def _belief_left(actions: Actions, failed: Actions) -> npt.NDArray[np.float64]:
    """[actions] what failures leave of the belief in each action."""
    belief = np.ones(len(actions))
    for one in failed:
        apart = ((actions - one) ** 2).sum(axis=1)
        belief *= 1 - _FAILURE_WEIGHT * np.exp(-apart / (2 * _FAILURE_RADIUS**2))
    return belief
