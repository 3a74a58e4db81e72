"""Planner: refines plans inside the simulator, with a budget of calls, before it plays.

It is no zero-shot agent: it tries its plans on the very game it is scored on. Its calls are
counted in the record's protocol.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from topple.iphyre.agents.plan_search import Judge, Judged, PlanSearch, carried_out
from topple.iphyre.engine.batch import simulate_batch
from topple.iphyre.episode import scores_of
from topple.iphyre.game import Game
from topple.iphyre.phases import GameTraits, Playing
from topple.iphyre.plan import NO_PLAN
from topple.iphyre.plan_rows import Rows, queued, random_rows, removals, row_plan
from topple.iphyre.rules import Rules
from topple.iphyre.strategy import Strategy
from topple.runs.agent import Observation
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
    def traits(self) -> GameTraits:
        """It has the exact scene and plans everything before the first tick."""
        return GameTraits(Strategy.IN_ADVANCE, Observation.SCENE)

    def train(self, games: Sequence[Game], rules: Rules, rng: np.random.Generator) -> None:
        """Nothing to learn."""

    def play(self, playing: Playing) -> None:
        """Play the best plan found; where none was, do nothing, then try random plans."""
        rules, rng = playing.rules, playing.rng
        for game in playing.games:
            blocks = len(game.eliminable)
            search = PlanSearch(simulator_judge(game, rules), blocks, rules, rng)
            search.run(self.calls, self.generations)
            playing.simulator_calls += search.judged
            found = search.best()
            row = np.array(found[0].row, np.int32) if found else None
            plan = NO_PLAN if row is None else row_plan(game, row, rules)
            solved = playing.play(game, plan).solved
            while not solved and playing.remaining(game):
                guess = random_rows(rng, 1, blocks, rules)[0]
                solved = playing.play(game, row_plan(game, guess, rules)).solved


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
