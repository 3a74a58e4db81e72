"""I-PHYRE scenes as the physics takes them: capsules and balls in px, y pointing down."""

from __future__ import annotations

from typing import NamedTuple


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


PUBLISHED_PARAMS = Params()
BELOW = Exit()
