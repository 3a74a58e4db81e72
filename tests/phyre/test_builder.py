from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from topple.phyre import BodyDraft, H, SceneBuilder, TemplateError, W
from topple.phyre.scene import Circle, Color, exact_math

COORDINATE = st.floats(-500, 500)
DEGREES = st.floats(-400, 400)
SCALE = st.floats(0.02, 1.0)
SHAPE = st.sampled_from(["ball", "bar", "jar", "standing_sticks"])


def builder() -> SceneBuilder:
    return SceneBuilder("test", {"x": 1})


def draft(shape: str, scale: float) -> BodyDraft:
    body = getattr(builder().dynamic, shape)(scale)
    assert isinstance(body, BodyDraft)
    return body


def naive_box(body: BodyDraft) -> tuple[float, float, float, float]:
    """The box as PHYRE defines it, corner by corner."""
    frozen = body.freeze(Color.GRAY)
    (px, py), (sine, cosine) = frozen.position, exact_math.sin_cos(frozen.angle)
    xs: list[float] = []
    ys: list[float] = []
    for shape in frozen.shapes:
        if isinstance(shape, Circle):
            xs += [shape.radius + px, -shape.radius + px]
            ys += [shape.radius + py, -shape.radius + py]
        else:
            xs += [(x * cosine - y * sine) + px for x, y in shape.vertices]
            ys += [(x * sine + y * cosine) + py for x, y in shape.vertices]
    return min(xs), max(xs), min(ys), max(ys)


@given(SHAPE, SCALE, DEGREES, COORDINATE, COORDINATE)
def test_box_is_the_box_of_the_corners(
    shape: str, scale: float, degrees: float, x: float, y: float
) -> None:
    body = draft(shape, scale).place(angle=degrees, left=x, top=y)
    assert (body.left, body.right, body.bottom, body.top) == naive_box(body)
    assert body.width == body.right - body.left
    assert body.height == body.top - body.bottom


@given(SHAPE, SCALE, DEGREES, COORDINATE, COORDINATE)
def test_placements_put_edges_where_they_say(
    shape: str, scale: float, degrees: float, x: float, y: float
) -> None:
    body = draft(shape, scale).place(angle=degrees)
    for horizontal in ("left", "right", "center_x"):
        for vertical in ("bottom", "top", "center_y"):
            getattr(body, "place")(**{horizontal: x, vertical: y})  # noqa: B009 - names vary
            assert getattr(body, horizontal) == pytest.approx(x, abs=1e-9)
            assert getattr(body, vertical) == pytest.approx(y, abs=1e-9)


@given(SHAPE, SCALE, COORDINATE, COORDINATE, DEGREES)
def test_turning_keeps_the_origin(
    shape: str, scale: float, x: float, y: float, degrees: float
) -> None:
    body = draft(shape, scale).place(left=x, bottom=y)
    before = body.freeze(Color.GRAY).position
    body.place(angle=degrees)
    after = body.freeze(Color.GRAY)
    assert after.position == before
    assert after.angle == degrees / 180 * math.pi


def test_placements_run_as_written() -> None:
    turned_first = draft("bar", 0.5).place(angle=90, bottom=0)
    turned_last = draft("bar", 0.5).place(bottom=0, angle=90)
    assert turned_first.bottom == pytest.approx(0, abs=1e-12)
    assert turned_last.bottom == pytest.approx(2.56 - 64)


@given(SCALE)
def test_balls_are_half_pixels(scale: float) -> None:
    (circle,) = draft("ball", scale).freeze(Color.GRAY).shapes
    assert isinstance(circle, Circle)
    assert circle.radius == int(scale * 128) + 0.5


def test_walls_come_first_and_meet_the_scene() -> None:
    s = builder()
    s.goal(s.dynamic.ball(0.1), s.static.bar(1.0))
    scene, description = s.finish("walls")
    assert [body.position for body in scene.bodies[:4]] == [
        (128.0, -2.5),
        (-2.5, 128.0),
        (128.0, 258.5),
        (258.5, 128.0),
    ]
    assert (s.walls.bottom.top, s.walls.left.right) == (0, 0)
    assert (s.walls.top.bottom, s.walls.right.left) == (H, W)
    assert description == "Make sure the green ball is touching the purple bar."


