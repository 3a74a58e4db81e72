"""PHYRE's scenes in another engine: Chipmunk, with PHYRE's constants.

It resembles the physics of PHYRE without being it, as what somebody imagines resembles
what happens: an agent may try actions here as often as it likes without touching the
engine that scores it. The constants can be set wrong on purpose.

Of a scene there is one space. Static bodies stay in it; what moves is put back to its place
before each action, so that results do not depend on the order of a batch.
"""

from __future__ import annotations

import math
import weakref
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from pymunk._chipmunk_cffi import ffi, lib

from topple.phyre.action import Actions
from topple.phyre.agents.outlines import (
    SEEN,
    Outline,
    least_distance,
    outline_of,
    points_on_path,
    turned,
)
from topple.phyre.engine.native import (
    ChipmunkLibrary,
    ChipmunkPace,
    ChipmunkSpace,
    SceneSet,
    map_actions,
)
from topple.phyre.engine.request import MAX_STEPS, PIXELS_PER_METRE, STEPS_PER_SECOND
from topple.phyre.engine.result import Outcome
from topple.phyre.scene import Body, Circle, Scene, Vec
from topple.pymunk_memory import LAYOUT, Floats, body_pointer, body_rows
from topple.threads import check_count

_DT = 1.0 / STEPS_PER_SECOND
_GRAVITY = 9.8 * PIXELS_PER_METRE
_SLOP = 0.005 * PIXELS_PER_METRE  # overlap that is left alone
_CIRCLES_TOUCH = 0.1  # pixels between two circles that count as touching
_ANGULAR_DAMPING = 0.01
_SLEEP_SECONDS = 0.5
_SLEEP_SPEED = 0.01 * PIXELS_PER_METRE
_IDENTITY = (1.0, 0.0, 0.0, 1.0, 0.0, 0.0)  # the transform that changes nothing
_POSE = (LAYOUT.x, LAYOUT.y, LAYOUT.angle)
_MOTION = (LAYOUT.vx, LAYOUT.vy, LAYOUT.spin)
_CLOSE = 0.1  # pixels; farther apart than this, bounds of bodies do not touch


@dataclass(frozen=True, slots=True)
class Constants:
    """The physics that is imagined; the defaults are PHYRE's.

    Attributes:
        friction: between any two bodies.
        restitution: between any two bodies.
        gravity: as a multiple of PHYRE's.
        iterations: of the solver in a step.
        bias: share of an overlap that is left after a step.
        stride: steps between two looks at the goal, and at whether all is at rest.
        motion_noise: standard deviation of the relative error of velocities that gathers in
            a second.
    """

    friction: float = 0.5
    restitution: float = 0.2
    gravity: float = 1.0
    iterations: int = 15
    bias: float = 0.75
    stride: int = 5
    motion_noise: float = 0.0

    def __post_init__(self) -> None:
        for name in ("friction", "restitution", "gravity", "motion_noise"):
            if not 0 <= (value := getattr(self, name)) < math.inf:
                raise ValueError(f"{name} is {value}; it has to be finite and at least 0")
        check_count("iterations", self.iterations, 1)
        check_count("stride", self.stride, 1)
        if not 0 < self.bias < 1:
            raise ValueError(f"bias is {self.bias}; it has to lie between 0 and 1")


class Imagined(NamedTuple):
    """What was imagined of some actions on one scene."""

    outcome: npt.NDArray[np.int8]  # [actions], values of Outcome
    steps: npt.NDArray[np.int32]  # [actions] index of the last step if solved, else the limit
    touch: npt.NDArray[np.int32]  # [actions] steps of the longest touch of the goal bodies
    distance: npt.NDArray[np.float64]  # [actions] pixels between them at their closest
    final: npt.NDArray[np.float64]  # [actions, bodies, 3] x, y in pixels, angle; balls last


