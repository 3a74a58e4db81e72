"""Learned planner: searches for plans inside an MDRNN, so that it needs no simulator to decide.

It imagines every plan from the initial scene to the end and sums up its rewards, weighted by the
probability of success that the model predicts at each step. Bodies that cannot move keep their
places, which takes no knowledge of physics, only of the table's columns.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from topple.iphyre.agents.mdrnn import Foresight, MdrnnAgent, MdrnnNetwork
from topple.iphyre.agents.outcome_data import first_table
from topple.iphyre.agents.planner import Evaluate, Evaluated, PlanSearch, play_found
from topple.iphyre.agents.sequence_data import STEPS
from topple.iphyre.dataset import FPS
from topple.iphyre.game import Game
from topple.iphyre.phases import Testing, Training
from topple.iphyre.plan import Rows, queued, removals
from topple.iphyre.rules import ELIMINATION_REWARD, SUCCESS_REWARD, TIME_REWARD, Rules
from topple.iphyre.strategy import Strategy
from topple.runs.agent import Observation, Traits
from topple.runs.settings import at_least

_MOVES = 6  # column of the object table


@dataclass
class LearnedPlanner(MdrnnAgent):
    """The agent that searches in a model it has learned.

    Attributes:
        plans: greatest number of plans imagined for each game.
        generations: generations of the search.
    """

    plans: int = 1000
    generations: int = 5

    def __post_init__(self) -> None:
        super().__post_init__()
        at_least(self, 1, "plans", "generations")

    @property
    def traits(self) -> Traits:
        """It observes the object table and plans everything before the first tick."""
        return Traits(observation=Observation.OBJECTS, strategy=Strategy.IN_ADVANCE.value)

    def train(self, training: Training) -> None:
        """Train the model, unless the cache has it."""
        for _ in self.train_model(training.games):
            pass

    def act(self, testing: Testing) -> None:
        """Play the most promising plan of each family until one works, then random ones."""
        rules, rng, model = testing.rules, testing.rng, self.model
        for game in testing.games:
            blocks = len(game.eliminable)
            search = PlanSearch(model_evaluation(model, game, rules), blocks, rules, rng)
            search.run(self.plans, self.generations)
            play_found(testing, game, search.best())


def model_evaluation(network: MdrnnNetwork, game: Game, rules: Rules) -> Evaluate:
    """An evaluation of plans by their expected rewards in the model."""
    table = first_table(game)
    still = (table[:, _MOVES] == 0)[None, :, None]

    def evaluate(rows: Rows) -> Evaluated:
        due = queued(rows, rules)
        steps = np.where(due >= 0, due * FPS // rules.hz, due).astype(np.int32)
        values = imagine(network, table, still, removals(game, steps))
        return Evaluated(values, due)

    return evaluate


def imagine(
    network: MdrnnNetwork,
    table: NDArray[np.float32],
    still: NDArray[np.bool_],
    leaving: NDArray[np.int32],
) -> NDArray[np.float64]:
    """[plans] expected rewards.

    Args:
        network: the trained network.
        table: (12, 9) the initial scene.
        still: (1, 12, 1) which bodies cannot move.
        leaving: [plans, 12] steps at which bodies are removed, or negative.
    """
    count = len(leaving)
    foresight = Foresight(network, count)
    tables = np.repeat(table[None], count, axis=0)
    open_yet, values = np.ones(count), np.zeros(count)  # how likely it is not solved so far
    for step in range(STEPS):
        removed = (leaving == step).astype(np.float32)
        after, solved = foresight.remember(tables.reshape(count, -1), removed)
        gone = ((leaving >= 0) & (leaving <= step)).sum(axis=1)
        cost = TIME_REWARD * (step + 1) / FPS + ELIMINATION_REWARD * gone
        values += open_yet * solved * (SUCCESS_REWARD + cost)
        open_yet *= 1 - solved
        tables = np.where(still, tables, after.reshape(tables.shape))
        tables[removed > 0] = 0.0
    removed_at_all = (leaving >= 0).sum(axis=1)
    values += open_yet * (TIME_REWARD * STEPS / FPS + ELIMINATION_REWARD * removed_at_all)
    return values
