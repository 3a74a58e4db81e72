"""Worlds of either I-PHYRE engine, and the choice between the two."""

from __future__ import annotations

from enum import Enum
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from topple.iphyre.engine.native import NativeWorld
from topple.iphyre.engine.scene import BELOW, PUBLISHED_PARAMS, Exit, Params, Scene

Floats = NDArray[np.float64]


class Engine(Enum):
    """What computes the physics."""

    NATIVE = "native"
    PYMUNK = "pymunk"  # slow, and what the native one has to equal


class EngineError(RuntimeError):
    """An engine is not installed; the message says how to get it."""


class World(Protocol):
    """One scene played tick by tick, in either engine.

    Change a world in one thread only. A world of pymunk is for one thread altogether: pymunk
    does not guard its memory.

    Attributes:
        scene: what it started from.
        params: constants of the physics.
        dt: seconds in a tick.
        solved: whether the last run got every ball out.
    """

    scene: Scene
    params: Params
    dt: float
    solved: bool

    @property
    def tick(self) -> int:
        """Ticks played since the start."""

    def removals(self) -> list[tuple[int, int]]:
        """The bodies removed, as (tick, body) in order."""

    def reset(self, builds: int = 1) -> None:
        """Put every body back to its start, as after a number of builds in one space."""

    def remove(self, body: int) -> bool:
        """Take a body away, with the joints that hold it; tells whether it was there."""

    def step(self, count: int = 1) -> None:
        """Advance by a number of ticks without looking at the balls."""

    def run(self, ticks: int, out: Exit = BELOW) -> bool:
        """Advance until every ball is out, at most a number of ticks; tells whether they are."""

    def all_out(self, out: Exit = BELOW) -> bool:
        """Whether every ball's centre is out at this instant."""

    @property
    def present(self) -> list[bool]:
        """(bodies,) False once removed."""

    def poses(self) -> Floats:
        """(bodies, 3) x, y in px and angle in radians."""

    def velocities(self) -> Floats:
        """(bodies, 3) vx, vy in px/s and spin in radians/s."""

    def ends(self) -> Floats:
        """(bodies, 4) the ends of blocks in px; a ball has its centre twice."""

    def contacts(self) -> Floats:
        """(contacts, 6) points on both bodies in px, and the direction from one to the other."""

    def joined(self) -> tuple[tuple[bool, ...], tuple[bool, ...]]:
        """Which pins and which springs still hold."""


def new_world(
    scene: Scene,
    dt: float,
    params: Params = PUBLISHED_PARAMS,
    builds: int = 1,
    engine: Engine = Engine.NATIVE,
) -> World:
    """A world for a scene, at its start.

    Raises:
        EngineError: pymunk was asked for and is not installed.
    """
    if engine is Engine.NATIVE:
        return NativeWorld(scene, dt, params, builds)
    try:
        from topple.iphyre.engine.pymunk_engine import PymunkWorld
    except ModuleNotFoundError as error:
        if error.name is None or not error.name.startswith("pymunk"):
            raise
        raise EngineError(
            "the engine 'pymunk' is not installed; run: pip install 'topple[pymunk]'"
        ) from None
    return PymunkWorld(scene, dt, params, builds)