class ChipmunkMind:
    """Imagines attempts in Chipmunk.

    Args:
        constants: of the physics.
        max_steps: after which an attempt is over.
    """

    def __init__(self, constants: Constants | None = None, max_steps: int = MAX_STEPS) -> None:
        self.constants = constants or Constants()
        self.max_steps = max_steps

    def imagine(
        self,
        scene: Scene,
        balls: npt.ArrayLike,
        seed: int = 0,
        frames: list[Floats] | None = None,
    ) -> Imagined:
        """Try actions on a scene with a goal.

        Args:
            scene: as it is perceived.
            balls: [actions, balls, 3] x, y and radius of the balls of each action, from 0 to 1.
            seed: of the noise on motion, which is drawn anew for each action.
            frames: gets [bodies, 3] poses of all valid actions, at the start and at every look.

        Raises:
            ValueError: if the scene has no goal, or the balls another shape.
        """
        array = np.asarray(balls, dtype=np.float64)
        if array.ndim != 3 or array.shape[2] != 3:
            raise ValueError(
                f"balls have shape {array.shape}; it is (actions, balls, 3): x, y and radius"
            )
        count, per_action = array.shape[:2]
        actions: Actions = array.reshape(count, 3 * per_action)
        valid, pixels = map_actions(SceneSet([scene]), np.zeros(count, np.int32), actions)
        space = _Space(scene, per_action, self.constants)
        result = Imagined(
            np.full(count, Outcome.INVALID, np.int8),
            np.zeros(count, np.int32),
            np.zeros(count, np.int32),
            np.full(count, np.inf),
            np.zeros((count, len(scene.bodies) + per_action, 3)),
        )
        for row in np.flatnonzero(valid).tolist():
            rng = np.random.default_rng((seed, row)) if self.constants.motion_noise else None
            touch, steps, path = space.run(pixels[row], self.max_steps, rng, frames)
            solved = touch >= space.hold_steps
            result.outcome[row] = Outcome.SOLVED if solved else Outcome.NOT_SOLVED
            result.steps[row] = steps - solved
            result.touch[row] = touch
            result.distance[row] = 0.0 if touch else space.closest(path)
            result.final[row] = space.poses()
        return result


#: The functions that attempts call without Python, as native/bindings/chipmunk.cpp declares them.
_FUNCTIONS = {
    "cpSpaceStep": "void(*)(struct cpSpace *, double)",
    "cpBodyIsSleeping": "unsigned char(*)(struct cpBody *)",
    "cpShapesCollide": "struct cpContactPointSet(*)(struct cpShape *, struct cpShape *)",
    "cpArbiterGetBodies": "void(*)(struct cpArbiter *, struct cpBody * *, struct cpBody * *)",
    "cpArbiterGetPointA": "struct cpVect(*)(struct cpArbiter *, int)",
    "cpArbiterGetNormal": "struct cpVect(*)(struct cpArbiter *)",
    "cpBodyGetVelocityAtWorldPoint": "struct cpVect(*)(struct cpBody *, struct cpVect)",
    "cpArbiterSetRestitution": "void(*)(struct cpArbiter *, double)",
}
_BEGIN = "void(*)(struct cpArbiter *, struct cpSpace *, void *)"
_CONTACT_POINTS = 104  # bytes of a cpContactPointSet


def _library() -> ChipmunkLibrary:
    """Chipmunk's functions, with PHYRE's rule for slow bodies.

    Raises:
        ImportError: This build of pymunk declares one of them in another way.
    """
    pointers = {name: ffi.addressof(lib, name) for name in _FUNCTIONS}
    found = {name: ffi.typeof(pointer).cname for name, pointer in pointers.items()}
    same = found == _FUNCTIONS and ffi.typeof("cpCollisionBeginFunc").cname == _BEGIN
    if not same or ffi.sizeof("cpContactPointSet") != _CONTACT_POINTS:
        raise ImportError(
            "this build of pymunk declares functions of Chipmunk in an unknown way; "
            "install pymunk>=7.0,<8 from a released wheel"
        )
    addresses = {name: _address(pointer) for name, pointer in pointers.items()}
    return ChipmunkLibrary(addresses, bounce_speed=1.0 * PIXELS_PER_METRE)


def _address(pointer: Any) -> int:
    return int(ffi.cast("uintptr_t", pointer))


_LIBRARY = _library()


class _Mass(NamedTuple):
    """The mass of a body of density 1."""

    mass: float
    moment: float  # about the centre of mass
    centre: Floats  # [2] pixels from the body's origin


