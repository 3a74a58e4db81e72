"""The engine pymunk: one scene in one Chipmunk space, called below pymunk's Python objects."""

from __future__ import annotations

import weakref
from collections.abc import Sequence
from typing import Any

import numpy as np
from pymunk._chipmunk_cffi import ffi, lib

from topple.edits import ApplyImpulse, MoveBody, RemoveBody, SetVelocity
from topple.iphyre.engine.scene import (
    BELOW,
    PUBLISHED_PARAMS,
    Exit,
    Params,
    Scene,
    check_params,
    check_scene,
)
from topple.pymunk_memory import (
    LAYOUT,
    Floats,
    body_pointer,
    body_rows,
    double_pointer,
)

_ORIGIN = (0.0, 0.0)


class PymunkWorld:
    """One scene played tick by tick in one Chipmunk space.

    It is for one thread altogether: pymunk does not guard its memory.

    Args:
        scene: what it starts from.
        dt: seconds in a tick.
        params: constants of the physics.
        builds: how often the scene was built in its space, this time included.
    """

    def __init__(
        self,
        scene: Scene,
        dt: float,
        params: Params = PUBLISHED_PARAMS,
        builds: int = 1,
    ) -> None:
        check_scene(scene)
        check_params(params)
        self.scene = scene
        self.params = params
        self.dt = dt
        self.rows = body_rows(len(scene.radii))
        self._contents = held = _Contents(self.rows)
        self._space = held.space
        lib.cpSpaceSetGravity(self._space, (0.0, params.gravity))
        self._init_bodies()
        held.shapes = [self._new_shape(i) for i in range(len(held.bodies))]
        spring = (params.spring_rest, params.spring_stiffness, params.spring_damping)
        held.joints = [
            *(_Joint(lib.cpPinJointAlloc(), a, b, None) for a, b in scene.pins),
            *(_Joint(lib.cpDampedSpringAlloc(), a, b, spring) for a, b in scene.springs),
        ]
        balls = [i for i, is_ball in enumerate(scene.is_ball) if is_ball]
        self._ball_x = [double_pointer(self.rows[i], LAYOUT.x) for i in balls]
        self._ball_y = [double_pointer(self.rows[i], LAYOUT.y) for i in balls]
        self.present = held.present
        weakref.finalize(self, held.free).atexit = False
        self.reset(builds)

    def _init_bodies(self) -> None:
        scene, mass = self.scene, self.params.mass
        self.rows[:] = 0.0
        for i, body in enumerate(self._contents.bodies):
            x1, y1, x2, y2 = scene.ends[i]
            lib.cpBodyInit(body, mass, self._moment(i))
            if not scene.is_dynamic[i]:
                lib.cpBodySetType(body, lib.CP_BODY_TYPE_STATIC)
            lib.cpBodySetPosition(body, ((x1 + x2) / 2, (y1 + y2) / 2))

    def _moment(self, i: int) -> float:
        mass, radius = self.params.mass, self.scene.radii[i]
        if self.scene.is_ball[i]:
            return float(lib.cpMomentForCircle(mass, 0.0, radius, _ORIGIN))
        a, b = (_ORIGIN, _ORIGIN) if self.params.constant_inertia else self._local_ends(i)
        return float(lib.cpMomentForSegment(mass, a, b, radius))

    def _local_ends(self, i: int) -> tuple[tuple[float, float], tuple[float, float]]:
        x1, y1, x2, y2 = self.scene.ends[i]
        x, y = (x1 + x2) / 2, (y1 + y2) / 2
        return (x1 - x, y1 - y), (x2 - x, y2 - y)

    def _new_shape(self, i: int) -> Any:
        body, radius = self._contents.bodies[i], self.scene.radii[i]
        if self.scene.is_ball[i]:
            shape = lib.cpCircleShapeNew(body, radius, _ORIGIN)
        else:
            shape = lib.cpSegmentShapeNew(body, *self._local_ends(i), radius)
        lib.cpShapeSetFriction(shape, self.params.friction)
        lib.cpShapeSetElasticity(shape, self.params.elasticity)
        return shape

    def reset(self, builds: int = 1) -> None:
        """Put every body back to its start, as after a number of builds in one space.

        Chipmunk orders contacts by the numbers of shapes, and a space counts on.
        """
        self.tick = 0
        self.solved = False
        self._removals: list[tuple[int, int]] = []
        self._contents.empty()
        self._init_bodies()
        lib.cpSpaceSetShapeIDCounter(self._space, (builds - 1) * len(self.scene.radii))
        self._contents.fill()

    def removals(self) -> list[tuple[int, int]]:
        """The bodies removed, as (tick, body) in order."""
        return list(self._removals)

    def remove(self, body: int) -> bool:
        """Take a body away, with the joints that hold it; tells whether it was there."""
        if not self.present[body]:
            return False
        self._removals.append((self.tick, body))
        self._contents.take_away(body)
        return True

    def edit(self, edit: RemoveBody | MoveBody | SetVelocity | ApplyImpulse) -> None:
        """Intervene before the next tick; contacts see a static body where it was last indexed."""
        body = self._contents.bodies[edit.index]
        match edit:
            case RemoveBody(index):
                if self.present[index]:
                    self._contents.take_away(index)
            case MoveBody(_, position, angle):
                lib.cpBodySetPosition(body, position)
                lib.cpBodySetAngle(body, angle)
            case SetVelocity(_, velocity, spin):
                lib.cpBodySetVelocity(body, velocity)
                lib.cpBodySetAngularVelocity(body, spin)
            case ApplyImpulse(_, impulse, point):
                lib.cpBodyApplyImpulseAtWorldPoint(body, impulse, point)

    def reindex(self, body: int) -> None:
        """Let contacts see where a body is now."""
        lib.cpSpaceReindexShapesForBody(self._space, self._contents.bodies[body])

    def set_gravity(self, gravity: tuple[float, float]) -> None:
        """Set gravity in px/s^2, for good: a reset does not undo it."""
        lib.cpSpaceSetGravity(self._space, gravity)

    def step(self, count: int = 1) -> None:
        """Advance by a number of ticks without looking at the balls."""
        self.solved = False
        for _ in range(count):
            lib.cpSpaceStep(self._space, self.dt)
        self.tick += count

    def run(self, ticks: int, out: Exit = BELOW) -> bool:
        """Advance until every ball is out, at most a number of ticks; tells whether they are."""
        for _ in range(ticks):
            self.step()
            # The first ball alone decides at nearly every tick.
            if self._ball_y[0][0] > out.y and self.all_out(out):
                self.solved = True
                break
        else:
            self.solved = False
        return self.solved

    def all_out(self, out: Exit = BELOW) -> bool:
        """Whether every ball's centre is out at this instant."""
        line = out.y
        for y in self._ball_y:
            if not y[0] > line:
                return False
        if out.x_range is None:
            return True
        low, high = out.x_range
        return all(low <= x[0] <= high for x in self._ball_x)

    def poses(self) -> Floats:
        """(bodies, 3) x, y in px and angle in radians."""
        return self.rows[:, (LAYOUT.x, LAYOUT.y, LAYOUT.angle)]

    def velocities(self) -> Floats:
        """(bodies, 3) vx, vy in px/s and spin in radians/s."""
        return self.rows[:, (LAYOUT.vx, LAYOUT.vy, LAYOUT.spin)]

    def ends(self) -> Floats:
        """(bodies, 4) the ends of blocks in px; a ball has its centre twice."""
        ends = np.array(self.scene.ends)
        local = ends - np.tile((ends[:, :2] + ends[:, 2:]) / 2, 2)
        quarter = local[:, (1, 0, 3, 2)] * (-1.0, 1.0, -1.0, 1.0)
        cos, sin = self.rows[:, LAYOUT.cos, None], self.rows[:, LAYOUT.sin, None]
        turned: Floats = cos * local + sin * quarter
        return turned + np.tile(self.rows[:, (LAYOUT.x, LAYOUT.y)], 2)

    def contacts(self) -> Floats:
        """(contacts, 6) points on both bodies in px, and the direction from one to the other."""
        rows: dict[Any, list[tuple[float, ...]]] = {}

        @ffi.callback("void(cpBody *, cpArbiter *, void *)")  # type: ignore[untyped-decorator]
        def collect(_: Any, arbiter: Any, __: Any) -> None:
            found = lib.cpArbiterGetContactPointSet(arbiter)
            n = found.normal
            rows[arbiter] = [
                (p.pointA.x, p.pointA.y, p.pointB.x, p.pointB.y, n.x, n.y)
                for p in found.points[0 : found.count]
            ]

        for body, here in zip(self._contents.bodies, self.present, strict=True):
            if here:
                lib.cpBodyEachArbiter(body, collect, ffi.NULL)
        return np.array([row for each in rows.values() for row in each]).reshape(-1, 6)

    def joined(self) -> tuple[tuple[bool, ...], tuple[bool, ...]]:
        """Which pins and which springs still hold."""
        holds = [joint.holds for joint in self._contents.joints]
        pins = len(self.scene.pins)
        return tuple(holds[:pins]), tuple(holds[pins:])


