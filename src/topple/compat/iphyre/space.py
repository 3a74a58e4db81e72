"""`IPHYRE.space` of the original: bodies, their shapes and the joints between them.

The names are those of pymunk. Everything is read from the world at the time of asking, and a body
that was removed keeps its last place. What is written takes effect at the next step. The native
engine takes all that concerns a body that moves; gravity, and blocks that do not move, are
Chipmunk's own affair, so an episode in which they are written goes on in pymunk, from the same
state to the last bit.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from topple.edits import ApplyImpulse, MoveBody, RemoveBody, SetVelocity
from topple.iphyre.engine.batch import MAX_JOINTS, Engine, Scene, World, new_world
from topple.iphyre.engine.edits import edit_world
from topple.iphyre.engine.native import MAX_BODIES_EVER, NativeWorld
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


@dataclass(frozen=True, slots=True)
class SetGravity:
    """Changes gravity, in px/s^2."""

    gravity: Vec2d


@dataclass(frozen=True, slots=True)
class Reindex:
    """Lets contacts see where a block that does not move is now."""

    index: int


Change = RemoveBody | MoveBody | SetVelocity | ApplyImpulse | SetGravity | Reindex


@dataclass(frozen=True, slots=True)
class Circle:
    """The shape of a ball."""

    body: Body
    radius: float
    offset: Vec2d


@dataclass(frozen=True, slots=True)
class Segment:
    """The shape of a block: the ends of its core, seen from the body before it turns."""

    body: Body
    a: Vec2d
    b: Vec2d
    radius: float = BLOCK_RADIUS


@dataclass(unsafe_hash=True, repr=False, slots=True)
class Body:
    """A block or a ball."""

    DYNAMIC, KINEMATIC, STATIC = range(3)

    _space: Space
    _number: int

    @property
    def _world(self) -> World:
        return self._space.ready()

    @property
    def position(self) -> Vec2d:
        """The centre in px."""
        return Vec2d(*self._world.poses()[self._number, :2].tolist())

    @position.setter
    def position(self, position: Sequence[float]) -> None:
        self._space.change(MoveBody(self._number, _vec(position), self.angle))

    @property
    def angle(self) -> float:
        """How far it has turned, in radians."""
        return float(self._world.poses()[self._number, 2])

    @angle.setter
    def angle(self, angle: float) -> None:
        self._space.change(MoveBody(self._number, self.position, float(angle)))

    @property
    def rotation_vector(self) -> Vec2d:
        """The direction of its angle."""
        return Vec2d(math.cos(self.angle), math.sin(self.angle))

    @property
    def velocity(self) -> Vec2d:
        """In px/s."""
        return Vec2d(*self._world.velocities()[self._number, :2].tolist())

    @velocity.setter
    def velocity(self, velocity: Sequence[float]) -> None:
        self._space.change(SetVelocity(self._number, _vec(velocity), self.angular_velocity))

    @property
    def angular_velocity(self) -> float:
        """In radians/s."""
        return float(self._world.velocities()[self._number, 2])

    @angular_velocity.setter
    def angular_velocity(self, spin: float) -> None:
        self._space.change(SetVelocity(self._number, self.velocity, float(spin)))

    def apply_impulse_at_world_point(
        self, impulse: Sequence[float], point: Sequence[float] = (0.0, 0.0)
    ) -> None:
        """Push it at a point of the scene."""
        self._space.change(ApplyImpulse(self._number, _vec(impulse), _vec(point)))

    def apply_impulse_at_local_point(
        self, impulse: Sequence[float], point: Sequence[float] = (0.0, 0.0)
    ) -> None:
        """Push it at a point seen from it; the impulse turns with it, too."""
        (cos, sin), (x, y) = self.rotation_vector, self.position
        (jx, jy), (px, py) = _vec(impulse), _vec(point)
        turned = jx * cos - jy * sin, jx * sin + jy * cos
        self.apply_impulse_at_world_point(
            turned, (x + (px * cos - py * sin), y + (px * sin + py * cos))
        )

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
            return {Circle(self, scene.radii[self._number], Vec2d(0.0, 0.0))}
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

    __slots__ = ("_builds", "_gravity", "_history", "world")

    def __init__(self) -> None:
        self.world: World | None = None
        self._builds = 1
        self._gravity = _PUBLISHED_GRAVITY
        self._history: list[tuple[int, Change]] = []  # by tick

    def start(self, scene: Scene, dt: float, builds: int) -> World:
        """Put the bodies of a scene to their start, as after a number of builds."""
        changed = self._gravity != _PUBLISHED_GRAVITY
        self._history = [(0, SetGravity(self._gravity))] if changed else []
        joints = len(scene.pins) + len(scene.springs)
        native = not changed and len(scene.radii) <= MAX_BODIES_EVER and joints <= MAX_JOINTS
        world = self.world
        if (
            world is None
            or (world.scene, world.dt) != (scene, dt)
            or isinstance(world, NativeWorld) != native
        ):
            world = new_world(scene, dt, engine=Engine.NATIVE if native else Engine.PYMUNK)
        self.world, self._builds = world, builds
        world.reset(builds)
        for _, change in self._history:
            _apply(world, change)
        return world

    def ready(self) -> World:
        """The world.

        Raises:
            RuntimeError: there is none before the first `reset`.
        """
        if self.world is None:
            raise RuntimeError("call reset() before playing")
        return self.world

    def change(self, change: Change) -> None:
        """Intervene before the next step, on pymunk if the native engine cannot.

        Raises:
            ValueError: a number is not finite or too large.
            EngineError: pymunk is needed and not installed.
        """
        world = self.ready()
        if isinstance(world, NativeWorld) and not _is_native(change, world.scene):
            world = self._replay(world.scene, world.dt, world.tick, world.solved, Engine.PYMUNK)
        _apply(world, change)
        self.world = world
        self._history.append((world.tick, change))

    def _replay(self, scene: Scene, dt: float, tick: int, solved: bool, engine: Engine) -> World:
        """A world in which all was done as in this one."""
        world = new_world(scene, dt, builds=self._builds, engine=engine)
        for when, change in self._history:
            world.step(when - world.tick)
            _apply(world, change)
        world.step(tick - world.tick)
        world.solved = solved
        return world

    def __getstate__(self) -> tuple[Any, ...]:
        """Without the world, of which what was done in it is enough."""
        world, played = self.world, None
        if world is not None:
            engine = Engine.NATIVE if isinstance(world, NativeWorld) else Engine.PYMUNK
            played = world.scene, world.dt, world.tick, world.solved, engine
        return self._builds, self._gravity, self._history, played

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        self._builds, self._gravity, history, played = state
        self._history = list(history)
        self.world = None if played is None else self._replay(*played)

    @property
    def gravity(self) -> Vec2d:
        """In px/s^2; y points down."""
        return self._gravity

    @gravity.setter
    def gravity(self, gravity: Sequence[float]) -> None:
        if self.world is not None:
            self.change(SetGravity(_vec(gravity)))
        self._gravity = _vec(gravity)

    @property
    def bodies(self) -> list[Body]:
        """Blocks, then balls, without those that were removed."""
        if self.world is None:
            return []
        return [Body(self, number) for number, here in enumerate(self.world.present) if here]

    @property
    def shapes(self) -> list[Circle | Segment]:
        """The shapes of the bodies."""
        return [shape for body in self.bodies for shape in body.shapes]

    @property
    def constraints(self) -> list[Constraint]:
        """Sticks, then springs, that still hold."""
        if self.world is None:
            return []
        scene = self.world.scene
        kinds = zip(
            (PinJoint, DampedSpring), (scene.pins, scene.springs), self.world.joined(), strict=True
        )
        return [
            kind(Body(self, a), Body(self, b))
            for kind, pairs, holds in kinds
            for (a, b), held in zip(pairs, holds, strict=True)
            if held
        ]

    def reindex_shapes_for_body(self, body: Body) -> None:
        """Let contacts see where a block that does not move was put."""
        self.change(Reindex(body._number))

    def reindex_static(self) -> None:
        """Let contacts see where all blocks that do not move were put."""
        for body in self.bodies:
            if body.body_type == Body.STATIC:
                self.reindex_shapes_for_body(body)

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


_PUBLISHED_GRAVITY = Vec2d(0.0, PUBLISHED_PARAMS.gravity)


def _vec(pair: Sequence[float]) -> Vec2d:
    x, y = pair
    return Vec2d(float(x), float(y))


def _is_native(change: Change, scene: Scene) -> bool:
    if isinstance(change, SetGravity):
        return False
    # Blocks that do not move are where the native engine expects them, indexed.
    return isinstance(change, RemoveBody | Reindex) or scene.is_dynamic[change.index]


def _apply(world: World, change: Change) -> None:
    if isinstance(change, RemoveBody):
        world.remove(change.index)
    elif not isinstance(change, SetGravity | Reindex):
        edit_world(world, [change])
    elif not isinstance(world, NativeWorld):
        if isinstance(change, SetGravity):
            world.set_gravity(change.gravity)
        else:
            world.reindex(change.index)