class _Space:
    """One scene and the balls of an action in one Chipmunk space, in pixels, y up.

    A body has its origin in its centre of mass, about which Chipmunk turns it. All static
    shapes belong to the one static body that every space has.
    """

    def __init__(self, scene: Scene, balls: int, constants: Constants) -> None:
        if scene.goal is None:
            raise ValueError(f"{scene.name or 'the scene'} has no goal; give it one to imagine")
        self._scene, self._constants = scene, constants
        self.hold_steps = scene.goal.hold_steps
        self._moving = [i for i, body in enumerate(scene.bodies) if body.dynamic]
        self._mass = [_mass_of(scene.bodies[i]) for i in self._moving]
        self._rows = body_rows(len(self._moving) + balls)
        self._bodies = [body_pointer(row) for row in self._rows]
        for i, body, mass in zip(self._moving, self._bodies, self._mass, strict=False):
            self._init_body(body, mass, *_start_of(scene.bodies[i], mass))
        self._start_rows = self._rows.copy()
        for body in self._bodies[-balls:]:
            lib.cpBodyInit(body, 1.0, 1.0)
        space = self._space = lib.cpSpaceNew()
        lib.cpSpaceSetGravity(space, (0.0, -_GRAVITY * constants.gravity))
        lib.cpSpaceSetIterations(space, constants.iterations)
        lib.cpSpaceSetCollisionSlop(space, _SLOP)
        lib.cpSpaceSetCollisionBias(space, constants.bias**STEPS_PER_SECOND)
        lib.cpSpaceSetSleepTimeThreshold(space, _SLEEP_SECONDS)
        lib.cpSpaceSetIdleSpeedThreshold(space, _SLEEP_SPEED)
        handler = lib.cpSpaceAddGlobalCollisionHandler(space)
        handler.beginFunc = ffi.cast("cpCollisionBeginFunc", _LIBRARY.soften)
        handler.userData = ffi.cast("void *", _LIBRARY.data)
        outlines = [self._outlines(i) for i in range(len(scene.bodies))]
        shapes = [self._new_shapes(i, outlines[i]) for i in range(len(scene.bodies))]
        self._ball_shapes = [
            self._new_shape(body, Outline(np.zeros((1, 2)), 1.0)) for body in self._bodies[-balls:]
        ]
        self._moving_shapes = [shapes[i] for i in self._moving]
        self._moving_shapes += [[shape] for shape in self._ball_shapes]
        everything = [*self._ball_shapes, *(shape for each in shapes for shape in each)]
        weakref.finalize(self, _free, space, everything, self._rows).atexit = False
        self._first_id = lib.cpSpaceGetShapeIDCounter(space)
        self._filled = False
        places = [(*body.position, body.angle) for body in scene.bodies]
        self._centres = np.array([mass.centre for mass in self._mass])
        self._start_poses = np.array(places + [(0.0, 0.0, 0.0)] * balls)
        self._pose_places = [*self._moving, *range(len(places), len(places) + balls)]
        pair = scene.goal[:2]
        self._goal_outlines = [outlines[i] for i in pair]
        self._goal_rows = [self._moving.index(i) if i in self._moving else -1 for i in pair]
        self.attempts = self._native_space([shapes[i] for i in pair])

    def _outlines(self, i: int) -> list[Outline]:
        """The shapes of a body about its centre of mass, or where they lie if it is static."""
        body = self._scene.bodies[i]
        outlines = [outline_of(shape) for shape in body.shapes]
        if body.dynamic:
            centre = self._mass[self._moving.index(i)].centre
            return [outline.moved(-centre) for outline in outlines]
        return [outline.moved(np.array(body.position), body.angle) for outline in outlines]

    def _new_shapes(self, i: int, outlines: list[Outline]) -> list[Any]:
        if self._scene.bodies[i].dynamic:
            body = self._bodies[self._moving.index(i)]
            return [self._new_shape(body, outline) for outline in outlines]
        ground = lib.cpSpaceGetStaticBody(self._space)
        shapes = [self._new_shape(ground, outline) for outline in outlines]
        for shape in shapes:
            lib.cpSpaceAddShape(self._space, shape)
        return shapes

    def _new_shape(self, body: Any, outline: Outline) -> Any:
        points = outline.points.tolist()
        if len(points) == 1:
            shape = lib.cpCircleShapeNew(body, outline.rim, points[0])
        else:
            shape = lib.cpPolyShapeNew(body, len(points), points, _IDENTITY, outline.rim)
        # Chipmunk multiplies what the two shapes of a contact have.
        lib.cpShapeSetFriction(shape, math.sqrt(self._constants.friction))
        lib.cpShapeSetElasticity(shape, math.sqrt(self._constants.restitution))
        return shape

    def _init_body(self, body: Any, mass: _Mass, x: float, y: float, *motion: float) -> None:
        """Let a body start somewhere, with an angle, a velocity and a spin."""
        angle, vx, vy, spin = motion or (0.0, 0.0, 0.0, 0.0)
        # PHYRE accelerates a body before it moves it, Chipmunk moves it first.
        fall = _GRAVITY * self._constants.gravity * _DT
        lib.cpBodyInit(body, mass.mass, mass.moment)
        lib.cpBodySetPosition(body, (x, y))
        lib.cpBodySetAngle(body, angle)
        lib.cpBodySetVelocity(body, (vx, vy - fall))
        lib.cpBodySetAngularVelocity(body, spin)

    def _empty(self) -> None:
        for body, shapes in zip(self._bodies, self._moving_shapes, strict=True):
            for shape in shapes:
                lib.cpSpaceRemoveShape(self._space, shape)
            lib.cpSpaceRemoveBody(self._space, body)

    def _fill(self, balls: Floats) -> None:
        """Put everything that moves where it starts, without a memory of the action before."""
        if self._filled:
            self._empty()
        self._rows[:] = self._start_rows
        lib.cpSpaceSetShapeIDCounter(self._space, self._first_id)
        rows = zip(balls.tolist(), self._bodies[-len(balls) :], self._ball_shapes, strict=True)
        for (x, y, radius), body, shape in rows:
            lib.cpCircleShapeSetRadius(shape, radius)
            self._init_body(body, _circle_mass(radius), x, y)
        for body, shapes in zip(self._bodies, self._moving_shapes, strict=True):
            lib.cpSpaceAddBody(self._space, body)
            for shape in shapes:
                lib.cpSpaceAddShape(self._space, shape)
        self._filled = True

    def run(
        self,
        balls: Floats,
        max_steps: int,
        rng: np.random.Generator | None = None,
        frames: list[Floats] | None = None,
    ) -> tuple[int, int, Floats]:
        """Make one attempt.

        Args:
            balls: [balls, 3] in pixels.
            max_steps: at most.
            rng: draws the noise on motion, if there is any.
            frames: gets the poses at the start and at every look.

        Returns:
            The steps of the longest touch of the goal bodies, the steps made, and
            [looks, moving goal bodies, columns] of their rows.
        """
        self._fill(balls)
        if frames is not None:
            frames.append(self.poses())
        constants = self._constants
        stride = constants.stride
        pace = ChipmunkPace(
            max_steps=max_steps,
            stride=stride,
            dt=_DT,
            damping=(1.0 + _ANGULAR_DAMPING * _DT) ** -stride,
        )
        looks = max_steps // stride + 1
        noise = None
        if rng is not None:
            spread = constants.motion_noise * math.sqrt(stride * _DT)
            noise = rng.normal(1.0, spread, (looks, len(self._rows), 3))
        moving = sum(row >= 0 for row in self._goal_rows)
        path = np.empty((looks, moving, SEEN.stop - SEEN.start))
        progress = np.zeros(4, np.int64)  # steps, of this touch, of the longest touch; looks
        # Between two looks at all poses it is Python's turn.
        at_once = looks if frames is None else 1
        over = False
        while not over:
            over = self.attempts.advance(progress, path, noise, at_once, pace)
            if frames is not None:
                frames.append(self.poses())
        done, _, longest, look = progress.tolist()
        return longest, done, path[:look]

    def _native_space(self, shapes: Sequence[Sequence[Any]]) -> ChipmunkSpace:
        """The space as the native loop sees it, with the shapes of the goal bodies."""
        first, second = outlines = self._goal_outlines
        circles = all(len(each) == 1 and len(each[0].points) == 1 for each in outlines)
        static = [k for k, row in enumerate(self._goal_rows) if row < 0]
        reach, bounds, pairs = math.inf, [-math.inf, -math.inf, math.inf, math.inf], []
        if circles:  # of which PHYRE has a rule of its own
            reach = first[0].rim + second[0].rim + _CIRCLES_TOUCH
        else:
            pairs = [[_address(a), _address(b)] for a in shapes[0] for b in shapes[1]]
            # A quick test that holds whenever they touch, and seldom else.
            if static:
                bounds = self._bounds(outlines[static[0]], _reach(outlines[1 - static[0]]))
            else:
                reach = _reach(first) + _reach(second) + _CLOSE
        return ChipmunkSpace(
            _LIBRARY,
            _address(self._space),
            self._rows,
            centre=LAYOUT.x,
            motion=np.array(_MOTION),
            seen=np.array([SEEN.start, SEEN.stop]),
            goal_rows=np.array(self._goal_rows),
            places=np.stack([outline[0].points[0] for outline in outlines]),
            reach=reach,
            bounds=np.array(bounds),
            shapes=np.array(pairs, np.uint64).reshape(-1, 2),
            hold_steps=self.hold_steps,
        )

    @staticmethod
    def _bounds(static: list[Outline], reach: float) -> list[float]:
        """Where the centre of a body with such a reach is if it touches a static one."""
        points = np.concatenate([outline.points for outline in static])
        margin = reach + max(each.rim for each in static) + _CLOSE
        return [*(points.min(axis=0) - margin).tolist(), *(points.max(axis=0) + margin).tolist()]

    def closest(self, path: Floats) -> float:
        """The least distance of the goal bodies on their paths, in pixels."""
        rows = iter(path.swapaxes(0, 1))
        paths = [None if row < 0 else next(rows) for row in self._goal_rows]
        first, second = (
            [(points_on_path(outline.points, path), outline.rim) for outline in outlines]
            for outlines, path in zip(self._goal_outlines, paths, strict=True)
        )
        return min(least_distance(a, b) - c - d for a, c in first for b, d in second)

    def poses(self) -> Floats:
        """[bodies, 3] x, y in pixels of each body's origin, and its angle; balls last."""
        poses = self._start_poses.copy()
        poses[self._pose_places] = self._rows[:, _POSE]
        cos, sin = self._rows[: len(self._moving), LAYOUT.cos : LAYOUT.sin + 1].T
        x, y = self._centres.T
        poses[self._moving, 0] -= cos * x - sin * y
        poses[self._moving, 1] -= sin * x + cos * y
        return poses


