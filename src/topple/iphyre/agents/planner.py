"""Planner: searches for plans inside the simulator, with a budget of calls, before it plays.

It is not a zero-shot agent: it tries its plans on the very game that it is scored on. Its calls
are counted in the record's protocol.

The search is a cross-entropy method, for any evaluation of plans: the simulator or a learned
model. Plans are drawn at random first. The best of those that remove the same blocks in the same
order make a family; new plans are drawn around a family's mean times, with its standard deviation,
which is kept from collapsing early. Better families get more plans, and some plans stay random.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from topple.iphyre.engine.batch import NEVER, simulate_batch
from topple.iphyre.episode import scores_of
from topple.iphyre.game import Game
from topple.iphyre.phases import Testing
from topple.iphyre.plan import NO_PLAN, Rows, late, queued, random_rows, removals, row_plan
from topple.iphyre.rules import Rules
from topple.iphyre.strategy import Strategy
from topple.runs.agent import Observation, Traits, Untrained
from topple.runs.settings import at_least

_SHARE_RANDOM = 0.2  # of a generation, once something is worth refining
_SHARE_THINNED = 0.15  # of the refined ones, which leave out one block
_ELITES = 8  # kept of a family
_FAMILIES = 12
_FAVOUR = 0.6  # a family gets this share of what the next better one gets
_WIDEST, _NARROWEST = 0.6, 0.05  # s; the least spread, at the beginning and at the end


class Evaluated(NamedTuple):
    """The evaluation of some plans."""

    values: NDArray[np.float64]  # (plans,) rewards or expected ones; above 0: a solution
    rows: Rows  # (plans, blocks) without what is due after the end


Evaluate = Callable[[Rows], Evaluated]


class Found(NamedTuple):
    """A plan and its value."""

    value: float
    row: tuple[int, ...]


class PlanSearch:
    """The search on one game.

    Args:
        evaluate: called with new plans only.
        blocks: number of gray blocks of the game.
        rules: rules of the game.
        rng: generator of all random choices.

    Attributes:
        evaluated: number of plans evaluated so far.
    """

    def __init__(
        self, evaluate: Evaluate, blocks: int, rules: Rules, rng: np.random.Generator
    ) -> None:
        self.evaluated = 0
        self._evaluate = evaluate
        self._blocks = blocks
        self._rules = rules
        self._rng = rng
        self._seen: set[tuple[int, ...]] = set()
        self._families: dict[tuple[int, ...], list[Found]] = {}

    def run(self, calls: int, generations: int) -> None:
        """Evaluate a number of plans, or fewer if no more are found."""
        for generation in range(generations):
            left = calls - self.evaluated
            wanted = -(-left // (generations - generation))
            if wanted > 0:
                self._generation(wanted, generation / generations)

    def best(self) -> list[Found]:
        """The best plan of each family kept, best first."""
        return [family[0] for family in self._ranked()]

    def _generation(self, wanted: int, progress: float) -> None:
        rows = random_rows(self._rng, wanted, self._blocks, self._rules)
        families = self._ranked()
        if families:
            refined = self._rng.random(wanted) >= _SHARE_RANDOM
            rows[refined] = self._refined(families, int(refined.sum()), progress)
        drawn = dict.fromkeys(map(tuple, rows.tolist()))
        fresh = [row for row in drawn if row not in self._seen]
        if not fresh:
            return
        self._seen.update(fresh)
        self.evaluated += len(fresh)
        table = np.array(fresh, np.int32).reshape(len(fresh), self._blocks)
        values, done = self._evaluate(table)
        for value, row in zip(values.tolist(), map(tuple, done.tolist()), strict=True):
            if value > 0:
                self._keep(Found(value, row))

    def _keep(self, found: Found) -> None:
        due = sorted((tick, block) for block, tick in enumerate(found.row) if tick >= 0)
        family = self._families.setdefault(tuple(block for _, block in due), [])
        if found not in family:
            family.append(found)
            family.sort(key=lambda each: -each.value)
            del family[_ELITES:]

    def _ranked(self) -> list[list[Found]]:
        """The families worth refining, best first; equals by age."""
        return sorted(self._families.values(), key=lambda family: -family[0].value)[:_FAMILIES]

    def _refined(self, families: list[list[Found]], count: int, progress: float) -> Rows:
        weights = _FAVOUR ** np.arange(len(families))
        chosen = self._rng.choice(len(families), count, p=weights / weights.sum())
        elites = [np.array([found.row for found in family]) for family in families]
        shape = (len(families), self._blocks)
        mean = np.array([rows.mean(axis=0) for rows in elites]).reshape(shape)
        used = np.array([rows[0] >= 0 for rows in elites]).reshape(shape)
        least = self._rules.hz * (_WIDEST + (_NARROWEST - _WIDEST) * progress)
        spread = np.maximum([rows.std(axis=0) for rows in elites], least).reshape(shape)
        times = self._rng.normal(mean[chosen], spread[chosen])
        ticks = np.clip(np.rint(times), 1, self._rules.tick_limit - 1).astype(np.int32)
        rows = np.where(used[chosen], ticks, NEVER).astype(np.int32)
        return self._thinned(rows)

    def _thinned(self, rows: Rows) -> Rows:
        """Some of the rows without one of their blocks."""
        if not self._blocks:
            return rows
        thin = self._rng.random(len(rows)) < _SHARE_THINNED
        lots = np.where(rows >= 0, self._rng.random(rows.shape), -1.0)
        rows[np.flatnonzero(thin), np.argmax(lots, axis=1)[thin]] = NEVER
        return rows


def carried_out(due: Rows, ticks: NDArray[np.int32]) -> Rows:
    """The rows without what is due after the end of their episodes."""
    return np.where(late(due) < ticks[:, None], due, NEVER).astype(np.int32)


@dataclass
class Planner(Untrained):
    """The agent that searches in the simulator.

    With no calls it is the baseline that plays random plans until one works.

    Attributes:
        calls: greatest number of simulated episodes of each game.
        generations: generations of the search.
    """

    calls: int = 2000
    generations: int = 20

    def __post_init__(self) -> None:
        at_least(self, 0, "calls")
        at_least(self, 1, "generations")

    @property
    def traits(self) -> Traits:
        """It knows the exact scene and plans everything before the first tick."""
        return Traits(observation=Observation.SCENE, strategy=Strategy.IN_ADVANCE.value)

    def act(self, testing: Testing) -> None:
        """Play the best plan found; where none was, do nothing, then try random plans."""
        rules, rng = testing.rules, testing.rng
        for game in testing.games:
            blocks = len(game.eliminable)
            search = PlanSearch(simulator_evaluation(game, rules), blocks, rules, rng)
            search.run(self.calls, self.generations)
            testing.simulator_calls += search.evaluated
            play_found(testing, game, search.best()[:1])


def play_found(testing: Testing, game: Game, found: Sequence[Found]) -> None:
    """Play what a search found, or nothing, then random plans, until one solves the game."""
    rules, blocks = testing.rules, len(game.eliminable)
    plans = [row_plan(game, np.array(each.row, np.int32), rules) for each in found] or [NO_PLAN]
    while testing.remaining(game):
        if not plans:
            guess = random_rows(testing.rng, 1, blocks, rules)[0]
            plans.append(row_plan(game, guess, rules))
        if testing.play(game, plans.pop(0)).solved:
            return


def simulator_evaluation(game: Game, rules: Rules) -> Evaluate:
    """An evaluation of plans by the simulator; each costs a call."""

    def evaluate(rows: Rows) -> Evaluated:
        due = queued(rows, rules)
        outcomes = simulate_batch(
            [game.scene], np.zeros(len(rows), np.int64), removals(game, due), rules.request
        )
        rewards = np.array([score.reward for score in scores_of(outcomes, rules)])
        return Evaluated(rewards, carried_out(due, outcomes.ticks))

    return evaluate
