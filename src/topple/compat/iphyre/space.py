"""`IPHYRE.space` of the original, for reading: bodies, their shapes and the joints between them.

The names are those of pymunk. Everything is read from the world at the time of asking, and a body
that was removed keeps its last place.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from topple.iphyre.engine.batch import World
from topple.iphyre.engine.scene import PUBLISHED_PARAMS
from topple.iphyre.game import BLOCK_RADIUS


class Vec2d(NamedTuple):
    """A point or a velocity."""

    x: float
    y: float

    @property
    def length(self) -> float:
        """The distance from the origin."""
        return math.hypot(self.x, self.y)


class Circle:
    """The shape of a ball."""

    def __init__(self, body: Body, radius: float) -> None:
        self.body, self.radius, self.offset = body, radius, Vec2d(0.0, 0.0)


class Segment:
    """The shape of a block: the ends of its core, seen from the body before it turns."""

    def __init__(self, body: Body, a: Vec2d, b: Vec2d) -> None:
        self.body, self.a, self.b, self.radius = body, a, b, BLOCK_RADIUS


class Body:
    """A block or a ball."""

    DYNAMIC, KINEMATIC, STATIC = range(3)

    def __init__(self, world: World, number: int) -> None:
        self._world, self._number = world, number

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Body) and (self._world, self._number) == (
            other._world,
            other._number,
        )

    def __hash__(self) -> int:
        return hash((id(self._world), self._number))

    @property
    def position(self) -> Vec2d:
        """The centre in px."""
        return Vec2d(*self._world.poses()[self._number, :2].tolist())

    @property
    def angle(self) -> float:
        """How far it has turned, in radians."""
        return float(self._world.poses()[self._number, 2])

    @property
    def rotation_vector(self) -> Vec2d:
        """The direction of its angle."""
        return Vec2d(math.cos(self.angle), math.sin(self.angle))

    @property
    def velocity(self) -> Vec2d:
        """In px/s."""
        return Vec2d(*self._world.velocities()[self._number, :2].tolist())

    @property
    def angular_velocity(self) -> float:
        """In radians/s."""
        return float(self._world.velocities()[self._number, 2])

    @property
    def body_type(self) -> int:
        """`DYNAMIC` or `STATIC`."""
        return Body.DYNAMIC if self._world.scene.is_dynamic[self._number] else Body.STATIC

    @property
    def mass(self) -> float:
        """1 for what moves; 0, in place of infinity, for what does not."""
        return self._world.params.mass if self.body_type == Body.DYNAMIC else 0.0

    @property
    def shapes(self) -> set[Circle | Segment]:
        """Its only shape."""
        scene = self._world.scene
        if scene.is_ball[self._number]:
            return {Circle(self, scene.radii[self._number])}
        x1, y1, x2, y2 = scene.ends[self._number]
        x, y = (x1 + x2) / 2, (y1 + y2) / 2
        return {Segment(self, Vec2d(x1 - x, y1 - y), Vec2d(x2 - x, y2 - y))}


class Constraint(NamedTuple):
    """A stick or a spring between two bodies."""

    a: Body
    b: Body


class PinJoint(Constraint):
    """A stick."""


class DampedSpring(Constraint):
    """A spring."""


class Space:
    """What is there now; empty before the first `reset`."""

    gravity = Vec2d(0.0, PUBLISHED_PARAMS.gravity)

    def __init__(self) -> None:
        self.world: World | None = None

    @property
    def bodies(self) -> list[Body]:
        """Blocks, then balls, without those that were removed."""
        if self.world is None:
            return []
        present = self.world.present
        return [Body(self.world, number) for number, here in enumerate(present) if here]

    @property
    def shapes(self) -> list[Circle | Segment]:
        """The shapes of the bodies."""
        return [shape for body in self.bodies for shape in body.shapes]

    @property
    def constraints(self) -> list[Constraint]:
        """Sticks, then springs, that still hold."""
        if self.world is None:
            return []
        world, scene = self.world, self.world.scene
        kinds = zip(
            (PinJoint, DampedSpring), (scene.pins, scene.springs), world.joined(), strict=True
        )
        return [
            kind(Body(world, a), Body(world, b))
            for kind, pairs, holds in kinds
            for (a, b), held in zip(pairs, holds, strict=True)
            if held
        ]

    def step(self, dt: float) -> None:
        """Advance by one step.

        Raises:
            ValueError: it is no step of this simulator's length.
        """
        if self.world is None:
            return
        if dt != self.world.dt:
            raise ValueError(f"a step lasts {dt} s; this simulator steps by {self.world.dt} s")
        self.world.step(1)
