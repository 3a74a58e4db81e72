"""Environments on the reference engine: the rules in plain Python, one slot after another."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from gymnasium.error import ResetNeeded
from numpy.typing import ArrayLike, NDArray

from topple.iphyre.engine.vector import Status, StepArrays
from topple.iphyre.env_slots import ACTIONS, bad_action, candidates, step_arrays
from topple.iphyre.episode import Episode
from topple.iphyre.game import Game
from topple.iphyre.object_table import object_table, observed
from topple.iphyre.pictures import picture_world
from topple.iphyre.plan import PlanError
from topple.iphyre.rules import Rules
from topple.iphyre.strategy import Strategy, next_leg, plan_in_advance


class ReferenceStage:
    """Slots that play by `topple.iphyre.strategy`; slow, and what the native ones must equal."""

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

    def room(self) -> StepArrays:
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
        if self._over(episode):
            raise ResetNeeded(f"the episode of {episode.game.name!r} is over; call reset()")
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

    def slot(self, slot: int) -> tuple[int, int, int, bool]:
        """Where one stands: game, tick, blocks removed, whether it is solved."""
        episode = self._episodes[slot]
        return self._numbers[slot], episode.tick, episode.removed, episode.solved

    def picture(self, slot: int, smooth: int = 1) -> NDArray[np.uint8]:
        """(600, 600, 3) what a slot looks like."""
        episode = self._episodes[slot]
        return picture_world(episode.game, episode.world, smooth=smooth)


def act(
    episode: Episode, strategy: Strategy, action: Any, used: frozenset[int] = frozenset()
) -> frozenset[int]:
    """Carry out an action in an episode that is not over.

    Args:
        episode: to go on with.
        strategy: what the action means.
        action: of that strategy's space.
        used: combined: entries that have had their turn in this episode, as returned before.

    Raises:
        PlanError: the action is outside its space.
    """
    try:
        if strategy is Strategy.ON_THE_FLY:
            _act_on_the_fly(episode, int(action))
        elif strategy is Strategy.IN_ADVANCE:
            _act_in_advance(episode, action)
        else:
            used = _act_combined(episode, action, used)
    except PlanError:
        raise bad_action(np.asarray(action).tolist(), strategy) from None
    return used


def _act_on_the_fly(episode: Episode, action: int) -> None:
    if not 0 <= action < ACTIONS:
        raise PlanError(f"action {action}")
    blocks = episode.game.eliminable
    if 0 < action <= len(blocks):
        episode.remove(blocks[action - 1])
    episode.step()


def _act_in_advance(episode: Episode, action: ArrayLike) -> None:
    for tick, body in plan_in_advance(episode.game, action, episode.rules).eliminations:
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
