"""What the I-PHYRE environments share: episodes in slots, stepped and observed together."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
from gymnasium.error import ResetNeeded
from numpy.typing import NDArray

from topple.iphyre.engine.batch import MAX_BODIES, Engine
from topple.iphyre.engine.vector import (
    COMBINED,
    IN_ADVANCE,
    ON_THE_FLY,
    NativeVector,
    SlotError,
    Status,
    StepArrays,
    VectorRules,
)
from topple.iphyre.game import HEIGHT, MAX_ELIMINABLE, WIDTH, Game, GameError
from topple.iphyre.games import game_named
from topple.iphyre.object_table import COLUMNS
from topple.iphyre.pictures import picture_world
from topple.iphyre.plan import PlanError
from topple.iphyre.rules import (
    ELIMINATION_REWARD,
    SECONDS,
    SUCCESS_REWARD,
    TIME_REWARD,
    Quirk,
    Rules,
)
from topple.iphyre.split import Split, split_named
from topple.iphyre.strategy import Strategy, last_tick

TABLE_SIZE = MAX_BODIES * COLUMNS
ACTIONS = MAX_ELIMINABLE + 1  # on the fly: nothing, or one of six blocks

_NUMBERS = {
    Strategy.IN_ADVANCE: IN_ADVANCE,
    Strategy.ON_THE_FLY: ON_THE_FLY,
    Strategy.COMBINED: COMBINED,
}


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


class Stage(Protocol):
    """Slots that each play an episode of one of several games by one strategy."""

    games: tuple[Game, ...]
    strategy: Strategy
    rules: Rules

    def room(self) -> StepArrays:
        """Arrays for the results of a step; any of the same shapes and types will do."""

    def start(
        self, slots: Sequence[int] | NDArray[np.int64], numbers: Any, into: StepArrays
    ) -> None:
        """Begin episodes of games, by their places; writes the slots' observations."""

    def step(
        self, actions: Any, into: StepArrays, restart: NDArray[np.int32] | None = None
    ) -> None:
        """Carry out an action per slot, or start a game where `restart` names one.

        Raises:
            ResetNeeded: an episode is over.
            PlanError: an action is outside its space.
        """

    def status(self) -> Status:
        """Where all episodes stand."""

    def slot(self, slot: int) -> tuple[int, int, int, bool]:
        """Where one stands: game, tick, blocks removed, whether it is solved."""

    def picture(self, slot: int, smooth: int = 1) -> NDArray[np.uint8]:
        """(600, 600, 3) what a slot looks like."""


def new_stage(games: Sequence[Game], slots: int, strategy: Strategy, rules: Rules) -> Stage:
    """A stage of the engine that the rules name."""
    if rules.engine is Engine.NATIVE:
        return NativeStage(games, slots, strategy, rules)
    from topple.iphyre.env_reference import ReferenceStage

    return ReferenceStage(games, slots, strategy, rules)


def step_arrays(slots: int, strategy: Strategy) -> StepArrays:
    """Fresh arrays for the results of a step."""
    return StepArrays(
        np.empty((slots, observation_size(strategy)), np.float32),
        np.empty(slots),
        np.empty(slots, np.bool_),
        np.empty(slots, np.bool_),
    )


def bad_action(action: Any, strategy: Strategy) -> PlanError:
    """What to say about an action outside its space."""
    if strategy is Strategy.ON_THE_FLY:
        return PlanError(f"action {action}; it must be 0, for nothing, to {ACTIONS - 1}")
    return PlanError(f"action {action}; it must be {MAX_ELIMINABLE} numbers from 0 to 1")


class NativeStage:
    """Slots in the native engine."""

    def __init__(self, games: Sequence[Game], slots: int, strategy: Strategy, rules: Rules) -> None:
        self.games = tuple(games)
        self.strategy = strategy
        self.rules = rules
        request = rules.request
        ends = [last_tick(tick, rules) for tick in range(rules.tick_limit)]
        self._slots = slots
        self._on_the_fly = strategy is Strategy.ON_THE_FLY
        self._vector = NativeVector(
            [game.scene for game in self.games],
            [game.eliminable for game in self.games],
            np.stack([candidates(game, strategy) for game in self.games]),
            slots,
            VectorRules(
                strategy=_NUMBERS[strategy],
                params=request.params,
                out=request.out,
                hz=rules.hz,
                builds=request.resets,
                zero_is_never=Quirk.ZERO_IS_NEVER in rules,
                ties_are_lost=Quirk.TIES_ARE_LOST in rules,
                seconds=SECONDS,
                time_reward=TIME_REWARD,
                block_reward=ELIMINATION_REWARD,
                goal_reward=SUCCESS_REWARD,
                last_tick=np.array([*ends, rules.tick_limit], np.int32),
            ),
        )

    def room(self) -> StepArrays:
        """Arrays for the results of a step; any of the same shapes and types will do."""
        return step_arrays(self._slots, self.strategy)

    def start(
        self, slots: Sequence[int] | NDArray[np.int64], numbers: Any, into: StepArrays
    ) -> None:
        """Begin episodes of games, by their places; writes the slots' observations."""
        self._vector.start(
            np.asarray(slots, np.int64), np.asarray(numbers, np.int32), into.observations
        )

    def step(
        self, actions: Any, into: StepArrays, restart: NDArray[np.int32] | None = None
    ) -> None:
        """Carry out an action per slot, or start a game where `restart` names one."""
        if self._on_the_fly:
            acts = np.asarray(actions, np.int64)
        else:
            acts = np.ascontiguousarray(actions, np.float32)
            if acts.shape != (self._slots, MAX_ELIMINABLE):
                raise bad_action(f"of shape {acts.shape[1:]}", self.strategy)
        try:
            self._vector.step(acts, into, restart)
        except SlotError as fault:
            if not fault.over:
                raise bad_action(acts[fault.slot].tolist(), self.strategy) from None
            name = self.games[self.slot(fault.slot)[0]].name
            raise ResetNeeded(f"the episode of {name!r} is over; call reset()") from None

    def status(self) -> Status:
        """Where all episodes stand."""
        return self._vector.status()

    def slot(self, slot: int) -> tuple[int, int, int, bool]:
        """Where one stands: game, tick, blocks removed, whether it is solved."""
        return self._vector.slot(slot)

    def picture(self, slot: int, smooth: int = 1) -> NDArray[np.uint8]:
        """(600, 600, 3) what a slot looks like."""
        game = self.games[self.slot(slot)[0]]
        return picture_world(game, self._vector.world(slot), smooth=smooth)