class _Joint:
    """A pin, or a spring when it has spring constants."""

    def __init__(self, memory: Any, a: int, b: int, spring: tuple[float, ...] | None) -> None:
        self._memory, self.a, self.b, self._spring = memory, a, b, spring
        self.constraint = ffi.cast("cpConstraint *", memory)
        self.holds = False

    def start(self, bodies: Sequence[Any]) -> None:
        """Forget the accumulated impulse; a pin takes the present distance."""
        a, b = bodies[self.a], bodies[self.b]
        if self._spring is None:
            lib.cpPinJointInit(self._memory, a, b, _ORIGIN, _ORIGIN)
        else:
            lib.cpDampedSpringInit(self._memory, a, b, _ORIGIN, _ORIGIN, *self._spring)


class _Contents:
    """What Chipmunk holds for a world. It keeps the bodies' memory until all is freed."""

    def __init__(self, rows: Floats) -> None:
        self._rows = rows
        self.space: Any = lib.cpSpaceNew()
        self.bodies = [body_pointer(row) for row in rows]
        self.shapes: list[Any] = []
        self.joints: list[_Joint] = []
        self.present = [False] * len(rows)

    def fill(self) -> None:
        """Add everything, in order: bodies with their shapes, then joints."""
        for i, (body, shape) in enumerate(zip(self.bodies, self.shapes, strict=True)):
            lib.cpSpaceAddBody(self.space, body)
            lib.cpSpaceAddShape(self.space, shape)
            self.present[i] = True
        for joint in self.joints:
            joint.start(self.bodies)
            lib.cpSpaceAddConstraint(self.space, joint.constraint)
            joint.holds = True

    def remove_body(self, i: int) -> None:
        """Take out a body and its shape."""
        lib.cpSpaceRemoveShape(self.space, self.shapes[i])
        lib.cpSpaceRemoveBody(self.space, self.bodies[i])
        self.present[i] = False

    def take_away(self, i: int) -> None:
        """Take out a body with the joints that hold it."""
        self.remove_body(i)
        for joint in self.joints:
            if joint.holds and i in (joint.a, joint.b):
                self.remove_joint(joint)

    def remove_joint(self, joint: _Joint) -> None:
        """Take out a joint."""
        lib.cpSpaceRemoveConstraint(self.space, joint.constraint)
        joint.holds = False

    def empty(self) -> None:
        """Take out everything that is there."""
        for i, here in enumerate(self.present):
            if here:
                self.remove_body(i)
        for joint in self.joints:
            if joint.holds:
                self.remove_joint(joint)

    def free(self) -> None:
        """Give all memory back to Chipmunk."""
        self.empty()
        for shape in self.shapes:
            lib.cpShapeFree(shape)
        for joint in self.joints:
            lib.cpConstraintFree(joint.constraint)
        lib.cpSpaceFree(self.space)
