"""Episodes: one play of a game, tick by tick.

An episode's state is a value: the game, the rules, how many ticks were played and
what was removed when. A world is brought to a state by playing its history again; the
physics is deterministic, and the result is the same to the last bit.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from topple.iphyre.engine.batch import (
    MAX_BODIES,
    NEVER,
    MunkOutcomes,
    Trace,
    new_world,
    simulate_batch,
    trace_episode,
)
from topple.iphyre.engine.native import NativeWorld
from topple.iphyre.game import Game
from topple.iphyre.plan import NO_PLAN, Elimination, Plan, PlanError
from topple.iphyre.rules import AT_60_HZ, Rules
from topple.iphyre.score import Score
from topple.progress import Progress


class EpisodeState(NamedTuple):
    """All there is to know about an episode at a tick."""

    game: Game
    rules: Rules = AT_60_HZ
    tick: int = 0
    history: tuple[Elimination, ...] = ()  # removals carried out, by rising tick
    solved: bool = False

    @property
    def over(self) -> bool:
        """Whether it was solved or its time is up."""
        return self.solved or self.tick >= self.rules.tick_limit

    @property
    def removed(self) -> frozenset[int]:
        """Bodies that are gone."""
        return frozenset(elimination.body for elimination in self.history)

    @property
    def score(self) -> Score:
        """What the episode has earned so far."""
        reward = self.rules.reward(self.tick, len(self.history), self.solved)
        return Score(reward, self.solved, self.tick, len(self.history))


class Episode:
    """A world that plays one game and can go to any state of it.

    Attributes:
        game: what is played.
        rules: what it goes by.
        tick: ticks played.
        solved: whether every ball is out.
        world: the physics, to read bodies from.
    """

    __slots__ = ("_eliminable", "_history", "_request", "game", "rules", "solved", "tick", "world")

    def __init__(self, game: Game, rules: Rules = AT_60_HZ) -> None:
        self.game = game
        self.rules = rules
        self._request = request = rules.request
        self._eliminable = frozenset(game.eliminable)
        self.world = new_world(
            game.scene, request.dt, request.params, request.resets, request.engine
        )
        self._start()

    def _start(self) -> None:
        self._history: list[Elimination] = []
        self.tick = 0
        self.solved = False

    def reset(self) -> None:
        """Back to the first tick."""
        self.world.reset(self._request.resets)
        self._start()

    @property
    def removed(self) -> int:
        """How many blocks were removed."""
        return len(self._history)

    def remove(self, body: int) -> bool:
        """Take a block away before the next tick.

        Returns:
            Whether it was there: a block that is gone, or was never gray, costs nothing.
        """
        if body not in self._eliminable or not self.world.present[body]:
            return False
        self.world.remove(body)
        self._history.append(Elimination(self.tick, body))
        return True

    def step(self) -> bool:
        """Play one tick; tells whether every ball is out now."""
        self.world.step()
        self.tick += 1
        self.solved = self.world.all_out(self._request.out)
        return self.solved

    def run(self, ticks: int) -> bool:
        """Play a number of ticks, or fewer if every ball gets out before."""
        taken = self.world.run(ticks, self._request.out)
        self.tick += taken or ticks
        self.solved = taken > 0
        return self.solved

    @property
    def state(self) -> EpisodeState:
        """A snapshot: a value that `restore` accepts at any later time."""
        return EpisodeState(self.game, self.rules, self.tick, tuple(self._history), self.solved)

    def restore(self, state: EpisodeState) -> None:
        """Go to a state of the same game under the same rules, forwards or backwards.

        Raises:
            ValueError: the state belongs to another game or other rules.
        """
        if (state.game, state.rules) != (self.game, self.rules):
            raise ValueError(
                f"this episode plays {self.game.name!r} under its own rules and cannot "
                f"go to a state of {state.game.name!r}; make an episode for it"
            )
        self.reset()
        for tick, body in state.history:
            self._coast(tick)
            self.remove(body)
        self._coast(state.tick)
        self.solved = state.solved

    def _coast(self, tick: int) -> None:
        # A state may lie beyond a success, so time is played out without looking.
        self.world.step(max(0, tick - self.tick))
        self.tick = max(tick, self.tick)

    def branch(self) -> Episode:
        """Another episode in the same state, which goes its own way from here."""
        twin = Episode(self.game, self.rules)
        if not isinstance(self.world, NativeWorld):
            # Chipmunk's memory of contacts cannot be copied.
            twin.restore(self.state)
            return twin
        twin.world = self.world.copy()
        twin._history = list(self._history)
        twin.tick, twin.solved = self.tick, self.solved
        return twin


def step(state: EpisodeState, *bodies: int) -> EpisodeState:
    """The state one tick later, after removing blocks: a pure function.

    It plays the history again; `Episode` is the way to play many ticks.
    """
    episode = Episode(state.game, state.rules)
    episode.restore(state)
    for body in bodies:
        episode.remove(body)
    episode.step()
    return episode.state


def play(game: Game, plan: Plan = NO_PLAN, rules: Rules = AT_60_HZ) -> Score:
    """Play a plan from the first tick to the end."""
    [score] = play_batch([(game, plan)], rules, threads=1)
    return score


def play_batch(
    attempts: Sequence[tuple[Game, Plan]],
    rules: Rules = AT_60_HZ,
    *,
    threads: int | None = None,
    progress: Progress | None = None,
) -> list[Score]:
    """Play many plans, each from the first tick to the end.

    Args:
        attempts: games with plans for them.
        rules: what all of them go by.
        threads: at most this many; all cores by default.
        progress: called with (plans played, plans in all).
    """
    games = list(dict.fromkeys(game for game, _ in attempts))
    numbers = {game: k for k, game in enumerate(games)}
    for game, plan in attempts:
        _check(game, plan.eliminations)
    outcomes = simulate_batch(
        [game.scene for game in games],
        [numbers[game] for game, _ in attempts],
        removal_table(plan for _, plan in attempts),
        rules.request,
        threads=threads,
        progress=progress,
    )
    return scores_of(outcomes, rules)


def removal_table(plans: Iterable[Plan]) -> NDArray[np.int32]:
    """(plans, bodies) the tick at which each body goes, or NEVER."""
    listed = list(plans)
    table = np.full((len(listed), MAX_BODIES), NEVER, dtype=np.int32)
    for row, plan in zip(table, listed, strict=True):
        for tick, body in plan.eliminations:
            row[body] = tick
    return table


def scores_of(outcomes: MunkOutcomes, rules: Rules) -> list[Score]:
    """What episodes earned, in order."""
    return [
        Score(rules.reward(ticks, removed, solved), solved, ticks, removed)
        for solved, ticks, removed in zip(*(column.tolist() for column in outcomes), strict=True)
    ]


def watch(game: Game, plan: Plan = NO_PLAN, rules: Rules = AT_60_HZ) -> Trace:
    """Play a plan and keep every tick."""
    _check(game, plan.eliminations)
    return trace_episode(game.scene, plan.eliminations, rules.request)


def _check(game: Game, eliminations: Iterable[Elimination]) -> None:
    seen: set[int] = set()
    earliest = 0
    for tick, body in eliminations:
        if body not in game.eliminable:
            raise PlanError(
                f"body {body} of {game.name!r} cannot be removed; "
                f"its gray blocks are {list(game.eliminable)}"
            )
        if body in seen:
            raise PlanError(f"a plan for {game.name!r} removes body {body} twice")
        if tick < earliest:
            raise PlanError(
                f"body {body} goes at tick {tick}, after one of tick {earliest}; sort it"
            )
        earliest = tick
        seen.add(body)
