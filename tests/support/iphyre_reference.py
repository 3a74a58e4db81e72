"""The rules of the strategies in plain Python: slow, and what the native ones must equal.

`ReferenceSlots` plays on either engine, one slot after another, by the functions below it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from topple.iphyre.env_slots import Status, StepArrays, step_arrays
from topple.iphyre.episode import Episode
from topple.iphyre.game import HEIGHT, MAX_ELIMINABLE, WIDTH, Game
from topple.iphyre.observe import ACTIONS, object_table, observed
from topple.iphyre.plan import Elimination, Plan
from topple.iphyre.rules import AT_10_HZ, SECONDS, Quirk, Rules
from topple.iphyre.strategy import Strategy


class ReferenceSlots:
    """What `topple.iphyre.env_slots.Slots` does."""

    def __init__(self, games: Sequence[Game], slots: int, strategy: Strategy, rules: Rules) -> None:
        self.games = tuple(games)
        self.strategy = strategy
        self.rules = rules
        self._made: dict[tuple[int, int], Episode] = {}
        self._numbers = [0] * slots
        self._used: list[frozenset[int]] = [frozenset()] * slots
        self._episodes = [self._episode(slot, 0) for slot in range(slots)]

    def _episode(self, slot: int, number: int) -> Episode:
        episode = self._made.get((slot, number))
        if episode is None:
            episode = self._made[slot, number] = Episode(self.games[number], self.rules)
        return episode

    def arrays(self) -> StepArrays:
        """Arrays for the results of a step; any of the same shapes and types will do."""
        return step_arrays(len(self._episodes), self.strategy)

    def start(
        self, slots: Sequence[int] | NDArray[np.int64], numbers: Any, into: StepArrays
    ) -> None:
        """Begin episodes of games, by their places; writes the slots' observations."""
        for slot, number in zip(slots, numbers, strict=True):
            self._start(int(slot), int(number))
            self._observe(int(slot), into)

    def _start(self, slot: int, number: int) -> None:
        self._numbers[slot] = number
        self._used[slot] = frozenset()
        self._episodes[slot] = self._episode(slot, number)
        self._episodes[slot].reset()

    def step(
        self, actions: Any, into: StepArrays, restart: NDArray[np.int32] | None = None
    ) -> None:
        """Carry out an action per slot, or start a game where `restart` names one."""
        for slot, action in enumerate(actions):
            into.rewards[slot] = 0.0
            into.terminated[slot] = into.truncated[slot] = False
            if restart is not None and restart[slot] >= 0:
                self._start(slot, int(restart[slot]))
            else:
                into.rewards[slot] = self._act(slot, action)
                episode = self._episodes[slot]
                into.terminated[slot] = episode.solved
                into.truncated[slot] = not episode.solved and self._over(episode)
            self._observe(slot, into)

    def _over(self, episode: Episode) -> bool:
        return episode.solved or episode.tick >= self.rules.tick_limit

    def _act(self, slot: int, action: Any) -> float:
        episode = self._episodes[slot]
        assert not self._over(episode)
        start, removed = episode.tick, episode.removed
        self._used[slot] = act(episode, self.strategy, action, self._used[slot])
        ticks, gone = episode.tick - start, episode.removed - removed
        return self.rules.reward(ticks, gone, episode.solved)

    def _observe(self, slot: int, into: StepArrays) -> None:
        into.observations[slot] = observe(self._episodes[slot], self.strategy)

    def status(self) -> Status:
        """Where all episodes stand."""
        return Status(
            np.array(self._numbers, np.int32),
            np.array([episode.tick for episode in self._episodes], np.int32),
            np.array([episode.removed for episode in self._episodes], np.int32),
            np.array([episode.solved for episode in self._episodes]),
        )


def act(
    episode: Episode, strategy: Strategy, action: Any, used: frozenset[int] = frozenset()
) -> frozenset[int]:
    """Carry out an action in an episode that is not over.

    Args:
        episode: to go on with.
        strategy: what the action means.
        action: of that strategy's space.
        used: combined: entries that have had their turn in this episode, as returned before.
    """
    if strategy is Strategy.ON_THE_FLY:
        _act_on_the_fly(episode, int(action))
    elif strategy is Strategy.IN_ADVANCE:
        _act_in_advance(episode, action)
    else:
        used = _act_combined(episode, action, used)
    return used


def _act_on_the_fly(episode: Episode, action: int) -> None:
    assert 0 <= action < ACTIONS
    blocks = episode.game.eliminable
    if 0 < action <= len(blocks):
        episode.remove(blocks[action - 1])
    episode.step()


