"""Every class with a state says what threads may do with it."""

from __future__ import annotations

import pytest

from topple.iphyre import Episode
from topple.iphyre.engine.native import NativeWorld
from topple.iphyre.env import IPhyreEnv
from topple.iphyre.env_slots import Slots as IPhyreSlots
from topple.iphyre.vector_env import IPhyreVectorEnv
from topple.phyre import Simulator
from topple.phyre.cache.action_cache import ActionCache
from topple.phyre.engine.native import SceneSet, Simulation
from topple.phyre.engine.world import World
from topple.phyre.env import PhyreEnv
from topple.phyre.env_slots import Slots
from topple.phyre.vector_env import PhyreVectorEnv

STATEFUL = (
    *(World, Simulation, SceneSet, Simulator, ActionCache, PhyreEnv, PhyreVectorEnv, Slots),
    *(NativeWorld, Episode, IPhyreEnv, IPhyreVectorEnv, IPhyreSlots),
)


@pytest.mark.parametrize("kind", STATEFUL)
def test_the_rule_for_threads_is_stated(kind: type) -> None:
    assert "thread" in (kind.__doc__ or "").split("Args:")[0].lower()


def test_the_rule_for_threads_is_stated_for_pymunk() -> None:
    pytest.importorskip("pymunk")
    from topple.iphyre.engine.pymunk_engine import PymunkWorld

    test_the_rule_for_threads_is_stated(PymunkWorld)
