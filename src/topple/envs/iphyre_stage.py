"""What the I-PHYRE environments share: episodes in slots, observed together."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from gymnasium.error import ResetNeeded
from numpy.typing import ArrayLike, NDArray

from topple.iphyre.episode import Episode
from topple.iphyre.game import HEIGHT, MAX_ELIMINABLE, WIDTH, Game, GameError
from topple.iphyre.games import game_named
from topple.iphyre.picture import picture_world
from topple.iphyre.plan import PlanError
from topple.iphyre.rules import Rules
from topple.iphyre.split import Split, split_named
from topple.iphyre.strategy import Strategy, next_leg, plan_in_advance
from topple.observe.iphyre_table import COLUMNS, object_table, observed
from topple.physics.munk import MAX_BODIES

TABLE_SIZE = MAX_BODIES * COLUMNS
ACTIONS = MAX_ELIMINABLE + 1  # on the fly: nothing, or one of six blocks


def games_of(game: str | Game | None, split: str | Split | None) -> tuple[Game, ...]:
    """The games an environment plays: one, or those of a split; BASIC by default.

    Raises:
        GameError: both were given, or there is no such game.
        ValueError: there is no such split.
    """
    if game is not None:
        if split is not None:
            raise GameError(f"give the game {game!r} or the split {split!r}, not both")
        return (game if isinstance(game, Game) else game_named(game),)
    if split is None:
        return Split.BASIC.games
    return (split if isinstance(split, Split) else split_named(split)).games


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


def observation_size(strategy: Strategy) -> int:
    """Numbers in a symbolic observation."""
    return TABLE_SIZE + 2 * (ACTIONS if strategy is Strategy.ON_THE_FLY else MAX_ELIMINABLE)


class Stage:
    """Slots that each play an episode of one of several games by one strategy.

    Args:
        games: the games that can be played.
        slots: how many episodes run beside each other.
        strategy: what an action means.
        rules: what episodes go by.
    """

    def __init__(self, games: Sequence[Game], slots: int, strategy: Strategy, rules: Rules) -> None:
        self.games = tuple(games)
        self.strategy = strategy
        self.rules = rules
        self._made: dict[tuple[int, int], Episode] = {}
        self._candidates = [candidates(game, strategy) for game in self.games]
        self._used: list[frozenset[int]] = [frozenset()] * slots
        self.numbers = [0] * slots
        self.episodes = [self._episode(slot, 0) for slot in range(slots)]

    def _episode(self, slot: int, number: int) -> Episode:
        episode = self._made.get((slot, number))
        if episode is None:
            episode = self._made[slot, number] = Episode(self.games[number], self.rules)
        return episode

    def start(self, slot: int, number: int) -> None:
        """Begin an episode of a game, by its place among the games."""
        self.numbers[slot] = number
        episode = self.episodes[slot] = self._episode(slot, number)
        episode.reset()
        self._used[slot] = frozenset()

    def act(self, slot: int, action: Any) -> float:
        """Carry out an action; returns its reward.

        Raises:
            ResetNeeded: the episode is over.
            PlanError: the action is outside its space.
        """
        episode = self.episodes[slot]
        if episode.solved or episode.tick >= self.rules.tick_limit:
            raise ResetNeeded(f"the episode of {episode.game.name!r} is over; call reset()")
        if self.strategy is Strategy.ON_THE_FLY:
            return self._act_on_the_fly(slot, int(action))
        if self.strategy is Strategy.IN_ADVANCE:
            return self._act_in_advance(slot, action)
        return self._act_combined(slot, action)

    def _act_on_the_fly(self, slot: int, action: int) -> float:
        episode = self.episodes[slot]
        if not 0 <= action < ACTIONS:
            raise PlanError(f"action {action}; it must be 0, for nothing, to {ACTIONS - 1}")
        removed = 0
        if 0 < action <= len(episode.game.eliminable):
            removed = int(episode.remove(episode.game.eliminable[action - 1]))
        return self.rules.reward(1, removed, episode.step())

    def _act_in_advance(self, slot: int, action: ArrayLike) -> float:
        episode = self.episodes[slot]
        for tick, body in plan_in_advance(episode.game, action, self.rules).eliminations:
            if episode.run(tick - episode.tick):
                break
            episode.remove(body)
        if not episode.solved:
            episode.run(self.rules.tick_limit - episode.tick)
        return self.rules.reward(episode.tick, episode.removed, episode.solved)

    def _act_combined(self, slot: int, action: ArrayLike) -> float:
        episode = self.episodes[slot]
        start, removed = episode.tick, 0
        leg = next_leg(episode.game, action, start, self._used[slot], self.rules)
        self._used[slot] = leg.used
        if not episode.run(leg.ticks) and leg.body is not None:
            removed = int(episode.remove(leg.body))
            episode.step()
        return self.rules.reward(episode.tick - start, removed, episode.solved)

    def over(self, slot: int) -> bool:
        """Whether an episode's time is up; it may be solved as well."""
        return self.episodes[slot].tick >= self.rules.tick_limit

    def observe(self) -> NDArray[np.float32]:
        """(slots, size) symbolic observations: the scaled tables, then the candidates."""
        rows = [
            np.concatenate(
                (
                    observed(object_table(episode.world, episode.game.eliminable)).reshape(-1),
                    self._candidates[number],
                )
            )
            for episode, number in zip(self.episodes, self.numbers, strict=True)
        ]
        return np.stack(rows)

    def picture(self, slot: int, smooth: int = 1) -> NDArray[np.uint8]:
        """(600, 600, 3) what a slot looks like."""
        episode = self.episodes[slot]
        return picture_world(episode.game, episode.world, smooth=smooth)
