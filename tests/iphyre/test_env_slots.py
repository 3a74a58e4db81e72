from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from topple.iphyre import (
    ALL,
    AT_10_HZ,
    Rules,
    Strategy,
)
from topple.iphyre.engine.batch import Engine
from topple.iphyre.env_slots import Slots
from torture.games import check_slots


@pytest.mark.parametrize("strategy", Strategy)
@pytest.mark.parametrize("rules", [AT_10_HZ, AT_10_HZ.clean()], ids=["published", "clean"])
def test_native_slots_equal_the_rules_in_python(strategy: Strategy, rules: Rules) -> None:
    """Every game by both implementations of the strategies, on one engine and on both."""
    pytest.importorskip("pymunk")
    assert check_slots(strategy, rules, np.random.default_rng(11), tuple(Engine)) >= len(ALL)


def test_environments_need_the_native_engine() -> None:
    with pytest.raises(ValueError, match="environments need the native engine, not 'pymunk'"):
        Slots(ALL, 1, Strategy.COMBINED, replace(AT_10_HZ, engine=Engine.PYMUNK))