def _reach(outlines: list[Outline]) -> float:
    """How far a body reaches from its centre of mass."""
    return max(float(np.hypot(*each.points.T).max()) + each.rim for each in outlines)


def _free(space: Any, shapes: list[Any], rows: Floats) -> None:
    """Give all memory back to Chipmunk; the bodies live in the rows until then."""
    lib.cpSpaceFree(space)
    for shape in shapes:
        lib.cpShapeFree(shape)
    del rows


def _circle_mass(radius: float) -> _Mass:
    mass = math.pi * radius**2
    return _Mass(mass, mass * radius**2 / 2, np.zeros(2))


def _polygon_mass(vertices: Sequence[Vec]) -> _Mass:
    area = float(lib.cpAreaForPoly(len(vertices), vertices, 0.0))
    centre = lib.cpCentroidForPoly(len(vertices), vertices)
    offset = (-centre.x, -centre.y)
    moment = lib.cpMomentForPoly(area, len(vertices), vertices, offset, 0.0)
    return _Mass(area, float(moment), np.array([centre.x, centre.y]))


def _mass_of(body: Body) -> _Mass:
    parts = [
        _circle_mass(shape.radius) if isinstance(shape, Circle) else _polygon_mass(shape.vertices)
        for shape in body.shapes
    ]
    mass = sum(part.mass for part in parts)
    centre = sum((part.mass * part.centre for part in parts), np.zeros(2)) / mass
    apart = [part.mass * float(((part.centre - centre) ** 2).sum()) for part in parts]
    return _Mass(mass, sum(part.moment for part in parts) + sum(apart), centre)


def _start_of(body: Body, mass: _Mass) -> tuple[float, ...]:
    """Where the centre of mass of a body starts, its angle, and how they change."""
    x, y = np.array(body.position) + turned(mass.centre, body.angle)
    return (float(x), float(y), body.angle, *body.velocity, body.angular_velocity)
