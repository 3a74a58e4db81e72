from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from support.iphyre_reference import ReferenceSlots, actions_for
from topple.iphyre import (
    ALL,
    AT_10_HZ,
    Rules,
    Strategy,
)
from topple.iphyre.engine.batch import Engine
from topple.iphyre.env_slots import Slots


@pytest.mark.parametrize("strategy", Strategy)
@pytest.mark.parametrize("rules", [AT_10_HZ, AT_10_HZ.clean()], ids=["published", "clean"])
def test_native_slots_equal_the_rules_in_python(strategy: Strategy, rules: Rules) -> None:
    """Every game by both implementations of the strategies, on one engine and on both."""
    pytest.importorskip("pymunk")
    rng = np.random.default_rng(11)
    played: tuple[Slots | ReferenceSlots, ...] = (
        Slots(ALL, len(ALL), strategy, rules),
        ReferenceSlots(ALL, len(ALL), strategy, rules),
        ReferenceSlots(ALL, len(ALL), strategy, replace(rules, engine=Engine.PYMUNK)),
    )
    arrays = [slots.arrays() for slots in played]
    numbers = np.arange(len(ALL))
    for slots, into in zip(played, arrays, strict=True):
        slots.start(numbers, numbers, into)
    ends, ended = 0, np.zeros(len(ALL), np.bool_)
    for _ in range(160 if strategy is Strategy.ON_THE_FLY else 8):
        actions = actions_for(strategy, rng, len(ALL))
        if strategy is not Strategy.ON_THE_FLY:
            actions[rng.random(actions.shape) < 0.1] = 0.0
            actions[:, 1] = np.where(rng.random(len(ALL)) < 0.3, actions[:, 0], actions[:, 1])
        restart = np.where(ended, rng.permutation(len(ALL)), -1).astype(np.int32)
        for slots, into in zip(played, arrays, strict=True):
            slots.step(actions, into, restart)
        for other, slots in zip(arrays[1:], played[1:], strict=True):
            for ours, theirs in zip(arrays[0], other, strict=True):
                np.testing.assert_array_equal(ours, theirs)
            for ours, theirs in zip(played[0].status(), slots.status(), strict=True):
                np.testing.assert_array_equal(ours, theirs)
        ended = arrays[0].terminated | arrays[0].truncated
        ends += int(ended.sum())
    assert ends >= len(ALL)


def test_environments_need_the_native_engine() -> None:
    with pytest.raises(ValueError, match="environments need the native engine, not 'pymunk'"):
        Slots(ALL, 1, Strategy.COMBINED, replace(AT_10_HZ, engine=Engine.PYMUNK))
