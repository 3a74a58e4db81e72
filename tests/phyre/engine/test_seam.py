"""The seam of the native engine: names and numbers on both sides, and one crossing per attempt."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from support.small_scenes import ball, walled
from topple._native import phyre as _native
from topple.phyre import Simulator
from topple.phyre.engine import native, request
from topple.phyre.engine.native import SceneSet
from topple.phyre.engine.packing import pack
from topple.phyre.engine.result import (
    CONTACT_DTYPE,
    FEATURE_COUNT,
    OUT_OF_CONTACTS,
    OUTPUTS,
    STATE_FIELDS,
    Outcome,
)
from topple.phyre.scene import Color, Kind


def test_python_and_the_engine_list_the_same_arrays() -> None:
    assert tuple(pack([walled()]).arrays()) == _native.SCENE_ARRAYS
    assert _native.OUTPUTS == OUTPUTS


@pytest.mark.parametrize(
    ("here", "there"), [(Outcome, _native.Outcome), (Color, _native.Color), (Kind, _native.Kind)]
)
def test_values_that_need_no_extension_have_its_numbers(here: Any, there: Any) -> None:
    numbers = {item.name: int(item) for item in there}
    if here is Outcome:
        assert numbers.pop("OUT_OF_CONTACTS") == OUT_OF_CONTACTS
    assert {item.name: int(item) for item in here} == numbers


def test_constants_agree() -> None:
    assert _native.SCENE_SIZE == request.SCENE_SIZE
    assert _native.PIXELS_PER_METRE == request.PIXELS_PER_METRE
    assert _native.MAX_COORDINATE == request.MAX_COORDINATE
    assert _native.MAX_MOTION == request.MAX_MOTION
    assert _native.FEATURE_SIZE == FEATURE_COUNT == 4 + len(Kind) - 1 + len(Color) - 1
    assert len(STATE_FIELDS) == _native.STATE_SIZE
    assert CONTACT_DTYPE.itemsize == 8 * 4


def test_scene_arrays_are_checked_by_name() -> None:
    arrays = pack([walled(ball(50, 50))]).arrays()
    _native.Scenes(**arrays)
    wrong: list[tuple[dict[str, Any], str]] = [
        ({name: array for name, array in arrays.items() if name != "kind"}, "kind: missing"),
        ({**arrays, "kind": arrays["kind"].astype(np.int64)}, "kind: wrong type"),
        ({**arrays, "pose_m": arrays["pose_m"][:, :2].copy()}, "pose_m: wrong type, shape"),
        ({**arrays, "diameter": arrays["diameter"][1:]}, "diameter: wrong length"),
        ({**arrays, "weight": arrays["diameter"]}, "arrays that scenes do not have"),
    ]
    for given, message in wrong:
        with pytest.raises(ValueError, match=message):
            _native.Scenes(**given)


def test_scenes_do_not_follow_later_changes_of_their_arrays() -> None:
    scenes = SceneSet([walled(ball(50, 50))])
    before = native.draw_scenes(scenes)
    for array, value in ((scenes.packed.vertex_start, 10**9), (scenes.packed.pose_px, 0)):
        array.setflags(write=True)  # against the rule
        array[:] = value
    np.testing.assert_array_equal(native.draw_scenes(scenes), before)


@pytest.mark.parametrize("name", ["outcome", "steps"])
def test_outputs_are_checked_by_name(name: str) -> None:
    scenes = SceneSet([walled(ball(50, 50))])
    index, actions = np.zeros(2, np.int32), np.zeros((2, 0))
    rules = _native.Rules(max_steps=5, stride=0, stable=False, shortcuts=True)
    outputs: dict[str, Any] = {"outcome": np.zeros(2, np.int8), "steps": np.zeros(2, np.int32)}
    _native.simulate(scenes.handle, index, actions, rules, threads=1, **outputs)
    for wrong in (outputs[name][:1], outputs[name].astype(np.int64), None):
        with pytest.raises(ValueError, match=r"steps|outcome"):
            _native.simulate(
                scenes.handle, index, actions, rules, threads=1, **{**outputs, name: wrong}
            )


def test_an_attempt_crosses_into_the_engine_once(monkeypatch: pytest.MonkeyPatch) -> None:
    simulator = Simulator("00002")
    expected = simulator.balls("00002:017", [0.4, 0.8, 0.3])[0]
    calls: list[str] = []

    def counted(name: str) -> Callable[..., Any]:
        call = getattr(_native, name)

        def wrapper(*args: Any, **options: Any) -> Any:
            calls.append(name)
            return call(*args, **options)

        return wrapper

    functions = ("simulate", "map_actions", "valid_actions", "observe")
    for name in functions:
        monkeypatch.setattr(_native, name, counted(name))
    result = simulator.attempt("00002:017", [0.4, 0.8, 0.3], images=True, objects=True)
    assert calls == ["simulate"]
    np.testing.assert_array_equal(result.balls, expected)


KEPT = """
import threading
from topple import Simulator, World, load_task
from topple.iphyre import Episode, game_named
simulator = Simulator("00002")
simulator.attempt("00002:017", [0.4, 0.8, 0.3])
world = World(load_task("00002:017").scene)
episode = Episode(game_named("support"))
started = threading.Event()
def hold(scenes):
    started.set()
    threading.Event().wait()
threading.Thread(target=hold, args=(simulator.scenes,), daemon=True).start()
started.wait()
"""


def test_objects_kept_until_exit_are_not_reported_as_leaks() -> None:
    done = subprocess.run(
        [sys.executable, "-c", KEPT], capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stderr == ""
