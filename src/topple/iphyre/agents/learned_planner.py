"""Learned planner: refines plans inside an MDRNN, so that it needs no simulator to decide.

It imagines every plan from the initial scene to the end and adds up what the plan would earn,
weighted by how likely the model takes a success to be at each step. Bodies that cannot move are
kept where they are, which is no knowledge of physics, only of the table's columns.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from topple.iphyre.agents.foresight import Foresight, train_mdrnn
from topple.iphyre.agents.mdrnn import Mdrnn, MdrnnNetwork
from topple.iphyre.agents.outcome_data import EACH, first_table
from topple.iphyre.agents.plan_search import Judge, Judged, PlanSearch
from topple.iphyre.agents.sequence_data import STEPS
from topple.iphyre.dataset import FPS
from topple.iphyre.game import Game
from topple.iphyre.phases import Testing, Training
from topple.iphyre.plan import NO_PLAN, Rows, queued, random_rows, removals, row_plan
from topple.iphyre.rules import ELIMINATION_REWARD, SUCCESS_REWARD, TIME_REWARD, Rules
from topple.iphyre.strategy import Strategy
from topple.runs.agent import Observation, Traits
from topple.runs.settings import at_least

_MOVES = 6  # column of the table


@dataclass
class LearnedPlanner:
    """The agent that searches in a model it has learned.

    Attributes:
        plans: imagined on each game, at most.
        generations: parts of the search; each learns from those before.
        each: episodes that work, and as many that do not, of each training game.
        memory: units of the model's LSTM.
        mixtures: normal distributions of its predictions.
        model_epochs: of its training.
        model_seed: of its training; models are kept in the cache.
    """

    plans: int = 1000
    generations: int = 5
    each: int = EACH
    memory: int = 256
    mixtures: int = 5
    model_epochs: int = 50
    model_seed: int = 0
    _mdrnn: Mdrnn | None = field(default=None, init=False, repr=False)

    def __post_init__(self) -> None:
        for name in ("plans", "generations", "each", "memory", "mixtures", "model_epochs"):
            at_least(name, getattr(self, name), 1)

    @property
    def traits(self) -> Traits:
        """It looks at the table of objects and plans everything before the first tick."""
        return Traits(observation=Observation.OBJECTS, strategy=Strategy.IN_ADVANCE.value)

    def train(self, training: Training) -> None:
        """Train the model, unless the cache has it."""
        self._mdrnn = Mdrnn(self.memory, self.mixtures, self.model_epochs)
        for _ in train_mdrnn(self._mdrnn, training.games, self.each, self.model_seed):
            pass

    def act(self, testing: Testing) -> None:
        """Play the most promising plan of each family until one works, then random ones."""
        if self._mdrnn is None:
            raise ValueError("the agent has no model; train it first")
        rules, rng = testing.rules, testing.rng
        for game in testing.games:
            blocks = len(game.eliminable)
            judge = model_judge(self._mdrnn.network, game, rules)
            search = PlanSearch(judge, blocks, rules, rng)
            search.run(self.plans, self.generations)
            rows = [np.array(found.row, np.int32) for found in search.best()]
            wanted = [row_plan(game, row, rules) for row in rows] or [NO_PLAN]
            while testing.remaining(game):
                plan = wanted.pop(0) if wanted else None
                if plan is None:
                    plan = row_plan(game, random_rows(rng, 1, blocks, rules)[0], rules)
                if testing.play(game, plan).solved:
                    break


def model_judge(network: MdrnnNetwork, game: Game, rules: Rules) -> Judge:
    """A judge that imagines plans and tells what they can be expected to earn."""
    table = first_table(game)
    still = (table[:, _MOVES] == 0)[None, :, None]

    def judge(rows: Rows) -> Judged:
        due = queued(rows, rules)
        steps = np.where(due >= 0, due * FPS // rules.hz, due).astype(np.int32)
        values = imagine(network, table, still, removals(game, steps))
        return Judged(values, due)

    return judge


def imagine(
    network: MdrnnNetwork,
    table: NDArray[np.float32],
    still: NDArray[np.bool_],
    leaving: NDArray[np.int32],
) -> NDArray[np.float64]:
    """[plans] expected rewards.

    Args:
        network: trained.
        table: (12, 9) the initial scene.
        still: (1, 12, 1) which bodies cannot move.
        leaving: [plans, 12] steps at which bodies go, or negative.
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
