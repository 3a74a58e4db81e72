"""What single and vector environments of PHYRE share: tasks in slots, tried in one batch."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from topple.phyre.engine.backend import Backend, check_backend
from topple.phyre.engine.native import SceneSet, draw_scenes, simulate_batch
from topple.phyre.engine.request import SCENE_SIZE, Request
from topple.phyre.engine.result import FEATURE_COUNT, Outcome
from topple.phyre.features import scene_features
from topple.phyre.fold import Setup, load_fold
from topple.phyre.frames import code_frame
from topple.phyre.scene import Scene
from topple.phyre.task_set import Choice, TaskSet
from topple.phyre.tier import Tier

MAX_OBJECTS = 64  # rows of a feature observation; the published tasks have up to 61

Observation = npt.NDArray[np.uint8] | npt.NDArray[np.float32]
ObservationKind = Literal["image", "features"]
FoldPart = Literal["train", "dev", "test"]

_DEFAULT_SETUPS = {
    Tier.BALL: Setup.BALL_WITHIN_TEMPLATE,
    Tier.TWO_BALLS: Setup.TWO_BALLS_WITHIN_TEMPLATE,
}


def empty_observations(slots: int, kind: ObservationKind) -> Observation:
    """[slots, ...] zeros of the shape and type of an observation.

    Raises:
        ValueError: there is no such kind of observation.
    """
    if kind == "image":
        return np.zeros((slots, SCENE_SIZE, SCENE_SIZE), np.uint8)
    if kind == "features":
        return np.zeros((slots, MAX_OBJECTS, FEATURE_COUNT), np.float32)
    raise ValueError(f"observation is {kind!r}; it has to be 'image' or 'features'")


def tasks_of(
    tier: Tier,
    tasks: Choice | Iterable[Choice] | None,
    setup: Setup | str | None,
    fold: int | None,
    part: FoldPart | None,
) -> TaskSet:
    """The tasks an environment samples from: those given, or a part of a fold.

    Raises:
        ValueError: tasks and a fold were both given, or there is no such fold or part.
    """
    if tasks is not None:
        if (setup, fold, part) != (None, None, None):
            raise ValueError("give tasks, or a part of a fold by setup, fold and part, not both")
        return TaskSet(tasks, tier)
    if setup is None:
        setup = _DEFAULT_SETUPS[tier]
    elif isinstance(setup, str):
        setup = Setup.parse(setup)
    if setup.tier is not tier:
        raise ValueError(
            f"setup {setup.value!r} is of tier {setup.tier.value!r}, not {tier.value!r}"
        )
    part = "train" if part is None else part
    if part not in ("train", "dev", "test"):
        raise ValueError(f"part is {part!r}; it has to be 'train', 'dev' or 'test'")
    return TaskSet(getattr(load_fold(setup, 0 if fold is None else fold), part), tier)


def choose_scene(tasks: TaskSet, rng: np.random.Generator, options: dict[str, Any] | None) -> Scene:
    """The scene that reset options ask for, or a random one of the tasks.

    Raises:
        ValueError: the options ask for something else.
    """
    unknown = (options or {}).keys() - {"task"}
    if unknown:
        raise ValueError(f"options has {sorted(unknown)}; only 'task' is known")
    if not options:
        return tasks.scene(int(rng.integers(len(tasks))))
    return TaskSet(options["task"], tasks.tier).scene(0)


class Slots:
    """Slots that each hold a task and the attempts made on it, for one thread at a time.

    Args:
        slots: how many tasks are tried beside each other.
        tier: what an action places.
        kind: what is observed.
        max_attempts: valid attempts on a task before its episode is cut off.
        backend: where batches run; see :func:`topple.phyre.engine.native.simulate_batch`.
    """

    def __init__(
        self,
        slots: int,
        tier: Tier,
        kind: ObservationKind,
        max_attempts: int,
        backend: Backend = "cpu",
    ) -> None:
        if max_attempts < 1:
            raise ValueError(f"max_attempts is {max_attempts}; it has to be at least 1")
        self._kind = kind
        self._tier = tier
        self._max_attempts = max_attempts
        self._backend = check_backend(backend)
        self._scenes: list[Scene | None] = [None] * slots
        self._packed: SceneSet | None = None
        self._observation: Observation = empty_observations(slots, kind)
        self._actions = np.zeros((slots, tier.action_size))
        self.attempts = np.zeros(slots, np.int64)  # valid ones on the task of each slot
        self.outcome = np.zeros(slots, np.int8)  # of the last action
        self.steps = np.zeros(slots, np.int64)  # that the last action was simulated for
        self.tried = np.zeros(slots, np.bool_)  # whether there was an action on the task

    def start(self, slot: int, scene: Scene) -> None:
        """Put a task into a slot."""
        single = SceneSet([scene])
        if self._kind == "image":
            self._observation[slot] = draw_scenes(single)[0]
        else:
            features = scene_features(single, 0)
            if len(features) > MAX_OBJECTS:
                raise ValueError(
                    f"{scene.name} has {len(features)} objects; feature observations hold "
                    f"{MAX_OBJECTS}, use images"
                )
            self._observation[slot] = 0.0
            self._observation[slot, : len(features)] = features
        self._scenes[slot] = scene
        self._packed = None
        self.attempts[slot] = self.steps[slot] = self.outcome[slot] = 0
        self.tried[slot] = False

    def _all(self) -> SceneSet:
        """The scenes in the slots; packing a few anew is cheap beside simulating them."""
        if self._packed is None:
            scenes = [scene for scene in self._scenes if scene is not None]
            if len(scenes) < len(self._scenes):
                raise RuntimeError("there is no task yet; call reset() before step()")
            self._packed = SceneSet(scenes)
        return self._packed

    def act(self, slots: Sequence[int] | npt.NDArray[np.int64], actions: npt.ArrayLike) -> None:
        """Try an action in each of some slots, all in one batch."""
        chosen = np.asarray(actions, dtype=np.float64)
        places = np.asarray(slots, dtype=np.int64)
        batch = simulate_batch(self._all(), places, chosen, backend=self._backend)
        self._actions[slots] = chosen
        self.outcome[slots] = batch.outcome
        self.steps[slots] = batch.steps
        self.attempts[slots] += batch.outcome != Outcome.INVALID
        self.tried[slots] = True

    @property
    def solved(self) -> npt.NDArray[np.bool_]:
        """[slots] whether the last action solved the task."""
        return self.outcome > 0

    @property
    def spent(self) -> npt.NDArray[np.bool_]:
        """[slots] whether all attempts were made in vain."""
        return (self.attempts >= self._max_attempts) & ~self.solved

    def observe(self) -> Observation:
        """[slots, ...] the tasks before any action."""
        return self._observation.copy()

    def info(self, slot: int) -> dict[str, Any]:
        """The task, the attempts made, and what came of the last action if there was one."""
        scene = self._scenes[slot]
        known: dict[str, Any] = {
            "task": "" if scene is None else scene.name,
            "attempts": int(self.attempts[slot]),
        }
        if self.tried[slot]:
            known["outcome"] = int(self.outcome[slot])
            known["valid"] = bool(self.outcome[slot] != Outcome.INVALID)
            known["steps"] = int(self.steps[slot])
        return known

    def picture(self, slot: int) -> npt.NDArray[np.uint8]:
        """[256, 256, 3] how the last valid attempt ended; before one, the task."""
        packed = self._all()
        if self.outcome[slot] == Outcome.INVALID:
            return code_frame(draw_scenes(packed, [slot])[0])
        # Frames come after steps 0 and the last one, which 1000 steps in vain end with 999.
        last = int(self.steps[slot]) - (self.outcome[slot] == Outcome.NOT_SOLVED)
        request = Request(images=True, stride=max(int(last), 1))
        attempt = simulate_batch(packed, [slot], self._actions[[slot]], request).attempt(0)
        assert attempt.images is not None
        return code_frame(attempt.images[-1])
