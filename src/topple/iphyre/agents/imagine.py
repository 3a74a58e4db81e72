"""Imagine: tries plans in its head, on games as it perceives them, before it plays.

After the account of how people solve such puzzles: they simulate with noise, act, and update
(Allen, Smith and Tenenbaum, PNAS 2020). The agent has percepts of a game: places, angles and sizes
of bodies that are a little wrong, and constants of physics that may be, too. It searches for the
plan that earns most over all percepts, with a hand that removes blocks a little early or late, and
plays it. When a play fails, it compares what happened with what each percept led it to expect,
trusts the percepts that were right, and imagines again.

Without noise on perception and constants it imagines what will really happen: an oracle with
search, like the planner. Its calls are then counted as simulator calls.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from topple.iphyre.agents.planner import Evaluate, Evaluated, PlanSearch, carried_out
from topple.iphyre.engine.batch import NEVER, Params, Scene, Trace, simulate_batch, trace_episode
from topple.iphyre.episode import scores_of
from topple.iphyre.game import Game
from topple.iphyre.phases import Testing
from topple.iphyre.plan import Plan, Rows, late, queued, random_rows, removals, row_plan
from topple.iphyre.rules import Rules
from topple.iphyre.strategy import Strategy
from topple.runs.agent import Observation, Traits, Untrained
from topple.runs.settings import at_least, settings_of

_LEAST_SCALE = 0.2  # of a misperceived size
_LOOKS_PER_SECOND = 2  # at a play, when it is compared with what was expected
_SURPRISE = 3.0  # spreads; a percept that is more wrong than this is just wrong
_NEAR = 0.1  # s; plans that differ by less are much the same
_STALE = 0.1  # what is left of the value of a plan that failed already


class Percept(NamedTuple):
    """A game as it may be."""

    scene: Scene
    params: Params


class Thought(NamedTuple):
    """What the agent had imagined before a play."""

    game: Game
    plan: Plan  # that it plays, as its hand carries it out
    imagined: int  # plans that it had imagined for this play
    solutions: int  # of them that it thought more likely to work than not
    best: tuple[Plan, ...]  # those it believed in most, the one that it means to play first
    percept: Percept  # its likeliest one
    rules: Rules

    def motion(self, plan: Plan) -> Trace:
        """How a plan is imagined."""
        return _motion(self.percept, plan, self.rules)


@dataclass
class Imagine(Untrained):
    """The agent that imagines.

    Attributes:
        place_noise: how far off bodies are perceived, in pixels.
        angle_noise: how far off the angles of blocks are perceived, in degrees.
        size_noise: how far off lengths and radii are perceived, in per cent.
        constants_noise: how far off gravity, friction and elasticity are believed to be, as a
            share.
        timing_noise: how far off its removals are, in seconds, imagined and real ones alike.
        percepts: percepts of a game that it keeps in mind.
        imagined: imagined plays before each play, at most, over all percepts.
        generations: generations of the search.
        updates: whether it learns from its failures on a game.
    """

    place_noise: float = 4.0
    angle_noise: float = 2.0
    size_noise: float = 2.0
    constants_noise: float = 0.05
    timing_noise: float = 0.05
    percepts: int = 8
    imagined: int = 1000
    generations: int = 10
    updates: bool = True

    def __post_init__(self) -> None:
        at_least(self, 0, "place_noise", "angle_noise", "size_noise")
        at_least(self, 0, "constants_noise", "timing_noise")
        at_least(self, 1, "percepts", "imagined", "generations")

    @property
    def is_oracle(self) -> bool:
        """Whether it imagines what will really happen."""
        return not (self.place_noise or self.angle_noise or self.size_noise or self.constants_noise)

    @property
    def traits(self) -> Traits:
        """It knows the scene as it perceives it and plans everything before the first tick."""
        return Traits(
            observation=Observation.SCENE,
            strategy=Strategy.IN_ADVANCE.value,
            imagination=settings_of(self),
        )

    def act(self, testing: Testing) -> None:
        """Imagine and play, until a game is solved or has no play left."""
        for _ in self._plays(testing):
            pass

    def think(self, testing: Testing, shown: int) -> Iterator[Thought]:
        """Act as in any run, and tell before each play what is imagined.

        Args:
            testing: with the generator of the run.
            shown: plans told of each thought, at most.
        """
        return (mind.thought(row, plan, shown) for mind, row, plan in self._plays(testing))

    def _plays(self, testing: Testing) -> Iterator[tuple[Mind, Rows, Plan]]:
        """Act, and tell each plan before it is played: as chosen, and as carried out."""
        for game in testing.games:
            mind = Mind(self, game, testing.rules, testing.rng)
            while testing.remaining(game):
                row = mind.choose()
                plan = row_plan(game, self.moved(row, mind), mind.rules)
                yield mind, row, plan
                score, trace = testing.watch(game, plan)
                if score.solved:
                    break
                if self.updates:
                    mind.update(row, plan, trace)
            testing.imagined += mind.imagined
            if self.is_oracle:
                testing.simulator_calls += mind.imagined

    def moved(self, rows: Rows, mind: Mind) -> Rows:
        """The rows as the hand carries them out."""
        spread = self.timing_noise * mind.rules.hz
        if not spread:
            return rows
        moved = np.rint(rows + mind.rng.normal(0.0, spread, rows.shape)).astype(np.int32)
        return np.where(rows >= 0, np.clip(moved, 1, mind.rules.tick_limit - 1), NEVER)

    def look(self, game: Game, params: Params, rng: np.random.Generator) -> Percept:
        """The game as it is perceived at a glance."""
        scene = game.scene
        ends, radii = [], []
        for (x1, y1, x2, y2), radius, ball in zip(
            scene.ends, scene.radii, scene.is_ball, strict=True
        ):
            dx, dy, turn, growth = rng.standard_normal(4).tolist()
            scale = max(1 + self.size_noise / 100 * growth, _LEAST_SCALE)
            x, y = (x1 + x2) / 2 + self.place_noise * dx, (y1 + y2) / 2 + self.place_noise * dy
            angle = math.radians(self.angle_noise) * turn
            half_x, half_y = scale * (x2 - x1) / 2, scale * (y2 - y1) / 2
            cos, sin = math.cos(angle), math.sin(angle)
            right, down = cos * half_x - sin * half_y, sin * half_x + cos * half_y
            ends.append((x - right, y - down, x + right, y + down))
            radii.append(radius * scale if ball else radius)  # all blocks are equally thick
        factors = np.exp(self.constants_noise * rng.standard_normal(3)).tolist()
        names = ("gravity", "friction", "elasticity")
        believed = {name: getattr(params, name) * f for name, f in zip(names, factors, strict=True)}
        perceived = scene._replace(ends=tuple(ends), radii=tuple(radii))
        return Percept(perceived, params._replace(**believed))


class Mind:
    """What an agent has in its head about one game.

    Args:
        agent: whose mind it is.
        game: what is perceived.
        rules: what episodes go by.
        rng: generator of all random choices.

    Attributes:
        imagined: plays imagined so far.
        percepts: what the game may be like.
    """

    def __init__(self, agent: Imagine, game: Game, rules: Rules, rng: np.random.Generator) -> None:
        self.rules, self.rng = rules, rng
        self.imagined = 0
        self._agent, self._game = agent, game
        count = 1 if agent.is_oracle and not agent.timing_noise else agent.percepts
        self.percepts = [agent.look(game, rules.request.params, rng) for _ in range(count)]
        self._logs = np.zeros(count)
        self._failed: list[Rows] = []
        self._search: PlanSearch | None = None  # the newest one
        self._solutions = 0  # that it found

    @property
    def weights(self) -> NDArray[np.float64]:
        """(percepts,) they add up to 1."""
        likely = np.exp(self._logs - self._logs.max())
        return np.asarray(likely / likely.sum())

    def choose(self) -> Rows:
        """(blocks,) the plan that promises most; a random one where nothing is promising."""
        blocks = len(self._game.eliminable)
        self._solutions = 0
        search = self._search = PlanSearch(self.evaluation(), blocks, self.rules, self.rng)
        search.run(max(1, self._agent.imagined // len(self.percepts)), self._agent.generations)
        row: Rows = random_rows(self.rng, 1, blocks, self.rules)[0]
        found = search.best()
        return np.array(found[0].row, np.int32) if found else row

    def evaluation(self) -> Evaluate:
        """An evaluation of plans by their mean reward over all percepts."""

        def evaluate(rows: Rows) -> Evaluated:
            due = queued(rows, self.rules)
            values, last = np.zeros(len(rows)), np.zeros(len(rows), np.int32)
            chance = np.zeros(len(rows))
            for percept, weight in zip(self.percepts, self.weights.tolist(), strict=True):
                rewards, ticks = self.imagine(percept, rows)
                values += weight * rewards
                chance += weight * (rewards > 0)
                last = np.maximum(last, ticks)
            self._solutions += int((chance > 0.5).sum())
            return Evaluated(values * self._fresh(due), carried_out(due, last))

        return evaluate

    def imagine(
        self, percept: Percept, rows: Rows
    ) -> tuple[NDArray[np.float64], NDArray[np.int32]]:
        """(plans,) rewards and ticks of imagined plays of one percept."""
        self.imagined += len(rows)
        due = queued(self._agent.moved(rows, self), self.rules)
        outcomes = simulate_batch(
            [percept.scene],
            np.zeros(len(rows), np.int64),
            removals(self._game, due),
            self.rules.request._replace(params=percept.params),
        )
        scores = scores_of(outcomes, self.rules)
        return np.array([score.reward for score in scores]), outcomes.ticks

    def _fresh(self, due: Rows) -> NDArray[np.float64]:
        """(plans,) what earlier failures leave of their values."""
        fresh = np.ones(len(due))
        for row in self._failed:
            apart = np.abs(late(due) - late(row[None])).max(axis=1, initial=0)
            fresh[apart < _NEAR * self.rules.hz] = _STALE
        return fresh

    def update(self, row: Rows, plan: Plan, trace: Trace) -> None:
        """Learn from a play that failed.

        Args:
            row: the plan as it was chosen.
            plan: the plan as it was carried out.
            trace: where bodies were seen to go.
        """
        self._failed.append(row)
        self.imagined += len(self.percepts)
        moving = [k for k, moves in enumerate(self._game.scene.is_dynamic) if moves]
        spread = 20.0 + 2.0 * self._agent.place_noise
        seen = self._looks(trace.poses, moving)
        for place, percept in enumerate(self.percepts):
            expected = self._looks(_motion(percept, plan, self.rules).poses, moving)
            count = min(len(seen), len(expected))
            off = np.hypot(*np.moveaxis(seen[:count] - expected[:count], -1, 0))
            surprise = np.minimum(off / spread, _SURPRISE).max(axis=1, initial=0.0)
            # A percept that expected an early end said nothing of what came afterwards.
            late_looks = np.full(len(seen) - count, _SURPRISE)
            self._logs[place] -= np.square([*surprise, *late_looks]).mean() / 2 * _SURPRISE

    def thought(self, row: Rows, plan: Plan, shown: int) -> Thought:
        """What was imagined before a plan is played.

        Args:
            row: the plan as it was chosen.
            plan: the plan as it is carried out.
            shown: plans told, at most.
        """
        assert self._search is not None
        others = (found.row for found in self._search.best())
        rows = dict.fromkeys([tuple(row.tolist()), *others])
        best = [row_plan(self._game, np.array(each, np.int32), self.rules) for each in rows]
        return Thought(
            self._game,
            plan,
            self._search.evaluated,
            self._solutions,
            tuple(best[:shown]),
            self.percepts[int(self.weights.argmax())],
            self.rules,
        )

    def _looks(self, poses: NDArray[np.float64], moving: Sequence[int]) -> NDArray[np.float64]:
        """(looks, bodies, 2) where moving bodies were, a few times a second."""
        return poses[:: max(1, self.rules.hz // _LOOKS_PER_SECOND), moving, :2]


def _motion(percept: Percept, plan: Plan, rules: Rules) -> Trace:
    """What becomes of a plan if the game is as it is perceived."""
    request = rules.request._replace(params=percept.params)
    return trace_episode(percept.scene, plan.eliminations, request)
