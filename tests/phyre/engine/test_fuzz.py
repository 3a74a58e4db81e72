"""Random scenes and actions: nothing crashes, and nothing depends on how it is computed."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from support.small_scenes import walls
from topple.phyre.engine.native import SceneSet, map_actions, simulate_batch
from topple.phyre.engine.request import Request
from topple.phyre.engine.result import BatchResult, Outcome
from topple.phyre.scene import Body, Circle, Color, Goal, Kind, Polygon, Scene, SceneError

STEPS = 240
WATCHED = Request(
    max_steps=STEPS, stride=40, objects=True, states=True, final_state=True, max_contacts=6000
)
OUTCOMES = Request(max_steps=STEPS)


def numbers(low: float, high: float) -> st.SearchStrategy[float]:
    return st.floats(low, high, allow_nan=False)


@st.composite
def polygons(draw: st.DrawFn) -> Polygon:
    """Corners on an ellipse in order are strictly convex, if they are far enough apart."""
    count = draw(st.integers(3, 8))
    width, height = draw(numbers(3, 60)), draw(numbers(3, 60))
    turn = draw(numbers(0, 6.25))
    shares = [draw(numbers(0, 0.5)) for _ in range(count)]
    angles = [turn + 2 * math.pi * (i + share) / count for i, share in enumerate(shares)]
    return Polygon(tuple((width * math.cos(a), height * math.sin(a)) for a in angles))


shapes = st.one_of(st.builds(Circle, numbers(1, 40)), polygons())


@st.composite
def bodies(draw: st.DrawFn) -> Body:
    moves = draw(st.booleans())
    return Body(
        shapes=tuple(draw(st.lists(shapes, min_size=1, max_size=3))),
        dynamic=moves,
        position=(draw(numbers(0, 256)), draw(numbers(0, 256))),
        angle=draw(numbers(-10, 10)),
        color=draw(st.sampled_from(Color)),
        kind=draw(st.sampled_from((Kind.UNDEFINED, Kind.BALL, Kind.BAR))),
        velocity=(draw(numbers(-150, 150)), draw(numbers(-150, 150))),
        angular_velocity=draw(numbers(-60, 60)),
    )


@st.composite
def scenes(draw: st.DrawFn) -> Scene:
    fixed = walls() if draw(st.booleans()) else ()
    free = tuple(draw(st.lists(bodies(), min_size=2, max_size=7)))
    first, second = len(fixed), len(fixed) + 1
    goal = Goal(first, second, draw(st.integers(1, 60)))
    has_goal = free[0].dynamic or free[1].dynamic
    return Scene((*fixed, *free), goal if has_goal else None)


actions = st.lists(
    st.tuples(*[st.one_of(numbers(0, 1), numbers(-0.1, 1.1))] * 3), min_size=4, max_size=4
)


def packed(drawn: list[Scene]) -> SceneSet | None:
    """None where the ellipse was too flat for strict convexity in float32."""
    try:
        return SceneSet(drawn)
    except SceneError:
        return None


def same_bytes(a: BatchResult, b: BatchResult) -> bool:
    pairs = zip(a.arrays().values(), b.arrays().values(), strict=True)
    return all(x.tobytes() == y.tobytes() for x, y in pairs)


def check_batch(drawn: list[Scene], rows: list[tuple[float, ...]]) -> None:
    ready = packed(drawn)
    if ready is None:
        return
    index = np.arange(len(rows)) % len(drawn)
    once = simulate_batch(ready, index, rows, WATCHED, threads=1)

    # Shortcuts leave out work, not bits.
    full = simulate_batch(ready, index, rows, replace(WATCHED, shortcuts=False), threads=1)
    assert same_bytes(once, full)
    unwatched = simulate_batch(ready, index, rows, OUTCOMES, threads=1)
    assert unwatched.outcome.tobytes() == once.outcome.tobytes()
    assert unwatched.steps.tobytes() == once.steps.tobytes()

    # Neither threads nor order matter.
    for threads in (2, 4):
        assert same_bytes(once, simulate_batch(ready, index, rows, WATCHED, threads=threads))
    order = np.random.default_rng(len(rows)).permutation(len(rows))
    shuffled = simulate_batch(ready, index[order], np.array(rows)[order], WATCHED, threads=2)
    for a, b in zip(once.arrays().values(), shuffled.arrays().values(), strict=True):
        assert a[order].tobytes() == b.tobytes()

    # An outcome is invalid exactly if the action does not map.
    valid, balls = map_actions(ready, index, rows)
    np.testing.assert_array_equal(valid, once.outcome != 0)
    assert (balls[~valid] == 0).all()
    assert (once.steps[~valid] == 0).all()

    for array in (once.states, once.final_state):
        assert array is not None
        assert np.isfinite(array).all()


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(drawn=st.lists(scenes(), min_size=1, max_size=2), rows=actions)
def test_random_batches(drawn: list[Scene], rows: list[tuple[float, ...]]) -> None:
    check_batch(drawn, rows)


@pytest.mark.slow
@settings(max_examples=3000, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(drawn=st.lists(scenes(), min_size=1, max_size=2), rows=actions)
def test_many_random_batches(drawn: list[Scene], rows: list[tuple[float, ...]]) -> None:
    check_batch(drawn, rows)


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
@given(
    vertices=st.lists(
        st.tuples(*[st.floats(allow_nan=True, allow_infinity=True)] * 2), min_size=0, max_size=12
    ),
    position=st.tuples(*[st.floats()] * 2),
    radius=st.floats(),
)
def test_any_numbers_simulate_or_raise(
    vertices: list[tuple[float, float]], position: tuple[float, float], radius: float
) -> None:
    scene = Scene(
        (
            *walls(),
            Body((Polygon(tuple(vertices)),), True, position),
            Body((Circle(radius),), True, (100.0, 100.0)),
        )
    )
    ready = packed([scene])
    if ready is not None:
        simulate_batch(ready, [0], np.zeros((1, 0)), replace(WATCHED, images=True))
