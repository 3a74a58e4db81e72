"""Programs that put games of their own into `PARAS`: generators, editors, curricula.

What the original makes of such games is in tests/golden; see make_own_games.py there.
"""

from __future__ import annotations

import copy
import math
import sys
from typing import Any

import numpy as np
import pytest
from gymnasium.error import ResetNeeded

from topple.compat.iphyre import wrappers
from topple.compat.iphyre.games import PARAS
from topple.compat.iphyre.simulator import IPHYRE
from topple.compat.iphyre.utils import generate_actions
from topple.iphyre.engine.native import NativeWorld

LEDGE = {
    "block": [[[200.0, 400.0], [300.0, 400.0]]],
    "ball": [[250.0, 340.0, 20.0]],
    "eli": [1, 0],
    "dynamic": [0, 1],
}


@pytest.fixture(autouse=True)
def _keep_games(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in list(PARAS):
        monkeypatch.setitem(PARAS, name, copy.deepcopy(PARAS[name]))
    monkeypatch.setitem(PARAS, "own", copy.deepcopy(LEDGE))


def check_round(demo: IPHYRE, told: dict[str, Any]) -> None:
    demo.reset()
    result = demo.simulate([[x, y, math.nan if t is None else t] for x, y, t in told["clicks"]])
    assert list(result) == told["result"]
    assert [demo.eli, demo.dynamic, demo.shape, demo.eli_mask] == told["lists"]
    assert [demo.joint, demo.spring] == told["pairs"]
    bodies = demo.space.bodies
    moved = [[*b.position, *b.velocity, b.angle, b.angular_velocity] for b in bodies]
    np.testing.assert_allclose(moved, told["bodies"], rtol=0, atol=1e-4)
    table = demo.get_all_property()
    np.testing.assert_allclose(table[demo.eli_mask], told["rows"], rtol=0, atol=1e-4)
    rows = [demo.get_property(body, i, demo.shape[i]) for i, body in enumerate(bodies)]
    np.testing.assert_allclose(rows, told["rows"], rtol=0, atol=1e-4)


def test_games_of_any_kind(golden: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Clicks have the original's outcomes, also where gray blocks move, cross or are points."""
    told = golden("iphyre_own_games.json")["games"]
    assert max(sum(row["game"]["eli"]) for row in told) > 6
    for row in told:
        if len(row["game"]["eli"]) > 20:
            pytest.importorskip("pymunk")
        monkeypatch.setitem(PARAS, row["name"], row["game"])
        demo = IPHYRE(row["name"], fps=row["fps"])
        demo.max_obj_num = max(demo.max_obj_num, len(row["game"]["eli"]))
        assert demo.get_action_space() == row["positions"]
        for each in row["rounds"]:
            # Where a sort leaves what is no number has changed with Python 3.13.
            if sys.version_info < (3, 13) or all(t is not None for *_, t in each["clicks"]):
                check_round(demo, each)
            else:
                demo.reset()
        demo.reset()
        clicks = [p for p in row["positions"] if p != [0.0, 0.0]]
        assert [demo.eliminate(click) for click in clicks] == row["places"]


def test_a_game_too_large_for_the_native_engine_plays_on_pymunk(
    golden: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("pymunk")
    large = golden("iphyre_own_games.json")["games"][-1]["game"]
    monkeypatch.setitem(PARAS, "large", large)
    for name, native in (("large", False), ("hole", True)):
        demo = IPHYRE(name)
        demo.max_obj_num = 30
        demo.reset()
        assert isinstance(demo.space.world, NativeWorld) == native


def test_edits_are_seen_by_the_next_reset() -> None:
    demo = IPHYRE("own")
    demo.reset()
    assert demo.simulate([[250.0, 400.0, 0.5]])[0] == 1
    PARAS["own"]["eli"][0] = 0
    PARAS["own"]["block"][0][1][0] = 320.0
    table = demo.reset()
    assert table[0].tolist() == [200.0, 400.0, 320.0, 400.0, 10.0, 0.0, 0.0, 0.0, 0.0]
    assert demo.simulate([[250.0, 400.0, 0.5]])[:2] == (0, 0)
    PARAS["own"]["block"].append([[100.0, 500.0], [400.0, 500.0]])
    PARAS["own"].update(eli=[1, 0, 0], dynamic=[0, 0, 1])
    demo.reset()
    assert len(demo.space.bodies) == 3
    assert demo.simulate([[250.0, 400.0, 0.5]])[:2] == (0, 1)
    assert IPHYRE("own").reset()[2, 1] == 340.0


def test_lists_that_do_not_fit() -> None:
    PARAS["own"]["eli"] = [1]
    with pytest.raises(AssertionError, match="eli has 1 entries for 1 blocks and 1 balls"):
        IPHYRE("own").reset()
    PARAS["own"].update(eli=[1, 0], joint=[[0, 7]])
    with pytest.raises(ValueError, match="joint"):
        IPHYRE("own").reset()
    PARAS["own"].update(joint=[], ball=[[250.0, math.nan, 20.0]])
    with pytest.raises(ValueError, match="must be finite"):
        IPHYRE("own").reset()


def test_sampling_in_a_game_of_many_gray_blocks() -> None:
    rows = [[[150.0, 200.0 + 40 * k], [350.0, 200.0 + 40 * k]] for k in range(8)]
    PARAS["own"].update(
        block=rows, ball=[[250.0, 160.0, 20.0]], eli=[1] * 8 + [0], dynamic=[0] * 8 + [1]
    )
    good, bad, drawn = generate_actions("own", 0, 2, 0.1, 15.0, 7.0, 6)
    assert (len(good), len(bad), drawn) == (0, 2, 2)
    assert [len(row) for row in bad] == [8 + 3] * 2
    assert all(row[-2] <= 6 for row in bad)


def test_environments_play_games_of_any_kind(golden: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Actions have the original's rewards, also where a click misses a gray block that moved."""
    for row in golden("iphyre_own_games.json")["games"]:
        monkeypatch.setitem(PARAS, row["name"], row["game"])
    for episode in golden("iphyre_own_environments.json")["episodes"]:
        environment = getattr(wrappers, episode["kind"])({"game_list": [episode["name"]]})
        environment.reset()
        for action in episode["actions"]:
            # As in the original, whose plans are in single precision.
            taken = action if isinstance(action, int) else np.array(action, np.float32)
            seen, _, *ends, _ = environment.step(taken)
        assert environment.game == episode["name"]
        assert environment.total_reward == pytest.approx(episode["reward"], abs=1e-5)
        assert ends == episode["ends"]
        np.testing.assert_allclose(seen, episode["last"], rtol=0, atol=1e-5)


def test_environments_need_a_reset() -> None:
    for kind in (wrappers.IPHYRE_inadvance, wrappers.IPHYRE_onthefly, wrappers.IPHYRE_combine):
        with pytest.raises(ResetNeeded, match=r"call reset\(\) before step"):
            kind({"game_list": ["own"]}).step(0)
    environment = wrappers.IPHYRE_combine({"game_list": ["own"]})
    environment.reset()
    assert environment.step(np.zeros(6, np.float32))[3]
    with pytest.raises(ResetNeeded, match="the episode of 'own' is over"):
        environment.step(np.zeros(6, np.float32))
