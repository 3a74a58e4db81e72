"""Episodes: one play of a game, tick by tick.

An episode's state is a value: the game, the rules, how many ticks were played and
what was removed when. A world is brought to a state by playing its history again; the
physics is deterministic, and the result is the same to the last bit.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from topple.iphyre.engine.batch import (
    MAX_BODIES,
    NEVER,
    Outcomes,
    Trace,
    new_world,
    simulate_batch,
    trace_episode,
)
from topple.iphyre.engine.native import NativeWorld, block_row
from topple.iphyre.game import Game
from topple.iphyre.plan import NO_PLAN, Elimination, Plan, PlanError
from topple.iphyre.rules import AT_60_HZ, Rules, native_rules
from topple.iphyre.score import Score
from topple.iphyre.strategy import NATIVE_STRATEGY, Strategy, action_times
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

    Play an episode in one thread only. Another thread may branch and read it between two calls.

    Attributes:
        game: what is played.
        rules: what it goes by.
        world: the physics, to read bodies from.
    """

    __slots__ = ("_blocks", "_request", "game", "rules", "world")

    def __init__(self, game: Game, rules: Rules = AT_60_HZ) -> None:
        self.game = game
        self.rules = rules
        self._request = request = rules.request
        self._blocks = block_row(game.eliminable)
        self.world = new_world(
            game.scene, request.dt, request.params, request.builds, request.engine
        )

    def reset(self) -> None:
        """Back to the first tick."""
        self.world.reset(self._request.builds)

    @property
    def tick(self) -> int:
        """Ticks played."""
        return self.world.tick

    @property
    def solved(self) -> bool:
        """Whether every ball is out."""
        return self.world.solved

    @property
    def removed(self) -> int:
        """How many blocks were removed."""
        return len(self.world.removals())

    def remove(self, body: int) -> bool:
        """Take a block away before the next tick.

        Returns:
            Whether it was there: a block that is gone, or was never gray, costs nothing.
        """
        return body in self.game.eliminable and self.world.remove(body)

    def step(self) -> bool:
        """Play one tick; tells whether every ball is out now."""
        return self.world.run(1, self._request.out)

    def run(self, ticks: int) -> bool:
        """Play a number of ticks, or fewer if every ball gets out before."""
        return self.world.run(ticks, self._request.out)

    def act(self, strategy: Strategy, action: Any) -> None:
        """Carry out an action of a strategy, as the environments do.

        Args:
            strategy: on the fly plays one tick, combined one tick beyond the next removal,
                in advance the whole episode.
            action: on the fly 0, for nothing, to 6, for a gray block; otherwise six numbers
                from 0 to 1, the times of removal as fractions of 15 seconds.

        Raises:
            PlanError: the action is outside its space.
            ValueError: the episode is over, or plays on pymunk.
        """
        handle, rules = self._native().handle, native_rules(self.rules)
        if strategy is not Strategy.ON_THE_FLY:
            times = action_times(action)
            handle.act(NATIVE_STRATEGY[strategy], rules, self._blocks, times=times)
        elif not handle.act(NATIVE_STRATEGY[strategy], rules, self._blocks, choice=int(action)):
            raise PlanError(f"action {action}; it must be 0, for nothing, to {len(self._blocks)}")

    def observe(self, strategy: Strategy) -> NDArray[np.float32]:
        """(120,) or, on the fly, (122,) the symbolic observation; see `topple.iphyre.env`."""
        return self._native().handle.observe(NATIVE_STRATEGY[strategy], self._blocks)

    def _native(self) -> NativeWorld:
        if not isinstance(self.world, NativeWorld):
            raise ValueError("strategies need the native engine; this episode plays on pymunk")
        return self.world

    @property
    def state(self) -> EpisodeState:
        """A snapshot: a value that `restore` accepts at any later time."""
        history = tuple(Elimination(*removal) for removal in self.world.removals())
        return EpisodeState(self.game, self.rules, self.tick, history, self.solved)

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
        # A state may lie beyond a success, so time is played out without looking at the balls.
        for tick, body in state.history:
            self.world.step(max(0, tick - self.tick))
            self.remove(body)
        self.world.step(max(0, state.tick - self.tick))
        self.world.solved = state.solved

    def branch(self) -> Episode:
        """Another episode in the same state, which goes its own way from here."""
        twin = Episode(self.game, self.rules)
        if isinstance(self.world, NativeWorld):
            twin.world = self.world.copy()
        else:
            # Chipmunk's memory of contacts cannot be copied.
            twin.restore(self.state)
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


def scores_of(outcomes: Outcomes, rules: Rules) -> list[Score]:
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
