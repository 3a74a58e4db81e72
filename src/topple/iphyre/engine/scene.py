"""I-PHYRE scenes as the physics takes them: capsules and balls in px, y pointing down."""

from __future__ import annotations

import math
from typing import NamedTuple

LEAST_RADIUS = 1e-6  # px; the square of a much smaller one vanishes, and engines differ


class Params(NamedTuple):
    """Constants of the world; the defaults are the published ones."""

    gravity: float = 100.0  # px/s^2, downwards
    mass: float = 1.0  # of every movable body, whatever its size
    friction: float = 0.5  # of every shape; those of a contact are multiplied
    elasticity: float = 0.1  # likewise
    spring_rest: float = 20.0  # px
    spring_stiffness: float = 1.0
    spring_damping: float = 0.3
    constant_inertia: bool = True  # movable capsules turn like a capsule of length zero


class Scene(NamedTuple):
    """Bodies in order of creation, which decides the order of contacts."""

    ends: tuple[tuple[float, float, float, float], ...]  # px; a ball has its centre twice
    radii: tuple[float, ...]  # px
    is_ball: tuple[bool, ...]
    is_dynamic: tuple[bool, ...]
    pins: tuple[tuple[int, int], ...] = ()  # bodies held at their initial distance
    springs: tuple[tuple[int, int], ...] = ()  # bodies joined by a damped spring
    velocities: tuple[tuple[float, float, float], ...] = ()  # px/s, 1/s; at rest if not given


class Exit(NamedTuple):
    """Where balls have to go: below a line, with any x unless a range is given."""

    y: float = 600.0  # px; strictly below, that is, a larger y
    x_range: tuple[float, float] | None = None


def check_scene(scene: Scene, name: str = "the scene") -> None:
    """Refuse what has no physics, or physics in which the engines differ.

    Raises:
        ValueError: a number is not finite, or a radius is below LEAST_RADIUS.
    """
    for body, radius in enumerate(scene.radii):
        if not LEAST_RADIUS <= radius < math.inf:
            raise ValueError(
                f"{name}: body {body} has radius {radius}; the least is {LEAST_RADIUS:g} px"
            )
    for word, rows in (("ends", scene.ends), ("velocities", scene.velocities)):
        for body, row in enumerate(rows):
            if not all(map(math.isfinite, row)):
                raise ValueError(f"{name}: body {body} has {word} {row}; they must be finite")


def check_params(params: Params) -> None:
    """Refuse constants that are not finite, and bodies without a mass.

    Raises:
        ValueError: the message names the constant.
    """
    for word, value in params._asdict().items():
        if not math.isfinite(value):
            raise ValueError(f"{word} is {value}; the constants of a world must be finite")
    if params.mass <= 0.0:
        raise ValueError(f"mass is {params.mass}; it must be positive")


PUBLISHED_PARAMS = Params()
BELOW = Exit()
