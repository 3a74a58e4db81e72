"""Bad input gives an error that names the place and the rule, and never a crash."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import numpy.typing as npt
import pytest

from support.small_scenes import ball, box, walled
from topple._native import phyre as _native
from topple.edits import ApplyImpulse, MoveBody, RemoveBody, SetVelocity
from topple.phyre.engine.edits import pack_edits
from topple.phyre.engine.native import (
    SceneSet,
    Simulation,
    map_actions,
    observe_scenes,
    rotations,
    simulate_batch,
)
from topple.phyre.engine.request import Request
from topple.phyre.scene import Body, Circle, Goal, Kind, Polygon, Scene, SceneError, Vec

NAN, INF = math.nan, math.inf
STAR: tuple[Vec, ...] = ((10, 0), (-8, 6), (3, -9.5), (3, 9.5), (-8, -6))
NINE: tuple[Vec, ...] = tuple((10 * math.cos(0.7 * i), 10 * math.sin(0.7 * i)) for i in range(9))


def polygon_body(*vertices: Vec) -> Body:
    return Body((Polygon(vertices),), True, (100.0, 100.0))


BAD_BODIES = {
    "nan position": (ball(NAN, 100), "finite"),
    "infinite position": (ball(100, INF), "finite"),
    "position too large for float32": (ball(1e300, 100), "finite"),
    "far position": (ball(5000, 100), "within 128 metres"),
    "nan angle": (ball(100, 100)._replace(angle=NAN), "finite"),
    "nan velocity": (ball(100, 100)._replace(velocity=(NAN, 0.0)), "finite"),
    "fast": (ball(100, 100)._replace(velocity=(1e9, 0.0)), "within"),
    "nan radius": (ball(100, 100, NAN)._replace(diameter=1.0), "finite"),
    "no radius": (ball(100, 100, 0.0), "positive radius"),
    "negative radius": (ball(100, 100, -3.0), "positive radius"),
    "tiny radius": (ball(100, 100, 1e-4), "needs a mass"),
    "nan vertex": (polygon_body((0, 0), (NAN, 0), (0, 9)), "finite"),
    "infinite vertex": (polygon_body((0, 0), (INF, 0), (0, 9)), "finite"),
    "two vertices": (polygon_body((0, 0), (9, 0)), "at least 3 vertices, this one has 2"),
    "nine vertices": (polygon_body(*NINE), "at most 8 vertices"),
    "one place": (polygon_body((0, 0), (1e-4, 0), (0, 1e-4)), "3 distinct vertices"),
    "no area": (polygon_body((0, 0), (5, 0), (10, 0)), "clockwise"),
    "clockwise": (polygon_body((0, 0), (0, 9), (9, 9), (9, 0)), "counter-clockwise"),
    "dented": (polygon_body((0, 0), (9, 0), (3, 3), (0, 9)), "strictly convex"),
    "straight corner": (polygon_body((0, 0), (5, 0), (9, 0), (0, 9)), "strictly convex"),
    "star": (polygon_body(*STAR), "strictly convex"),
    "far from its origin": (
        polygon_body((700, 700), (701, 700), (701, 701), (700, 701)),
        "needs a mass",
    ),
    "no shape": (Body((), True, (100.0, 100.0)), "at least one shape"),
    "jar without a diameter": (ball(100, 100)._replace(kind=Kind.JAR, diameter=0.0), "diameter"),
    "nan diameter": (ball(100, 100)._replace(diameter=NAN), "diameter"),
}


@pytest.mark.parametrize("case", BAD_BODIES)
def test_a_bad_body_is_named_with_its_scene_and_rule(case: str) -> None:
    body, rule = BAD_BODIES[case]
    good = walled(ball(50, 50))
    with pytest.raises(SceneError, match=f"puzzle, body 5: .*{rule}"):
        SceneSet([good, walled(ball(50, 50), body, name="puzzle")])


def test_scenes_without_a_name_are_named_by_their_place() -> None:
    with pytest.raises(SceneError, match="scene 1, body 4"):
        SceneSet([walled(), walled(ball(NAN, 1))])


BAD_GOALS = [
    Goal(-1, 0),
    Goal(4, 9),
    Goal(4, -2),
    Goal(4, 4),
    Goal(0, 1),
    Goal(4, 0, 0),
    Goal(4, 0, 2**40),
]


@pytest.mark.parametrize("goal", BAD_GOALS)
def test_a_bad_goal_is_refused(goal: Goal) -> None:
    with pytest.raises(SceneError, match="puzzle, goal"):
        SceneSet([walled(ball(50, 50), goal=goal, name="puzzle")])


def test_scenes_have_the_size_of_the_benchmark() -> None:
    with pytest.raises(SceneError, match=r"puzzle is 600\.0 x 256\.0"):
        SceneSet([walled(name="puzzle")._replace(width=600.0)])


def test_the_capacities_are_exact() -> None:
    bodies = tuple(Body((Circle(5.0),), False, (100.0, 100.0)) for _ in range(200))
    SceneSet([Scene(bodies[: _native.MAX_BODIES])])
    with pytest.raises(SceneError, match=f"at most {_native.MAX_BODIES} bodies"):
        SceneSet([Scene(bodies[: _native.MAX_BODIES + 1])])
    shapes = tuple(Circle(5.0) for _ in range(_native.MAX_FIXTURES + 1))
    SceneSet([Scene((Body(shapes[1:], False, (100.0, 100.0)),))])
    with pytest.raises(SceneError, match=f"at most {_native.MAX_FIXTURES} shapes"):
        SceneSet([Scene((Body(shapes, False, (100.0, 100.0)),))])


def test_a_scene_that_outgrows_the_contacts_is_named() -> None:
    crowd = tuple(ball(128, 128, 30) for _ in range(60))
    scenes = SceneSet([walled(), walled(*crowd, name="crowd")])
    with pytest.raises(SceneError, match="crowd: more than"):
        simulate_batch(scenes, [0, 1], np.zeros((2, 0)))
    with pytest.raises(ValueError, match="out of contacts"):
        Simulation(scenes, 1).step()


@pytest.fixture(scope="module")
def scenes() -> SceneSet:
    return SceneSet([walled(ball(100, 10), goal=Goal(4, 0))])


BAD_BATCHES: dict[str, tuple[object, object, str]] = {
    "index too large": ([1], [[0.5] * 3], "scene_index has 1; there are 1 scenes"),
    "negative index": ([-1], [[0.5] * 3], "scene_index has -1"),
    "huge index": ([2**40], [[0.5] * 3], "scene_index has 1099511627776"),
    "float index": ([0.0], [[0.5] * 3], "float64"),
    "matrix of indices": ([[0]], [[0.5] * 3], r"shape \(1, 1\)"),
    "four numbers": ([0], [[0.5] * 4], r"shape \(1, 4\)"),
    "three balls": ([0], [[0.5] * 9], r"shape \(1, 9\)"),
    "vector of actions": ([0], [0.5] * 3, r"shape \(3,\)"),
    "too few actions": ([0, 0], [[0.5] * 3], "1 actions for 2 scene indices"),
    "nan action": ([0, 0], [[0.5] * 3, [0.5, NAN, 0.5]], "action 1 is .*nan"),
    "infinite action": ([0], [[INF, 0.5, 0.5]], "action 0 is .*inf"),
    "words": ([0], [["a", "b", "c"]], "could not convert"),
}


@pytest.mark.parametrize("case", BAD_BATCHES)
def test_a_bad_batch_is_refused_with_the_bad_value(scenes: SceneSet, case: str) -> None:
    index, actions, message = BAD_BATCHES[case]
    calls: tuple[Callable[..., object], ...] = (simulate_batch, map_actions)
    for call in calls:
        with pytest.raises(ValueError, match=message):
            call(scenes, index, actions)


@pytest.mark.parametrize("threads", [0, -1, 1.5])
def test_threads_are_counted(scenes: SceneSet, threads: float) -> None:
    with pytest.raises(ValueError, match=f"threads is {threads}"):
        simulate_batch(scenes, [0], [[0.5] * 3], threads=threads)  # type: ignore[arg-type]


def test_too_many_threads_are_no_harm(scenes: SceneSet) -> None:
    count = 3000
    result = simulate_batch(scenes, [0] * count, [[0.9, 0.9, 0.9]] * count, threads=10**6)
    assert (result.outcome == 0).all()


@pytest.mark.parametrize("field", ["max_steps", "stride", "max_contacts"])
@pytest.mark.parametrize("value", [-1, 2**40, 1.5, NAN, None])
def test_a_request_counts_in_whole_numbers(field: str, value: object) -> None:
    with pytest.raises(ValueError, match=f"{field} is {value}"):
        Request(**{field: value})  # type: ignore[arg-type]


def test_zero_is_refused_where_it_has_no_meaning() -> None:
    for field in ("max_steps", "stride"):
        with pytest.raises(ValueError, match=f"{field} is 0"):
            Request(**{field: 0})  # type: ignore[arg-type]


def test_a_request_for_all_the_memory_is_refused(scenes: SceneSet) -> None:
    with pytest.raises(ValueError, match=r"would take .* GiB"):
        simulate_batch(scenes, [0] * 1000, [[0.5] * 3] * 1000, Request(stride=1, images=True))


BAD_BALLS: dict[str, tuple[npt.ArrayLike, str]] = {
    "nan": ([[NAN, 1.0, 1.0]], "ball 0 is .*nan"),
    "far": ([[50.0, 50.0, 5.0], [1e9, 1.0, 1.0]], "ball 1 is"),
    "no radius": ([[50, 50, 0]], "ball 0 is"),
    "three of them": ([[50, 50, 5]] * 3, r"shape \(3, 3\)"),
    "a vector": ([50, 50, 5], r"shape \(3,\)"),
}


@pytest.mark.parametrize("case", BAD_BALLS)
def test_bad_balls_are_refused(scenes: SceneSet, case: str) -> None:
    balls, message = BAD_BALLS[case]
    with pytest.raises(ValueError, match=message):
        Simulation(scenes, 0, balls)
    with pytest.raises(ValueError, match=message):
        observe_scenes(scenes, [0], balls)


def test_outputs_of_a_wrong_kind_are_refused_not_copied(scenes: SceneSet) -> None:
    with pytest.raises(ValueError, match="a place per scene"):
        observe_scenes(scenes, [0], images=np.zeros((2, 256, 256), np.uint8))
    with pytest.raises(TypeError):
        observe_scenes(scenes, [0], images=np.zeros((1, 256, 256), np.int32))
    with pytest.raises(TypeError):
        observe_scenes(scenes, [0], images=np.zeros((1, 512, 512), np.uint8)[:, ::2, ::2])
    with pytest.raises(ValueError, match="objects"):
        observe_scenes(scenes, [0], objects=np.zeros((1, 0, 14), np.float32))


@pytest.mark.parametrize("angles", [[1e9], [NAN], [INF], [[0.0]]])
def test_angles_are_a_vector_of_small_numbers(angles: object) -> None:
    with pytest.raises(ValueError, match="an angle is"):
        rotations(np.array(angles, np.float32))


@pytest.mark.parametrize(
    "edit",
    [
        MoveBody(4, (1e9, 0.0), 0.0),
        MoveBody(4, (0.0, 0.0), 1e9),
        SetVelocity(4, (NAN, 0.0)),
        SetVelocity(4, (0.0, 1e30)),
        ApplyImpulse(4, (INF, 0.0), (0.0, 0.0)),
        RemoveBody(99),
    ],
)
def test_bad_edits_are_named_with_their_branch(
    edit: MoveBody | SetVelocity | ApplyImpulse | RemoveBody,
) -> None:
    scene = walled(ball(50, 50))
    with pytest.raises(ValueError, match=f"branch 1, {type(edit).__name__}"):
        pack_edits([[], [edit]], scene.bodies)


def test_an_empty_batch_and_an_empty_scene_are_fine() -> None:
    scenes = SceneSet([Scene(())])
    assert len(simulate_batch(scenes, [], np.zeros((0, 3)))) == 0
    assert simulate_batch(scenes, [0], np.zeros((1, 0))).outcome.tolist() == [-1]
    assert len(SceneSet([])) == 0


def test_a_box_is_no_bad_input() -> None:
    SceneSet([walled(Body((box(10, 10),), True, (100.0, 100.0)))])
