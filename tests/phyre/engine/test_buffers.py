"""Results lie where they are cheap to write, or where the caller wants them."""

from __future__ import annotations

from dataclasses import fields, replace

import numpy as np
import numpy.typing as npt
import pytest

from support.narrowing import not_none
from topple.phyre import Tier, load_task, template_task_ids
from topple.phyre.action import discrete_actions
from topple.phyre.engine.native import SceneSet, simulate_batch
from topple.phyre.engine.request import Request
from topple.phyre.engine.result import BatchResult

EVERYTHING = Request(images=True, objects=True, states=True, final_state=True, max_contacts=50)
ATTEMPTS = 20
OBSERVATIONS = ("images", "objects", "states")


@pytest.fixture(scope="module")
def scenes() -> SceneSet:
    return SceneSet(
        [load_task(template_task_ids(Tier.BALL.template_ids[k])[0]).scene for k in (0, 9)]
    )


def simulate(scenes: SceneSet, request: Request, out: BatchResult | None = None) -> BatchResult:
    index = np.repeat(np.arange(len(scenes)), ATTEMPTS // len(scenes))
    return simulate_batch(scenes, index, discrete_actions(Tier.BALL, ATTEMPTS, 1), request, out=out)


def test_fresh_arrays_start_with_a_cache_line(scenes: SceneSet) -> None:
    result = simulate(scenes, EVERYTHING)
    for field in fields(result):
        array = getattr(result, field.name)
        assert array.ctypes.data % 64 == 0, field.name
        assert array.flags.c_contiguous
        assert array.flags.aligned


@pytest.mark.parametrize("shift", [1, 16, 32, 48])
def test_pictures_go_wherever_the_caller_wants_them(scenes: SceneSet, shift: int) -> None:
    request = Request(images=True)
    wanted = simulate(scenes, request)
    images = not_none(wanted.images)
    memory: npt.NDArray[np.uint8] = np.full(images.size + 128, 255, np.uint8)
    start = -memory.ctypes.data % 64 + shift
    part = memory[start : start + images.size]
    part[:] = 0
    result = simulate(scenes, request, replace(wanted, images=part.reshape(images.shape)))
    assert np.shares_memory(not_none(result.images), memory)
    np.testing.assert_array_equal(not_none(result.images), images)
    assert (memory[:start] == 255).all()
    assert (memory[start + part.size :] == 255).all()


@pytest.mark.parametrize("stride", [1, 7, 60, 999, 1000])
def test_frames_of_a_world_at_rest_are_those_of_the_steps_left_out(
    scenes: SceneSet, stride: int
) -> None:
    request = replace(EVERYTHING, images=stride >= 60, stride=stride, max_contacts=0)
    short = simulate(scenes, request)
    full = simulate(scenes, replace(request, shortcuts=False))
    if stride <= 60:  # some do come to rest
        states = not_none(short.states)
        at_rest = (states[:, -1] == states[:, -2]).all(axis=(1, 2))
        assert (at_rest & (short.frame_count == request.frames)).any()
    np.testing.assert_array_equal(short.frame_count, full.frame_count)
    for name in OBSERVATIONS:
        if getattr(request, name):
            np.testing.assert_array_equal(getattr(short, name), getattr(full, name))
