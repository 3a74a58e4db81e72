"""Planner: refines plans inside the simulator, with a budget of calls, before it plays.

It is no zero-shot agent: it tries its plans on the very game it is scored on. Its calls are
counted in the record's protocol.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from topple.iphyre.agents.plan_search import Judge, Judged, PlanSearch, carried_out
from topple.iphyre.engine.batch import simulate_batch
from topple.iphyre.episode import scores_of
from topple.iphyre.game import Game
from topple.iphyre.phases import Testing, Training
from topple.iphyre.plan import NO_PLAN, Rows, queued, random_rows, removals, row_plan
from topple.iphyre.rules import Rules
from topple.iphyre.strategy import Strategy
from topple.runs.agent import Observation, Traits
from topple.runs.settings import at_least


@dataclass
class Planner:
    """The agent that searches in the simulator.

    With no calls it is the baseline that plays random plans until one works.

    Attributes:
        calls: simulated episodes on each game, at most.
        generations: parts of the search; each learns from those before.
    """

    calls: int = 2000
    generations: int = 20

    def __post_init__(self) -> None:
        at_least("calls", self.calls, 0)
        at_least("generations", self.generations, 1)

    @property
    def traits(self) -> Traits:
        """It has the exact scene and plans everything before the first tick."""
        return Traits(observation=Observation.SCENE, strategy=Strategy.IN_ADVANCE.value)

    def train(self, training: Training) -> None:
        """Nothing to learn."""

    def act(self, testing: Testing) -> None:
        """Play the best plan found; where none was, do nothing, then try random plans."""
        rules, rng = testing.rules, testing.rng
        for game in testing.games:
            blocks = len(game.eliminable)
            search = PlanSearch(simulator_judge(game, rules), blocks, rules, rng)
            search.run(self.calls, self.generations)
            testing.simulator_calls += search.judged
            found = search.best()
            row = np.array(found[0].row, np.int32) if found else None
            plan = NO_PLAN if row is None else row_plan(game, row, rules)
            solved = testing.play(game, plan).solved
            while not solved and testing.remaining(game):
                guess = random_rows(rng, 1, blocks, rules)[0]
                solved = testing.play(game, row_plan(game, guess, rules)).solved


def simulator_judge(game: Game, rules: Rules) -> Judge:
    """A judge that plays plans in the simulator; each costs a call."""

    def judge(rows: Rows) -> Judged:
        due = queued(rows, rules)
        outcomes = simulate_batch(
            [game.scene], np.zeros(len(rows), np.int64), removals(game, due), rules.request
        )
        rewards = np.array([score.reward for score in scores_of(outcomes, rules)])
        return Judged(rewards, carried_out(due, outcomes.ticks))

    return judge
