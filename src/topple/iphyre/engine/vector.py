"""Many I-PHYRE episodes beside each other in the native engine, in caller-owned arrays."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from topple import _native
from topple.iphyre.engine.native import NativeWorld, bounds, scene_set
from topple.iphyre.engine.scene import Exit, MunkParams, MunkScene
from topple.threads import thread_count

IN_ADVANCE, ON_THE_FLY, COMBINED = range(3)  # strategies, in the engine's order
MAX_BLOCKS = 6  # that a player can remove


class VectorRules(NamedTuple):
    """What the episodes of a vector go by."""

    strategy: int
    params: MunkParams
    out: Exit
    hz: int
    builds: int
    zero_is_never: bool
    ties_are_lost: bool
    seconds: float  # what a planned time of 1 stands for
    time_reward: float  # a second
    block_reward: float  # for each removal
    goal_reward: float
    last_tick: NDArray[np.int32]  # (limit + 1,) where an episode ends that is planned at a tick


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


class SlotError(ValueError):
    """A step was refused because of a slot; nothing has happened."""

    def __init__(self, slot: int, over: bool) -> None:
        super().__init__(f"slot {slot}: {'its episode is over' if over else 'a bad action'}")
        self.slot = slot
        self.over = over  # the episode is over; otherwise its action is outside its space


class NativeVector:
    """Slots that each play an episode of one of several games.

    Args:
        scenes: the games.
        blocks: for each game, the bodies a player can remove.
        candidates: (games, numbers) what is appended to the observations of a game.
        slots: how many episodes.
        rules: what they go by.
        threads: at most this many; all cores by default. Small steps use one.
    """

    def __init__(
        self,
        scenes: Sequence[MunkScene],
        blocks: Sequence[Sequence[int]],
        candidates: NDArray[np.float32],
        slots: int,
        rules: VectorRules,
        threads: int | None = None,
    ) -> None:
        self.scenes = tuple(scenes)
        self.slots = slots
        self._params, self._dt = rules.params, 1 / rules.hz
        self._threads = thread_count(threads, slots)
        table = np.full((len(scenes), MAX_BLOCKS), -1, np.int32)
        for row, listed in zip(table, blocks, strict=True):
            row[: len(listed)] = listed
        self._native = _native.MunkVector(
            scene_set(self.scenes, rules.params, self._dt),
            slots,
            rules.strategy,
            table,
            np.ascontiguousarray(candidates),
            *bounds(rules.out),
            rules.hz,
            rules.builds,
            rules.zero_is_never,
            rules.ties_are_lost,
            rules.seconds,
            rules.time_reward,
            rules.block_reward,
            rules.goal_reward,
            rules.last_tick,
        )
        self._on_the_fly = rules.strategy == ON_THE_FLY
        self._nobody = np.full(slots, -1, np.int32)

    def start(
        self,
        slots: NDArray[np.int64],
        games: NDArray[np.int32],
        observations: NDArray[np.float32],
    ) -> None:
        """Begin episodes of games in some slots; writes their rows of all observations."""
        self._native.start(slots, games, observations)

    def step(
        self,
        actions: NDArray[np.int64] | NDArray[np.float32],
        into: StepArrays,
        restart: NDArray[np.int32] | None = None,
    ) -> None:
        """Carry out an action in each slot.

        Args:
            actions: (slots,) choices on the fly; otherwise (slots, 6) times from 0 to 1.
            into: where results go.
            restart: (slots,) the game to start in place of an action, or -1.

        Raises:
            SlotError: an action is outside its space, or an episode is over.
        """
        fault = self._native.step(
            actions if self._on_the_fly else None,  # type: ignore[arg-type]
            None if self._on_the_fly else actions,  # type: ignore[arg-type]
            self._nobody if restart is None else restart,
            into.observations,
            into.rewards,
            into.terminated,
            into.truncated,
            self._threads,
        )
        if fault:
            raise SlotError(abs(fault) - 1, fault < 0)

    def status(self) -> Status:
        """Where all episodes stand."""
        rows = np.empty((self.slots, 4), np.int32)
        self._native.status(rows)
        return Status(rows[:, 0], rows[:, 1], rows[:, 2], rows[:, 3] != 0)

    def slot(self, slot: int) -> tuple[int, int, int, bool]:
        """Game, tick, blocks removed and whether it is solved, of one slot."""
        return self._native.slot(slot)

    def world(self, slot: int) -> NativeWorld:
        """A copy of the world of a slot: a snapshot, or a branch to go its own way."""
        scene = self.scenes[self.slot(slot)[0]]
        world = NativeWorld(scene, self._dt, self._params)
        world.handle = self._native.world(slot)
        return world
