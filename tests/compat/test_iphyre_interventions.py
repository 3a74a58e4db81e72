"""Programs that move and push bodies through `space`, as in causal studies and augmentations.

What the original makes of it is in tests/golden; see make_own_games.py there.
"""

from __future__ import annotations

import copy
import math
import pickle
import sys
from typing import Any

import numpy as np
import pytest

from topple.compat.iphyre.simulator import IPHYRE
from topple.compat.iphyre.space import Body
from topple.iphyre.engine.batch import EngineError
from topple.iphyre.engine.native import NativeWorld


def write(demo: IPHYRE, place: int | None, word: str, value: Any) -> None:
    space = demo.space
    if place is None:
        setattr(space, word, value)
    elif word == "reindex":
        space.reindex_shapes_for_body(space.bodies[place])
    elif word.startswith("apply"):
        getattr(space.bodies[place], word)(*value)
    else:
        setattr(space.bodies[place], word, value)


def state(demo: IPHYRE) -> list[list[float]]:
    return [[*b.position, *b.velocity, b.angle, b.angular_velocity] for b in demo.space.bodies]


def test_interventions_have_the_effects_of_the_original(golden: Any) -> None:
    """Native while what moves is written, and on pymunk once a block that stays is."""
    pytest.importorskip("pymunk")
    for told in golden("iphyre_edits.json")["games"]:
        demo, fps = IPHYRE(told["game"], fps=told["fps"]), told["fps"]
        click = demo.get_action_space()[1]
        for step in range(4 * fps):
            for when, place, word, value in told["edits"]:
                if when == step:
                    write(demo, place, word, value)
            assert isinstance(demo.space.world, NativeWorld) == (step < 3 * fps)
            demo.step(click if step == fps else [0.0, 0.0])
        np.testing.assert_allclose(state(demo), told["bodies"], rtol=0, atol=1e-4)


def test_what_is_written_can_be_read() -> None:
    demo = IPHYRE("hole")
    demo.reset()
    ball = demo.space.bodies[-1]
    ball.position, ball.velocity = (300, 200), [1, 2]
    ball.angle, ball.angular_velocity = 1, 3
    assert state(demo)[-1] == [300.0, 200.0, 1.0, 2.0, 1.0, 3.0]
    assert demo.get_all_property()[-1, :2].tolist() == [0.0, 0.0]
    assert demo.get_all_property()[demo.num_obj - 1, :2].tolist() == [300.0, 200.0]
    with pytest.raises(ValueError, match="not finite or too large"):
        ball.position = (math.nan, 0.0)
    assert state(demo)[-1][0] == 300.0
    start = IPHYRE("hole").reset()
    np.testing.assert_array_equal(demo.reset(), start)


@pytest.mark.parametrize("static", [False, True])
def test_copies_after_an_intervention(static: bool) -> None:
    if static:
        pytest.importorskip("pymunk")
    demo = IPHYRE("spring", fps=10)
    positions = demo.get_action_space()
    for step in range(15):
        if step == 4:
            demo.space.bodies[-1].velocity = (40.0, -30.0)
        if step == 9 and static:
            block = demo.space.bodies[0]
            block.position = (block.position.x + 4.0, block.position.y - 4.0)
            demo.space.reindex_static()
        demo.step(positions[1] if step == 7 else [0.0, 0.0])
    twins = [copy.deepcopy(demo), pickle.loads(pickle.dumps(demo))]
    for _ in range(25):
        demo.step([0.0, 0.0])
    for twin in twins:
        for _ in range(25):
            twin.step([0.0, 0.0])
        assert state(twin) == state(demo)


def test_gravity_stays_over_resets_and_can_be_set_back() -> None:
    pytest.importorskip("pymunk")
    demo, other = IPHYRE("support"), IPHYRE("support")
    demo.space.gravity = (0.0, -50.0)
    for _ in range(2):
        demo.reset()
        assert demo.simulate([[250.0, 400.0, 0.1]])[0] == 0
        assert demo.space.bodies[-1].position.y < 0.0
    demo.space.gravity = (0.0, 100.0)
    for _ in range(3):
        other.reset()
    demo.reset()
    assert isinstance(demo.space.world, NativeWorld)
    assert demo.simulate([[250.0, 400.0, 0.1]]) == other.simulate([[250.0, 400.0, 0.1]])
    assert state(demo) == state(other)


def test_without_pymunk_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "topple.iphyre.engine.pymunk_engine", raising=False)
    monkeypatch.delitem(sys.modules, "topple.pymunk_memory", raising=False)
    monkeypatch.setitem(sys.modules, "pymunk._chipmunk_cffi", None)
    demo = IPHYRE("hole")
    demo.reset()
    block, ball = demo.space.bodies[0], demo.space.bodies[-1]
    assert (block.body_type, ball.body_type) == (Body.STATIC, Body.DYNAMIC)
    before = block.position
    with pytest.raises(EngineError, match=r"pip install 'topple\[pymunk\]'"):
        block.position = (0.0, 0.0)
    assert block.position == before
    ball.velocity = (5.0, 5.0)
    demo.step([0.0, 0.0])
    assert ball.position.x > 0.0