def test_colors_tell_the_part_of_a_body() -> None:
    s = builder()
    bystander, wall = s.dynamic.jar(0.2), s.static.bar(0.3)
    first, second = s.dynamic.ball(0.1), s.dynamic.bar(0.1)
    s.goal(first, second)
    scene, _ = s.finish("colours")
    bodies = [scene.bodies[body.index].color for body in (bystander, wall, first, second)]
    assert bodies == [Color.GRAY, Color.BLACK, Color.GREEN, Color.BLUE]


@pytest.mark.parametrize(
    ("make", "rule"),
    [
        (lambda s: s.dynamic.ball(1.5), r"body 4 \(dynamic ball\): scale .* from 0 to 1, not 1.5"),
        (lambda s: s.static.jar(-0.1), r"body 4 \(static jar\): scale .* not -0.1"),
        (lambda s: s.static.bar("0.2"), r"body 4 \(static bar\): scale is a number"),
        (lambda s: s.static.bar(math.inf), r"\(static bar\): scale is a number"),
        (lambda s: s.static.bar(0.0), r"\(static bar\): .*strictly convex"),
        (lambda s: s.static.jar(0.001), r"\(static jar\): scale"),
        (lambda s: s.static.box(-3, 2), r"\(static box\): the corners .* run clockwise"),
        (lambda s: s.static.box(0, 2), r"\(static box\): .*strictly convex"),
        (lambda s: s.dynamic.polygon([(0, 0), (0, 9), (9, 0)]), r"polygon\): .*clockwise"),
        (lambda s: s.dynamic.polygon([(0, 0), (9, 0), (2, 2), (0, 9)]), "strictly convex"),
        (lambda s: s.dynamic.polygon([(0, 0), (9, 0)]), "3 to 8 corners, this one has 2"),
        (lambda s: s.dynamic.ball(0.1, botom=3), "no placement 'botom', did you mean 'bottom'"),
        (lambda s: s.dynamic.ball(0.1, up=3), "no placement 'up', use angle, left"),
        (lambda s: s.dynamic.ball(0.1, left="3"), r"ball\): left is a finite number, not '3'"),
        (lambda s: s.dynamic.ball(0.1, left=math.nan), "left is a finite number, not nan"),
        (lambda s: s.goal(s.dynamic.ball(0.1), s.walls.left), "body 1 .*: a wall cannot be a goal"),
        (lambda s: s.goal(s.static.ball(0.1), s.static.bar(1)), "both goal bodies are static"),
        (lambda s: s.goal(s.dynamic.ball(0.1), 5), "two bodies, not of 5"),
        (lambda s: s.goal(*[s.dynamic.ball(0.1)] * 2), "two different bodies"),
        (lambda s: s.goal(s.dynamic.ball(0.1), draft("ball", 0.1)), "belongs to another scene"),
        (lambda s: s.walls.top.place(left=3), r"body 2 \(static box\): walls stay where they are"),
        (lambda s: s.finish("x"), "no goal was declared"),
    ],
)
def test_errors_name_template_body_and_rule(make: object, rule: str) -> None:
    assert callable(make)
    with pytest.raises(TemplateError, match=rule) as caught:
        make(builder())
    assert str(caught.value).startswith("template test (x=1)")


def test_a_scene_has_one_goal() -> None:
    s = builder()
    ball, bar = s.dynamic.ball(0.1), s.static.bar(0.1)
    s.goal(ball, bar)
    with pytest.raises(TemplateError, match="one goal"):
        s.goal(ball, bar)


def test_a_polygon_starts_where_it_is_drawn() -> None:
    s = builder()
    wedge = s.static.polygon([(10, 0), (40, 0), (10, 30)])
    assert (wedge.left, wedge.right, wedge.bottom, wedge.top) == (10, 40, 0, 30)
    assert wedge.freeze(Color.BLACK).position == (20, 10)
    assert wedge.place(left=0).right == 30