def _act_in_advance(episode: Episode, action: ArrayLike) -> None:
    for tick, body in reference_plan(episode.game, action, episode.rules).eliminations:
        if episode.run(tick - episode.tick):
            return
        episode.remove(body)
    episode.run(episode.rules.tick_limit - episode.tick)


def _act_combined(episode: Episode, action: ArrayLike, used: frozenset[int]) -> frozenset[int]:
    leg = next_leg(episode.game, action, episode.tick, used, episode.rules)
    if not episode.run(leg.ticks) and leg.body is not None:
        episode.remove(leg.body)
        episode.step()
    return leg.used


def observe(episode: Episode, strategy: Strategy) -> NDArray[np.float32]:
    """The symbolic observation of an episode."""
    table = observed(object_table(episode.world, episode.game.eliminable)).reshape(-1)
    return np.concatenate((table, candidates(episode.game, strategy)), dtype=np.float32)


def candidates(game: Game, strategy: Strategy) -> NDArray[np.float32]:
    """Positions of the blocks an action speaks of, scaled to 0 to 1, zeros where none.

    On the fly, the first position stands for doing nothing and is zero, too.
    """
    first = 1 if strategy is Strategy.ON_THE_FLY else 0
    points = np.zeros((first + MAX_ELIMINABLE, 2), dtype=np.float32)
    for k, body in enumerate(game.eliminable, start=first):
        points[k] = game.centre(body)
    points /= np.array((WIDTH, HEIGHT), dtype=np.float32)
    return points.reshape(-1)


def reference_ticks(action: ArrayLike, rules: Rules = AT_10_HZ) -> list[int]:
    """The tick each entry of an action names, in single precision as in the original."""
    seconds = np.asarray(action, dtype=np.float32) * np.float32(SECONDS)
    ticks: list[int] = np.rint(seconds * np.float32(rules.hz)).astype(int).tolist()
    return ticks


def reference_plan(game: Game, action: ArrayLike, rules: Rules = AT_10_HZ) -> Plan:
    """The plan an action means when all times are fixed before the first tick."""
    taken: set[int] = set()
    plan: list[Elimination] = []
    for body, tick in zip(game.eliminable, reference_ticks(action, rules), strict=False):
        if tick == 0 and Quirk.ZERO_IS_NEVER in rules:
            continue
        if tick >= rules.tick_limit:
            continue
        if tick in taken and Quirk.TIES_ARE_LOST in rules:
            continue
        taken.add(tick)
        plan.append(Elimination(tick, body))
    plan.sort()
    return Plan(tuple(plan))


class Leg(NamedTuple):
    """The part of a combined episode up to its next removal."""

    ticks: int  # to play without a removal
    body: int | None  # then removed, with one more tick; None: the episode ends first
    used: frozenset[int]  # entries of the action that have had their turn


def next_leg(
    game: Game, action: ArrayLike, tick: int, used: frozenset[int], rules: Rules = AT_10_HZ
) -> Leg:
    """What an action does from a tick on, by the combined strategy.

    An entry has one turn in an episode. Where several entries name one tick, the
    first stands for all of them, even if it has had its turn.
    """
    named = reference_ticks(action, rules)
    last = reference_last_tick(tick, rules)
    for now in range(tick, last):
        if now == 0 and Quirk.ZERO_IS_NEVER in rules:
            continue
        entries = [i for i, at in enumerate(named) if at == now]
        if Quirk.TIES_ARE_LOST in rules:
            entries = entries[:1]
        for entry in entries:
            if entry in used:
                continue
            used = used | {entry}
            if entry < len(game.eliminable):
                return Leg(now - tick, game.eliminable[entry], used)
    return Leg(last - tick, None, used)


def reference_last_tick(tick: int, rules: Rules = AT_10_HZ) -> int:
    """Where an episode ends that is re-planned at a tick.

    The original lays out the rest of the clock as floats from `tick / hz` up to 15
    in steps of `1 / hz`; at some ticks the rounding of that count adds one.
    """
    if Quirk.EXTRA_TICK not in rules:
        return rules.tick_limit
    count = math.ceil((SECONDS - tick / rules.hz) / rules.dt)
    return tick + count


def actions_for(strategy: Strategy, rng: np.random.Generator, count: int) -> Any:
    """Random actions of a strategy for so many slots; on the fly, most do nothing."""
    if strategy is Strategy.ON_THE_FLY:
        return rng.integers(0, 7, count) * (rng.random(count) < 0.2)
    return rng.random((count, 6), dtype=np.float32)
