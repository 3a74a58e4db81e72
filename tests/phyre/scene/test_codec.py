from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from topple.phyre.scene import Body, Circle, Color, Goal, Kind, Polygon, Scene, SceneError
from topple.phyre.scene.check import polygon_fault
from topple.phyre.scene.codec import fingerprint, scene_bytes, scene_from_json, scene_to_json

NUMBER = st.floats(-1e6, 1e6)
VEC = st.tuples(NUMBER, NUMBER)
WEDGE = Polygon(((0.1, 0.2), (3.3, 0.2), (1 / 3, 7.7)))
SHAPE = st.one_of(st.builds(Circle, st.floats(1e-3, 1e3)), st.just(WEDGE))
BODY = st.builds(
    Body,
    shapes=st.lists(SHAPE, min_size=1, max_size=3).map(tuple),
    dynamic=st.just(True),
    position=VEC,
    angle=NUMBER,
    color=st.sampled_from(Color),
    kind=st.sampled_from(Kind),
    diameter=NUMBER,
    velocity=VEC,
    angular_velocity=NUMBER,
)
SCENE = st.builds(
    Scene,
    bodies=st.lists(BODY, min_size=2, max_size=4).map(tuple),
    goal=st.sampled_from([None, Goal(0, 1), Goal(1, 0, 5)]),
    width=st.floats(1, 1e4),
    height=st.floats(1, 1e4),
    name=st.text(),
)


@given(SCENE)
def test_scenes_survive_writing_and_reading(scene: Scene) -> None:
    again = scene_from_json(scene_to_json(scene))
    assert again == scene
    assert scene_bytes(again) == scene_bytes(scene)


@given(SCENE, SCENE)
def test_bytes_tell_scenes_apart(one: Scene, other: Scene) -> None:
    if one._replace(name="") != other._replace(name=""):
        assert scene_bytes(one) != scene_bytes(other)
        assert fingerprint([one]) != fingerprint([other])


def test_bytes_leave_the_name_out() -> None:
    scene = Scene((Body((Circle(1.0),), True, (0.0, 0.0)),))
    assert scene_bytes(scene) == scene_bytes(scene._replace(name="other"))
    assert fingerprint([scene, scene]) != fingerprint([scene])


def plain(**changes: Any) -> dict[str, Any]:
    ball = {"dynamic": True, "position": [1, 2], "shapes": [{"circle": 3}]}
    box = {"dynamic": False, "position": [0, 0], "shapes": [{"polygon": [[1, 0], [0, 1], [-1, 0]]}]}
    return {"name": "toy", "bodies": [ball, box], "goal": {"first": 0, "second": 1}, **changes}


def with_body(**changes: Any) -> dict[str, Any]:
    data = plain()
    data["bodies"][1].update(changes)
    return data


def test_left_out_fields_take_their_defaults() -> None:
    scene = scene_from_json(json.dumps(plain()))
    assert scene.bodies[0] == Body((Circle(3.0),), True, (1.0, 2.0))
    assert scene.goal == Goal(0, 1)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ([], "scene: this is an object"),
        (plain(heigth=3), "scene: there is no field 'heigth', did you mean 'height'"),
        (plain(bodies=4), "scene 'toy', bodies: this is a list"),
        (plain(width="wide"), "scene 'toy', width: this is a finite number"),
        (plain(goal={"first": 0}), "scene 'toy', goal: the field 'second' is missing"),
        (plain(goal={"first": 0, "second": 9}), "goal: there is no body 9, .* bodies 0 to 1"),
        (plain(goal={"first": 0, "second": 0}), "goal: body 0 cannot be brought to itself"),
        (plain(goal={"first": 0, "second": 0.5}), "goal: second is a whole number, not 0.5"),
        (plain(goal={"first": 0, "second": 1, "hold_steps": 0}), "at least one step, not 0"),
        (with_body(colour="red"), "body 1: there is no field 'colour', did you mean 'color'"),
        (with_body(color="pink"), "body 1, color: this is one of white, red, .* not 'pink'"),
        (with_body(dynamic=1), "body 1: dynamic is true or false, not 1"),
        (with_body(position=[1]), "body 1, position: this is a pair of numbers"),
        (with_body(position=[1, True]), "body 1, position: this is a finite number, not True"),
        (with_body(shapes=[]), "body 1: a body has at least one shape"),
        (with_body(shapes=[{}]), "body 1: a shape is either a circle or a polygon"),
        (with_body(shapes=[{"circle": -1}]), "body 1: a radius is positive and finite, not -1"),
        (with_body(shapes=[{"polygon": [[0, 0], [0, 1], [1, 0]]}]), "body 1: .*clockwise"),
    ],
)
def test_errors_name_scene_body_and_rule(data: object, message: str) -> None:
    with pytest.raises(SceneError, match=message):
        scene_from_json(json.dumps(data))


def test_two_static_goal_bodies_are_refused() -> None:
    data = plain()
    data["bodies"][0]["dynamic"] = False
    with pytest.raises(SceneError, match="bodies 0 and 1 are both static"):
        scene_from_json(json.dumps(data))


def test_broken_text_is_refused() -> None:
    with pytest.raises(SceneError, match="scene: this is no JSON"):
        scene_from_json("{")


def test_a_star_is_not_convex() -> None:
    star = [(0.0, 3.0), (-2.0, -3.0), (3.0, 1.0), (-3.0, 1.0), (2.0, -3.0)]
    assert (
        polygon_fault(star) == "a polygon is strictly convex: every corner turns left, once around"
    )
    assert polygon_fault([(0.0, 0.0), (float("inf"), 0.0), (0.0, 1.0)]) is not None


@pytest.mark.parametrize("word", ["[", '{"bodies": '])
def test_deep_text_is_refused(word: str) -> None:
    with pytest.raises(SceneError, match="nested too deeply"):
        scene_from_json(word * 100_000)
