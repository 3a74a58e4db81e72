"""Programs that copy a simulator to look ahead, and programs that send it to other processes."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable

import numpy as np
import pytest

from topple.compat.iphyre.games import PARAS
from topple.compat.iphyre.simulator import IPHYRE
from topple.compat.iphyre.wrappers import IPHYRE_combine

COPIES = (copy.deepcopy, lambda demo: pickle.loads(pickle.dumps(demo)))


@pytest.mark.parametrize("twin_of", COPIES, ids=("deepcopy", "pickle"))
@pytest.mark.parametrize("game", ["hole", "spring", "multi_ball_lever"])
def test_a_copy_goes_on_as_the_simulator_does(
    game: str, twin_of: Callable[[IPHYRE], IPHYRE]
) -> None:
    demo = IPHYRE(game, fps=10)
    positions = demo.get_action_space()
    for step in range(12):
        demo.step(positions[2] if step == 5 else [0.0, 0.0])
    twin = twin_of(demo)
    assert (twin.eli, twin.eli_mask, twin.spring) == (demo.eli, demo.eli_mask, demo.spring)
    ahead = copy.deepcopy(twin)
    ahead.step(positions[1])  # has no effect on the others
    for step in range(30):
        click = positions[1] if step == 10 else [0.0, 0.0]
        table, *rest = demo.step(click)
        twin_table, *twin_rest = twin.step(click)
        np.testing.assert_array_equal(table, twin_table)
        assert rest == twin_rest
    np.testing.assert_array_equal(demo.reset(), twin.reset())
    demo.simulate([])
    twin.simulate([])
    np.testing.assert_array_equal(demo.get_all_property(), twin.get_all_property())


def test_a_copy_before_the_first_reset() -> None:
    twin = copy.deepcopy(IPHYRE("hole"))
    assert twin.space.bodies == []
    assert twin.reset().any()


def test_a_copy_keeps_the_game_it_plays(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(PARAS, "own", copy.deepcopy(PARAS["hole"]))
    demo = IPHYRE("own")
    before = demo.reset()
    PARAS["own"]["block"][0][0][0] = 0.0
    np.testing.assert_array_equal(copy.deepcopy(demo).get_all_property(), before)


def test_wrappers_can_be_copied() -> None:
    environment = IPHYRE_combine({"game_list": ["fill"], "seed": 0})
    environment.reset()
    times = np.array((0.05, 0.1, 0.2, 0.3, 0.0, 0.0), np.float32)
    environment.step(times)
    twin = copy.deepcopy(environment)
    for _ in range(3):
        seen, reward, *_ = environment.step(times)
        twin_seen, twin_reward, *_ = twin.step(times)
        np.testing.assert_array_equal(seen, twin_seen)
        assert reward == twin_reward
