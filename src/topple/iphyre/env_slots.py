"""What the I-PHYRE environments share: episodes in slots, stepped and observed together."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from topple.iphyre.engine.batch import Engine
from topple.iphyre.engine.native import NativeVector, NativeWorld, block_row, scene_set
from topple.iphyre.game import MAX_ELIMINABLE, Game
from topple.iphyre.observe import ACTIONS, observation_size
from topple.iphyre.pictures import picture_world
from topple.iphyre.plan import PlanError
from topple.iphyre.rules import Rules, native_rules
from topple.iphyre.strategy import NATIVE_STRATEGY, Strategy
from topple.threads import thread_count


class StepArrays(NamedTuple):
    """Where a step writes, one row per slot. Make them once, or anew for each step."""

    observations: NDArray[np.float32]  # (slots, size)
    rewards: NDArray[np.float64]  # (slots,)
    terminated: NDArray[np.bool_]  # (slots,) solved
    truncated: NDArray[np.bool_]  # (slots,) out of time


class Status(NamedTuple):
    """Where the episodes of all slots stand."""

    game: NDArray[np.int32]  # (slots,)
    tick: NDArray[np.int32]  # (slots,)
    removed: NDArray[np.int32]  # (slots,) blocks
    solved: NDArray[np.bool_]  # (slots,)


class EpisodeOverError(RuntimeError):
    """An action was given to an episode that is over."""


def step_arrays(slots: int, strategy: Strategy) -> StepArrays:
    """Fresh arrays for the results of a step."""
    return StepArrays(
        np.empty((slots, observation_size(strategy)), np.float32),
        np.empty(slots),
        np.empty(slots, np.bool_),
        np.empty(slots, np.bool_),
    )


class Slots:
    """Slots that each play an episode of one of several games by one strategy.

    Use them in one thread at a time: while one steps, the calls of others raise a RuntimeError.

    Args:
        games: what can be played.
        slots: how many episodes.
        strategy: what an action means.
        rules: what the episodes go by.

    Raises:
        ValueError: the rules ask for pymunk, which plays no strategies.
    """

    def __init__(self, games: Sequence[Game], slots: int, strategy: Strategy, rules: Rules) -> None:
        if rules.engine is not Engine.NATIVE:
            raise ValueError(f"environments need the native engine, not {rules.engine.value!r}")
        self.games = tuple(games)
        self.strategy = strategy
        self.rules = rules
        self._slots = slots
        self._request = request = rules.request
        self._vector = NativeVector(
            scene_set(tuple(game.scene for game in self.games), request.params, request.dt),
            builds=request.builds,
            rules=native_rules(rules),
            strategy=NATIVE_STRATEGY[strategy],
            blocks=np.stack([block_row(game.eliminable) for game in self.games]),
            slots=slots,
        )
        self._threads = thread_count(None, slots)
        self._nowhere = np.full(slots, -1, np.int32)

    def __getstate__(self) -> tuple[Any, ...]:
        """What was done in each slot; a copy plays it again, which is exact and quick."""
        snapshots = [self._vector.snapshot(slot) for slot in range(self._slots)]
        return self.games, self._slots, self.strategy, self.rules, snapshots

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        *arguments, snapshots = state
        self.__init__(*arguments)  # type: ignore[misc]
        for slot, snapshot in enumerate(snapshots):
            self._vector.restore(slot, *snapshot)

    def arrays(self) -> StepArrays:
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
        """Carry out an action per slot, or start a game where `restart` names one.

        Args:
            actions: (slots,) choices on the fly; otherwise (slots, 6) times from 0 to 1.
            into: where results go.
            restart: (slots,) the game to start in place of an action, or -1.

        Raises:
            EpisodeOverError: an episode is over; nothing has happened.
            PlanError: an action is outside its space; nothing has happened.
        """
        choices = times = None
        if self.strategy is Strategy.ON_THE_FLY:
            choices = np.asarray(actions, np.int64)
        else:
            times = np.ascontiguousarray(actions, np.float32)
            if times.shape != (self._slots, MAX_ELIMINABLE):
                raise self._bad_action(f"of shape {times.shape[1:]}")
        fault = self._vector.step(
            choices=choices,
            times=times,
            restart=self._nowhere if restart is None else restart,
            observations=into.observations,
            rewards=into.rewards,
            terminated=into.terminated,
            truncated=into.truncated,
            threads=self._threads,
        )
        if fault > 0:
            raise self._bad_action(np.asarray(actions)[fault - 1].tolist())
        if fault < 0:
            name = self.games[self.slot(-fault - 1)[0]].name
            raise EpisodeOverError(f"the episode of {name!r} is over; call reset()")

    def _bad_action(self, action: Any) -> PlanError:
        if self.strategy is Strategy.ON_THE_FLY:
            return PlanError(f"action {action}; it must be 0, for nothing, to {ACTIONS - 1}")
        return PlanError(f"action {action}; it must be {MAX_ELIMINABLE} numbers from 0 to 1")

    def status(self) -> Status:
        """Where all episodes stand."""
        rows = np.empty((self._slots, 4), np.int32)
        self._vector.status(rows)
        return Status(rows[:, 0], rows[:, 1], rows[:, 2], rows[:, 3] != 0)

    def slot(self, slot: int) -> tuple[int, int, int, bool]:
        """Where one stands: game, tick, blocks removed, whether it is solved."""
        return self._vector.slot(slot)

    def picture(self, slot: int, smooth: int = 1) -> NDArray[np.uint8]:
        """(600, 600, 3) what a slot looks like."""
        game, request = self.games[self.slot(slot)[0]], self._request
        world = NativeWorld.around(
            self._vector.episode(slot), game.scene, request.params, request.dt
        )
        return picture_world(game, world, smooth=smooth)
