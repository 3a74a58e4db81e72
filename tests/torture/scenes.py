"""Random PHYRE scenes and actions: nothing crashes, nothing depends on how it is computed."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt
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
    """Whether two results of the same attempts are equal; not-a-numbers are, too."""
    return same_rows(a, b, np.arange(len(a.outcome)))


def same_rows(a: BatchResult, b: BatchResult, order: npt.NDArray[np.int64]) -> bool:
    """Whether the second result has the rows of the first one in another order."""
    pairs = zip(a.arrays().values(), b.arrays().values(), strict=True)
    return all(x[order].tobytes() == y.tobytes() or _equal(x[order], y) for x, y in pairs)


def _equal(a: npt.NDArray[Any], b: npt.NDArray[Any]) -> bool:
    if a.dtype.names is not None:
        return all(_equal(a[name], b[name]) for name in a.dtype.names)
    return a.dtype.kind == "f" and np.array_equal(a, b, equal_nan=True)


def check_batch(drawn: list[Scene], rows: list[tuple[float, ...]]) -> int:
    """Check that nothing matters but scenes and actions.

    Returns:
        How many attempts end with a body that is jammed so hard that it outgrows float32.
    """
    ready = packed(drawn)
    if ready is None:
        return 0
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
    assert same_rows(once, shuffled, order)

    # An outcome is invalid exactly if the action does not map.
    valid, balls = map_actions(ready, index, rows)
    np.testing.assert_array_equal(valid, once.outcome != 0)
    assert (balls[~valid] == 0).all()
    assert (once.steps[~valid] == 0).all()

    assert once.final_state is not None
    outgrown = ~np.isfinite(once.final_state).all(axis=(1, 2))
    assert not (outgrown & (once.outcome == Outcome.SOLVED)).any()
    return int(outgrown.sum())


any_number = st.floats(allow_nan=True, allow_infinity=True)
any_bodies = st.tuples(
    st.lists(st.tuples(any_number, any_number), min_size=0, max_size=12),
    st.tuples(any_number, any_number),
    any_number,
)


def check_any_bodies(
    vertices: list[tuple[float, float]], position: tuple[float, float], radius: float
) -> None:
    """A scene with any numbers at all is simulated or refused."""
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
