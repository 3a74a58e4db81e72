"""Worlds of either I-PHYRE engine, and the choice between the two."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, TypeAlias

from topple.iphyre.engine.native import NativeWorld
from topple.iphyre.engine.scene import PUBLISHED_PARAMS, Params, Scene

if TYPE_CHECKING:
    from topple.iphyre.engine.pymunk_engine import PymunkWorld


class Engine(Enum):
    """What computes the physics."""

    NATIVE = "native"
    PYMUNK = "pymunk"  # slow, and what the native one has to equal


class EngineError(RuntimeError):
    """An engine is not installed; the message says how to get it."""


#: One scene played tick by tick, in either engine; both have the same methods.
World: TypeAlias = "NativeWorld | PymunkWorld"


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
