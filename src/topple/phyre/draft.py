"""Drafts: bodies of a scene in the making, and the errors made on the way."""

from __future__ import annotations

import difflib
import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NoReturn, TypedDict

from topple.phyre.scene import Body, Color, SceneError
from topple.phyre.shapes import Outline, extent

if TYPE_CHECKING:
    from typing_extensions import Unpack

Value = bool | int | float | str  # what a template's parameter can be
WALL_COUNT = 4  # bodies 0 to 3 of every scene


class TemplateError(SceneError):
    """A template is wrong; the message names the template, the body and the rule."""


class Context:
    """Which template is being built, with which parameters: what errors name."""

    def __init__(self, template: str, parameters: Mapping[str, Value]) -> None:
        self.template = template
        self.parameters = parameters

    def fail(self, rule: str, body: object = None) -> NoReturn:
        """Raise a TemplateError that names the template, the body and the rule."""
        where = f"template {self.template}"
        if self.parameters:
            where += f" ({', '.join(f'{k}={v}' for k, v in self.parameters.items())})"
        if body is not None:
            where += f", {body}"
        raise TemplateError(f"{where}: {rule}")

    def check_number(self, name: str, value: object, body: object) -> None:
        """Fail unless a value is a finite number."""
        try:
            fine = math.isfinite(value)  # type: ignore[arg-type]
        except TypeError:
            fine = False
        if not fine:
            self.fail(f"{name} is a finite number, not {value!r}", body)


class Placement(TypedDict, total=False):
    """Where a body goes: pixels, and degrees counter-clockwise."""

    angle: float
    left: float
    right: float
    bottom: float
    top: float
    center_x: float
    center_y: float


class BodyDraft:
    """A body of a scene in the making. Its box can be read and moved edge by edge."""

    __slots__ = ("_context", "_extent", "_radians", "_x", "_y", "dynamic", "index", "outline")

    def __init__(self, context: Context, index: int, outline: Outline, *, dynamic: bool) -> None:
        self._context = context
        self._x, self._y = outline.origin
        self._radians = 0.0
        self._extent = extent(outline, 0.0)
        self.index = index
        self.outline = outline
        self.dynamic = dynamic

    def __str__(self) -> str:
        kind = "dynamic" if self.dynamic else "static"
        return f"body {self.index} ({kind} {self.outline.word})"

    @property
    def left(self) -> float:
        """Left edge of the box around the body as it lies now."""
        return self._extent.left + self._x

    @property
    def right(self) -> float:
        """Right edge."""
        return self._extent.right + self._x

    @property
    def bottom(self) -> float:
        """Lower edge."""
        return self._extent.bottom + self._y

    @property
    def top(self) -> float:
        """Upper edge."""
        return self._extent.top + self._y

    @property
    def width(self) -> float:
        """Right minus left; it carries the rounding of both."""
        return self.right - self.left

    @property
    def height(self) -> float:
        """Top minus bottom; it carries the rounding of both."""
        return self.top - self.bottom

    @property
    def center_x(self) -> float:
        """Middle of the box, which for a jar is not its origin."""
        return (self.left + self.right) / 2

    @property
    def center_y(self) -> float:
        """Middle of the box, which for a jar is not its origin."""
        return (self.top + self.bottom) / 2

    def place(self, **placement: Unpack[Placement]) -> BodyDraft:
        """Move or turn the body, one placement after the other as written."""
        if self.index < WALL_COUNT:
            self._context.fail("walls stay where they are", self)
        where: Mapping[str, Any] = placement
        for name, value in where.items():
            self._context.check_number(name, value, self)
            match name:
                case "left":
                    self._x += value - self.left
                case "right":
                    self._x += value - self.right
                case "bottom":
                    self._y += value - self.bottom
                case "top":
                    self._y += value - self.top
                case "center_x":
                    self._x += value - self.width / 2 - self.left
                case "center_y":
                    self._y += value - self.height / 2 - self.bottom
                case "angle":
                    self._radians = value / 180 * math.pi
                    self._extent = extent(self.outline, self._radians)
                case _:
                    known = list(Placement.__annotations__)
                    close = difflib.get_close_matches(name, known, 1)
                    hint = f"did you mean {close[0]!r}?" if close else f"use {', '.join(known)}"
                    self._context.fail(f"there is no placement {name!r}, {hint}", self)
        return self

    def freeze(self, color: Color) -> Body:
        """The finished body."""
        outline = self.outline
        return Body(
            shapes=outline.shapes,
            dynamic=self.dynamic,
            position=(self._x, self._y),
            angle=self._radians,
            color=color,
            kind=outline.kind,
            diameter=outline.diameter,
        )
