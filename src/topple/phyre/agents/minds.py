"""What an agent has in its head: a scene as it perceives it, and an engine to imagine with.

Nothing here simulates what will happen. Minds differ from the engine of the benchmark in the scene
they see, in the constants they believe in, or in the care with which they compute.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from topple.phyre.action import Actions
from topple.phyre.agents.nearness import APART, LOOKS_PER_SECOND, kept_distances
from topple.phyre.builder import WALL_BODIES
from topple.phyre.engine.backend import Backend
from topple.phyre.engine.balls import with_balls
from topple.phyre.engine.native import SceneSet, map_actions, simulate_batch
from topple.phyre.engine.physics import Physics
from topple.phyre.engine.request import MAX_STEPS, STEPS_PER_SECOND, Request
from topple.phyre.engine.result import BatchResult, Outcome
from topple.phyre.frames import start_poses
from topple.phyre.scene import Body, Circle, Polygon, Scene, Shape

_FRAMES_PER_SECOND = 10  # of imagined motion
_LEAST_SCALE = 0.2  # of a misperceived size


class Imagined(NamedTuple):
    """What a mind expects of some actions."""

    solved: npt.NDArray[np.bool_]  # [actions]
    distance: npt.NDArray[np.float64]  # [actions] that the goal's bodies kept, in pixels
    final: npt.NDArray[np.float64]  # [actions, bodies, 2] where the scene's bodies end, in pixels


class Motion(NamedTuple):
    """An imagined attempt, to be looked at."""

    solved: bool
    fps: float  # frames in a second
    poses: npt.NDArray[np.float64]  # [frames, bodies, 3] x, y in pixels, angle; balls last
    balls: npt.NDArray[np.float64]  # [balls, 3] x, y and radius in pixels, at the start


class Mind(Protocol):
    """An engine to imagine with, on one perceived scene."""

    def imagine(self, actions: Actions, seed: int) -> Imagined:
        """Imagine actions; the seed draws what the mind leaves to chance."""
        ...

    def motion(self, action: Actions, seed: int) -> Motion | None:
        """How an action is imagined; None if its balls do not fit the perceived scene."""
        ...


class Asked(NamedTuple):
    """What a mind is asked to imagine."""

    mind: Mind
    actions: Actions
    seed: int


#: Lets several minds imagine, and returns what each expects.
Ask = Callable[[Sequence[Asked]], list[Imagined]]


def ask_in_turn(asked: Sequence[Asked]) -> list[Imagined]:
    """Let minds imagine one after the other, on the CPU."""
    return [each.mind.imagine(each.actions, each.seed) for each in asked]


@dataclass(frozen=True, slots=True)
class Perception:
    """How far off bodies are perceived, as standard deviations.

    Attributes:
        place: in pixels.
        angle: in degrees.
        size: in per cent.
    """

    place: float = 0.0
    angle: float = 0.0
    size: float = 0.0

    @property
    def is_perfect(self) -> bool:
        """Whether scenes are seen as they are."""
        return not (self.place or self.angle or self.size)

    def look(self, scene: Scene, rng: np.random.Generator) -> Scene:
        """The scene as it is perceived at a glance. The frame of the scene is certain."""
        bodies = []
        for body in scene.bodies:
            draws = rng.standard_normal(4)
            bodies.append(body if body in WALL_BODIES else self._misplaced(body, draws))
        return scene._replace(bodies=tuple(bodies))

    def _misplaced(self, body: Body, draws: npt.NDArray[np.float64]) -> Body:
        x, y, turn, growth = draws.tolist()
        scale = max(1 + self.size / 100 * growth, _LEAST_SCALE)
        round_one = all(isinstance(shape, Circle) for shape in body.shapes)
        return body._replace(
            shapes=tuple(_scaled(shape, scale) for shape in body.shapes),
            position=(body.position[0] + self.place * x, body.position[1] + self.place * y),
            angle=body.angle if round_one else body.angle + math.radians(self.angle) * turn,
            diameter=body.diameter * scale,
        )


def _scaled(shape: Shape, scale: float) -> Shape:
    if isinstance(shape, Circle):
        return Circle(shape.radius * scale)
    return Polygon(tuple((x * scale, y * scale) for x, y in shape.vertices))


class NativeMind:
    """The engine of the benchmark with other physics, on a perceived scene.

    Args:
        scene: as it is perceived.
        physics: as they are believed to be.
    """

    def __init__(self, scene: Scene, physics: Physics) -> None:
        self._scene = scene
        self._scenes = SceneSet([scene])
        self._physics = physics
        self._request = Request(
            max_steps=physics.steps(MAX_STEPS),
            stride=max(1, round(1 / physics.time_step / LOOKS_PER_SECOND)),
            states=True,
            final_state=True,
        )
        self._goal = self._scenes.packed.goals[0, :2]
        self._bodies = len(scene.bodies)

    def imagine(self, actions: Actions, seed: int) -> Imagined:
        """Imagine actions; the seed draws the noise of motion."""
        index = np.zeros(len(actions), np.int32)
        physics = self._seeded(seed)
        result = simulate_batch(
            self._scenes, index, actions, self._request, threads=1, physics=physics
        )
        return self._expected(result)

    def _seeded(self, seed: int) -> Physics:
        return replace(self._physics, seed=seed) if self._physics.noise else self._physics

    def _expected(self, result: BatchResult) -> Imagined:
        assert result.final_state is not None
        return Imagined(
            result.outcome == Outcome.SOLVED,
            kept_distances(result, self._goal),
            result.final_state[:, : self._bodies, :2].astype(np.float64),
        )

    def motion(self, action: Actions, seed: int) -> Motion | None:
        """How an action is imagined; None if its balls do not fit the perceived scene."""
        own = self._physics
        stride = max(1, round(1 / own.time_step / _FRAMES_PER_SECOND))
        request = Request(max_steps=self._request.max_steps, stride=1, states=True)
        physics = self._seeded(seed)
        result = simulate_batch(self._scenes, [0], action[None], request, physics=physics)
        outcome = Outcome(int(result.outcome[0]))
        if not outcome.is_valid:
            return None
        assert result.states is not None
        balls = map_actions(self._scenes, np.zeros(1, np.int32), action[None])[1][0]
        start = start_poses(with_balls(self._scene, balls))
        states = result.states[0, : result.frame_count[0], :, :3]
        poses = np.concatenate([start[None], states])[::stride]
        return Motion(outcome.is_solved, 1 / own.time_step / stride, poses, balls)

    @staticmethod
    def imagine_together(asked: Sequence[Asked], backend: Backend) -> list[Imagined]:
        """Let several minds imagine in one batch; they have to agree about the time step."""
        minds = [each.mind for each in asked if isinstance(each.mind, NativeMind)]
        assert len(minds) == len(asked)
        counts = [len(each.actions) for each in asked]
        result = simulate_batch(
            SceneSet([mind._scene for mind in minds]),
            np.repeat(np.arange(len(asked), dtype=np.int32), counts),
            np.concatenate([each.actions for each in asked]),
            minds[0]._request,
            backend=backend,
            physics=[m._seeded(each.seed) for m, each in zip(minds, asked, strict=True)],
        )
        parts = np.split(np.arange(len(result)), np.cumsum(counts)[:-1])
        return [m._expected(result.rows(rows)) for m, rows in zip(minds, parts, strict=True)]


class Together:
    """Lets the minds of several tasks imagine in one batch, which is worth a GPU.

    Every task has a thread of its own. The batch is made when all of them wait for it.

    Args:
        backend: what makes the batches.
    """

    def __init__(self, backend: Backend) -> None:
        self._backend: Backend = backend
        self._lock = threading.Lock()
        self._tasks = 0
        self._waiting: list[tuple[Sequence[Asked], Future[list[Imagined]]]] = []

    @contextmanager
    def task(self) -> Iterator[Ask]:
        """Think about a task, and let its minds imagine with those of other tasks."""
        with self._lock:
            self._tasks += 1
        try:
            yield self._ask
        finally:
            with self._lock:
                self._tasks -= 1
                self._imagine_if_all_wait()

    def _ask(self, asked: Sequence[Asked]) -> list[Imagined]:
        answer: Future[list[Imagined]] = Future()
        with self._lock:
            self._waiting.append((asked, answer))
            self._imagine_if_all_wait()
        return answer.result()

    def _imagine_if_all_wait(self) -> None:
        if not self._waiting or len(self._waiting) < self._tasks:
            return
        calls, self._waiting = self._waiting, []
        try:
            every = [each for asked, _ in calls for each in asked]
            found = iter(NativeMind.imagine_together(every, self._backend))
            for asked, answer in calls:
                answer.set_result([next(found) for _ in asked])
        except BaseException as error:  # the others wait for an answer, whatever it is
            for _, answer in calls:
                if not answer.done():
                    answer.set_exception(error)


@dataclass
class Percepts:
    """What the world may be like, each with a weight.

    Attributes:
        minds: one for each percept.
        ask: lets them imagine.
        weights: they add up to 1.
    """

    minds: Sequence[Mind]
    ask: Ask = ask_in_turn

    def __post_init__(self) -> None:
        self._logs = np.zeros(len(self.minds))

    @property
    def weights(self) -> npt.NDArray[np.float64]:
        """[percepts] how likely each is."""
        likely = np.exp(self._logs - self._logs.max())
        return np.asarray(likely / likely.sum())

    def update(self, action: Actions, seen: npt.NDArray[np.float64], spread: float) -> None:
        """Learn from where the bodies were seen to end after an action.

        Args:
            action: [3 * balls] that was tried.
            seen: [bodies, 2] in pixels.
            spread: how far off, in pixels, a right percept is expected to be.
        """
        if len(self.minds) == 1:
            return
        asked = [Asked(mind, action[None], place) for place, mind in enumerate(self.minds)]
        for place, expected in enumerate(self.ask(asked)):
            off = np.hypot(*(expected.final[0] - seen).T)
            # A body that went elsewhere altogether says no more than that.
            self._logs[place] -= np.minimum(off / spread, 3.0).max() ** 2 / 2


class OtherEngineMind:
    """Another engine altogether, Chipmunk, on a perceived scene.

    Args:
        scene: as it is perceived.
        physics: the constants that are believed; how to compute is the engine's own business.
    """

    def __init__(self, scene: Scene, physics: Physics) -> None:
        from topple.phyre.agents.chipmunk import ChipmunkMind, Constants  # an optional extra

        self._scene = scene
        self._engine = ChipmunkMind(
            Constants(
                friction=physics.friction,
                restitution=physics.restitution,
                gravity=physics.gravity / Physics().gravity,
                motion_noise=physics.noise,
            )
        )

    def imagine(self, actions: Actions, seed: int) -> Imagined:
        """Imagine actions; the seed draws the noise of motion."""
        result = self._engine.imagine(self._scene, actions.reshape(len(actions), -1, 3), seed)
        goal = self._scene.goal
        assert goal is not None
        # The longer they touched, the nearer to a solution.
        missing = 1 - result.touch / goal.hold_steps
        distance = np.where(np.isfinite(result.distance), result.distance, APART)
        bodies = len(self._scene.bodies)
        return Imagined(
            result.outcome == Outcome.SOLVED, distance + missing, result.final[:, :bodies, :2]
        )

    def motion(self, action: Actions, seed: int) -> Motion | None:
        """How an action is imagined; None if its balls do not fit the perceived scene."""
        frames: list[npt.NDArray[np.float64]] = []
        result = self._engine.imagine(self._scene, action.reshape(1, -1, 3), seed, frames)
        if not frames:
            return None
        places = SceneSet([self._scene]), np.zeros(1, np.int32)
        balls = map_actions(*places, action[None])[1][0]
        fps = STEPS_PER_SECOND / self._engine.constants.stride
        return Motion(bool(result.outcome[0] == Outcome.SOLVED), fps, np.stack(frames), balls)
