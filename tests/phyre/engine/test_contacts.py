"""Contact events: what they say about simple situations whose physics is known."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt
import pytest

from support.small_scenes import ball, box, walled
from topple.phyre.engine.native import SceneSet, simulate_batch
from topple.phyre.engine.request import PIXELS_PER_METRE, Request
from topple.phyre.scene import Body, Scene

GRAVITY, DENSITY, STEP = 9.8, 0.25, 1 / 60
FLOOR, FIRST = 0, 4  # bodies of a walled scene


def events(scene: Scene, steps: int, room: int = 5000) -> npt.NDArray[np.void]:
    request = Request(max_steps=steps, max_contacts=room)
    return simulate_batch(SceneSet([scene]), [0], np.zeros((1, 0)), request).contacts_of(0)


def weight_impulse(area: float) -> float:
    """What gravity gives a body of this area, in square pixels, in one step."""
    return DENSITY * area / PIXELS_PER_METRE**2 * GRAVITY * STEP


def test_a_resting_ball_is_carried_by_the_floor() -> None:
    found = events(walled(ball(100, 10)), 25)
    late = found[found["step"] >= 15]
    assert len(late) == 10
    np.testing.assert_allclose(late["normal_impulse"], weight_impulse(math.pi * 100), rtol=1e-3)
    np.testing.assert_allclose(late["tangent_impulse"], 0, atol=1e-6)
    np.testing.assert_allclose(late["x"], 100, atol=1e-3)
    np.testing.assert_allclose(late["y"], 0, atol=0.1)
    assert {(e["body_a"], e["body_b"]) for e in late} == {(FLOOR, FIRST)}


def test_a_resting_box_is_carried_by_two_points() -> None:
    found = events(walled(Body((box(20, 10),), True, (100.0, 10.0))), 25)
    late = found[found["step"] >= 15]
    assert len(late) == 20
    for step in range(15, 25):
        pair = late[late["step"] == step]
        assert pair["normal_impulse"].sum() == pytest.approx(weight_impulse(40 * 20), rel=1e-3)
        assert sorted(pair["x"]) == pytest.approx([80, 120], abs=0.1)


def test_the_floor_carries_a_stack() -> None:
    stack = walled(*(Body((box(10, 10),), True, (100.0, 10.0 + 20 * i)) for i in range(3)))
    found = events(stack, 30)
    last = found[found["step"] == 25]
    area = 400
    for below in range(3):
        lower = FLOOR if below == 0 else FIRST + below - 1
        pair = last[(last["body_a"] == lower) & (last["body_b"] == FIRST + below)]
        total = pair["normal_impulse"].sum()
        assert total == pytest.approx(weight_impulse(area * (3 - below)), rel=0.05)


def test_a_bounce_begins_anew_and_a_rest_does_not() -> None:
    found = events(walled(ball(100, 120)), 400)
    begins = found[found["begins"] == 1]
    assert len(begins) >= 2, "the ball bounces at least once"
    assert found["begins"][0] == 1
    # A begin follows a step without a touch, everything else a step with one.
    touched = set(found["step"].tolist())
    for event in found:
        assert (event["step"] - 1 in touched) != bool(event["begins"])


def test_friction_stays_within_its_cone() -> None:
    slide = Body((box(10, 10),), True, (60.0, 10.0), velocity=(20.0, 0.0))
    found = events(walled(slide), 200)
    assert (np.abs(found["tangent_impulse"]) <= 0.5 * found["normal_impulse"] + 1e-5).all()
    assert (np.abs(found["tangent_impulse"]) > 0.01).any()


def test_events_come_in_the_order_of_steps_and_pairs() -> None:
    found = events(walled(*(ball(40 + 19.9 * i, 10) for i in range(5))), 30)
    assert (np.diff(found["step"]) >= 0).all()
    for step in np.unique(found["step"]):
        now = found[found["step"] == step]
        assert len(set(zip(now["body_a"].tolist(), now["body_b"].tolist(), strict=True))) == len(
            now
        )


def test_sleeping_bodies_have_no_events() -> None:
    found = events(walled(ball(100, 10)), 900)
    assert found["step"].max() < 200


def test_events_beyond_the_room_are_an_error_that_says_how_many() -> None:
    scene = walled(ball(100, 10))
    count = len(events(scene, 25))
    assert len(events(scene, 25, room=count)) == count
    with pytest.raises(ValueError, match=f"attempt 0 has {count} contact events.*at least {count}"):
        events(scene, 25, room=count - 1)


def test_events_have_to_be_asked_for() -> None:
    result = simulate_batch(SceneSet([walled()]), [0], np.zeros((1, 0)))
    with pytest.raises(ValueError, match="max_contacts"):
        result.contacts_of(0)
