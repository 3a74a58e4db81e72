"""SceneBuilder: the small language PHYRE templates are written in.

Bodies are added one by one and placed by the edges of the box around them::

    shelf = s.static.bar(0.5, left=0, bottom=100)
    ball = s.dynamic.ball(0.1, bottom=shelf.top, center_x=shelf.center_x)
    s.skip_if(ball.top > H)
    s.goal(ball, shelf)

Placements run in the order they are written, each on what the one before has
left. That order matters: ``angle`` turns a body about its origin, so edges
placed before it move, and each placement adds its own rounding.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple, NoReturn

from topple.phyre import shapes
from topple.phyre.draft import (
    WALL_COUNT,
    BodyDraft,
    Context,
    Placement,
    TemplateError,
    Value,
)
from topple.phyre.scene import Color, Goal, Scene, SceneError, Vec
from topple.phyre.scene.jar import SCENE_SIZE
from topple.phyre.shapes import WALL_THICKNESS, Outline

if TYPE_CHECKING:
    from typing_extensions import Unpack

__all__ = ["BodyDraft", "H", "SceneBuilder", "SkippedTuple", "TemplateError", "W"]

W = SCENE_SIZE  # width of the scene in pixels
H = SCENE_SIZE  # height of the scene in pixels, y up


class SkippedTuple(Exception):  # noqa: N818 - a signal, not an error
    """These parameter values make no puzzle and take up no number."""


class Walls(NamedTuple):
    """The walls around every scene, bodies 0 to 3."""

    bottom: BodyDraft
    left: BodyDraft
    top: BodyDraft
    right: BodyDraft


_OUTSIDE = WALL_THICKNESS / 2  # how far a wall's middle lies outside the scene
_WALL_OUTLINES = (
    shapes.box(W, WALL_THICKNESS, (W / 2, -_OUTSIDE)),
    shapes.box(WALL_THICKNESS, H, (-_OUTSIDE, H / 2)),
    shapes.box(W, WALL_THICKNESS, (W / 2, H + _OUTSIDE)),
    shapes.box(WALL_THICKNESS, H, (W + _OUTSIDE, H / 2)),
)


def _walls(context: Context) -> Walls:
    """Four boxes just outside the scene; they meet in the corners and do not overlap."""
    drafts = (
        BodyDraft(context, index, outline, dynamic=False)
        for index, outline in enumerate(_WALL_OUTLINES)
    )
    return Walls(*drafts)


WALL_BODIES = tuple(wall.freeze(Color.BLACK) for wall in _walls(Context("", {})))


class SceneBuilder:
    """A scene in the making: walls first, then bodies in the order they are added."""

    def __init__(self, template: str, parameters: Mapping[str, Value]) -> None:
        self._context = Context(template, parameters)
        self._bodies: list[BodyDraft] = []
        self._goal: tuple[BodyDraft, BodyDraft] | None = None
        self.dynamic = BodyAdder(self._context, self._bodies, dynamic=True)
        self.static = BodyAdder(self._context, self._bodies, dynamic=False)

    @cached_property
    def walls(self) -> Walls:
        """The walls, to measure from; they cannot be moved or be part of a goal."""
        return _walls(self._context)

    def skip(self) -> NoReturn:
        """Say that these parameters make no puzzle."""
        raise SkippedTuple

    def skip_if(self, condition: bool) -> None:
        """Say that these parameters make no puzzle if a condition holds."""
        if condition:
            raise SkippedTuple

    def goal(self, first: BodyDraft, second: BodyDraft) -> None:
        """Ask for two bodies to touch, at least one of them dynamic."""
        if self._goal is not None:
            self._context.fail("a scene has one goal, this is the second")
        for body in (first, second):
            if not isinstance(body, BodyDraft):
                self._context.fail(f"a goal is made of two bodies, not of {body!r}")
            if body.index < WALL_COUNT:
                self._context.fail("a wall cannot be a goal body, add a bar in front of it", body)
            if body not in self._bodies:
                self._context.fail("a goal body belongs to another scene", body)
        if first is second:
            self._context.fail("a goal needs two different bodies", first)
        if not (first.dynamic or second.dynamic):
            self._context.fail(f"both goal bodies are static, also {second}", first)
        self._goal = (first, second)

    def finish(self, name: str) -> tuple[Scene, str]:
        """The finished scene and a sentence that says what to do."""
        if self._goal is None:
            self._context.fail("no goal was declared, end with s.goal(body, other)")
        first, second = self._goal
        bodies = [*WALL_BODIES, *(body.freeze(self._color(body)) for body in self._bodies)]
        scene = Scene(tuple(bodies), Goal(first.index, second.index), name=name)
        one, other = (
            f"{self._color(body).name.lower()} {body.outline.word}" for body in (first, second)
        )
        return scene, f"Make sure the {one} is touching the {other}."

    def _color(self, body: BodyDraft) -> Color:
        """Colours tell the part a body plays."""
        if self._goal is None or body not in self._goal:
            return Color.GRAY if body.dynamic else Color.BLACK
        if not body.dynamic:
            return Color.PURPLE
        return Color.GREEN if body is self._goal[0] else Color.BLUE


class BodyAdder:
    """Adds bodies that all move, or all stay: ``s.dynamic`` and ``s.static``."""

    def __init__(self, context: Context, bodies: list[BodyDraft], *, dynamic: bool) -> None:
        self._context = context
        self._bodies = bodies
        self._dynamic = dynamic

    def ball(self, scale: float, **placement: Unpack[Placement]) -> BodyDraft:
        """Add a ball; at a scale of 1 it is as wide as the scene."""
        return self._scaled(shapes.ball, scale, 1.0).place(**placement)

    def bar(self, scale: float, **placement: Unpack[Placement]) -> BodyDraft:
        """Add a flat bar; at a scale of 1 it spans the scene, and more is allowed."""
        return self._scaled(shapes.bar, scale, math.inf).place(**placement)

    def jar(self, scale: float, **placement: Unpack[Placement]) -> BodyDraft:
        """Add a jar, open at the top; at a scale of 1 it is as high as the scene."""
        return self._scaled(shapes.jar, scale, 1.0).place(**placement)

    def standing_sticks(self, scale: float, **placement: Unpack[Placement]) -> BodyDraft:
        """Add two crossed sticks that stand like an X."""
        return self._scaled(shapes.standing_sticks, scale, 1.0).place(**placement)

    def box(self, width: float, height: float, **placement: Unpack[Placement]) -> BodyDraft:
        """Add a rectangle, in pixels. No published puzzle has one."""
        return self._free("box", lambda: shapes.box(width, height)).place(**placement)

    def polygon(self, corners: Sequence[Vec], **placement: Unpack[Placement]) -> BodyDraft:
        """Add a convex polygon by its corners, counter-clockwise, where they shall lie.

        No published puzzle has one.
        """
        return self._free("polygon", lambda: shapes.polygon(corners)).place(**placement)

    def _scaled(self, make: Callable[[float], Outline], scale: float, most: float) -> BodyDraft:
        """Add a body of one of the shapes that have a scale."""
        try:
            if 0 <= scale <= most and math.isfinite(scale):
                return self._add(make(scale))
            fault = ""
        except (SceneError, TypeError, ValueError) as error:
            fault = f" ({error})"
        limits = "of at least 0" if most == math.inf else f"from 0 to {most:g}"
        self._fail(f"scale is a number {limits}, not {scale!r}{fault}", make.__name__)

    def _free(self, word: str, make: Callable[[], Outline]) -> BodyDraft:
        """Add a body of a shape that is given in pixels."""
        try:
            return self._add(make())
        except (SceneError, TypeError, ValueError) as error:
            self._fail(str(error), word)

    def _add(self, outline: Outline) -> BodyDraft:
        index = WALL_COUNT + len(self._bodies)
        body = BodyDraft(self._context, index, outline, dynamic=self._dynamic)
        self._bodies.append(body)
        return body

    def _fail(self, rule: str, word: str) -> NoReturn:
        """Blame the body that was about to be added."""
        kind = "dynamic" if self._dynamic else "static"
        self._context.fail(rule, f"body {WALL_COUNT + len(self._bodies)} ({kind} {word})")
