"""Small scenes written by hand, for tests that need no published task."""

from __future__ import annotations

from topple.phyre.scene import Body, Circle, Color, Goal, Kind, Polygon, Scene


def box(half_width: float, half_height: float) -> Polygon:
    """A rectangle around the origin, with its corners in the order of the benchmark."""
    return Polygon(
        (
            (half_width, half_height),
            (-half_width, half_height),
            (-half_width, -half_height),
            (half_width, -half_height),
        )
    )


def walls() -> tuple[Body, ...]:
    """The four walls of every published scene."""
    places = (
        (128.0, -2.5, 128.0, 2.5),
        (-2.5, 128.0, 2.5, 128.0),
        (128.0, 258.5, 128.0, 2.5),
        (258.5, 128.0, 2.5, 128.0),
    )
    return tuple(Body((box(w, h),), False, (x, y)) for x, y, w, h in places)


def ball(x: float, y: float, radius: float = 10.0, color: Color = Color.GREEN) -> Body:
    """A dynamic ball."""
    return Body((Circle(radius),), True, (x, y), 0.0, color, Kind.BALL, 2 * radius)


def walled(*bodies: Body, goal: Goal | None = None, name: str = "") -> Scene:
    """A scene of walls (bodies 0 to 3) and the bodies given (from 4 on)."""
    return Scene((*walls(), *bodies), goal, name=name)
