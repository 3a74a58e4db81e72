"""Random scenes and actions: nothing crashes, and nothing depends on how it is computed."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from support.small_scenes import walls
from topple.phyre.engine.native import SceneSet, simulate_batch
from topple.phyre.engine.request import Request
from topple.phyre.engine.result import Outcome
from topple.phyre.scene import Body, Circle, Color, Polygon, Scene
from torture.scenes import actions, any_bodies, check_any_bodies, check_batch, scenes


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(drawn=st.lists(scenes(), min_size=1, max_size=2), rows=actions)
def test_random_batches(drawn: list[Scene], rows: list[tuple[float, ...]]) -> None:
    assert check_batch(drawn, rows) == 0


def test_a_jam_that_outgrows_float32_does_no_harm() -> None:
    """Warm starting lets the impulses on a body that cannot get out grow without end."""
    bar = Polygon(
        (
            (-52.44, -0.71),
            (-27.01, -7.65),
            (14.52, -8.57),
            (52.4, -0.79),
            (38.22, 6.13),
            (-27.68, 7.59),
        )
    )
    keel = Polygon(((-11.43, -2.05), (-7.09, -18.71), (7.03, -18.81), (8.8, 15.28), (-2.33, 23.31)))
    rock = Polygon(
        (
            (-52.81, -14.95),
            (-2.35, -34.06),
            (40.86, -24.5),
            (58.73, -1.13),
            (43.38, 22.99),
            (-23.08, 31.35),
            (-57.88, 5.87),
        )
    )
    jammed = Body(
        (bar, keel),
        True,
        (21.66, 84.29),
        6.96,
        Color.RED,
        velocity=(61.48, -61.26),
        angular_velocity=20.69,
    )
    floor, left_wall, *_ = walls()
    scene = Scene(
        (
            floor,
            left_wall,
            jammed,
            Body((Circle(55.11),), False, (59.88, 100.38), -2.44, Color.BLACK),
            Body((rock,), False, (28.66, 131.19), 1.19, Color.BLACK),
        )
    )
    request = Request(
        stride=20, images=True, objects=True, states=True, final_state=True, max_contacts=6000
    )
    ready, nothing = SceneSet([scene] * 3), np.zeros((3, 0))
    results = [
        simulate_batch(ready, [0, 1, 2], nothing, replace(request, shortcuts=shortcuts), threads=n)
        for shortcuts, n in ((True, 1), (True, 2), (False, 1))
    ]
    final = results[0].final_state
    assert final is not None
    assert np.isnan(final[:, 2]).all()
    assert np.isfinite(np.delete(final, 2, axis=1)).all()
    assert (results[0].outcome == Outcome.NOT_SOLVED).all()
    images = results[0].images
    assert images is not None
    assert (images[:, 0] == Color.RED).any()
    assert not (images[:, -1] == Color.RED).any()
    for other in results[1:]:
        for a, b in zip(results[0].arrays().values(), other.arrays().values(), strict=True):
            if a.dtype.names is None:
                np.testing.assert_array_equal(a, b)


@settings(max_examples=40, deadline=None)
@given(drawn=any_bodies)
def test_any_numbers_simulate_or_raise(drawn: Any) -> None:
    check_any_bodies(*drawn)
