"""The original's simulator: actions on an indexed list of tasks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from copy import deepcopy
from functools import cached_property
from typing import Any, SupportsIndex

import numpy as np
import numpy.typing as npt

from topple.compat.phyre import simulator
from topple.compat.phyre.action_mappers import ACTION_MAPPERS, ActionMapper, get_action_mapper
from topple.compat.phyre.conversion import (
    scene_task,
    task_to_thrift,
    thrift_to_goal,
    thrift_to_scene,
)
from topple.compat.phyre.interface.scene import ttypes as scene_if
from topple.compat.phyre.interface.task import ttypes as task_if
from topple.compat.phyre.loader import check_task_ids
from topple.compat.phyre.simulation import FeaturizedObjects, Simulation, SimulationStatus
from topple.phyre.action import Actions, discrete_actions
from topple.phyre.engine.request import DEFAULT_STRIDE, SCENE_SIZE
from topple.phyre.scene import Scene
from topple.phyre.simulator import Simulator
from topple.phyre.task import Task, load_task
from topple.phyre.task_set import Puzzle
from topple.phyre.tier import Tier

MAX_RELATION = max(task_if.SpatialRelationship._VALUES_TO_NAMES) + 1
MAX_OBJECT_TYPE = 5  # goal bodies beyond the walls, 0 to 3, are all encoded as 4
MAX_GOAL = max(MAX_RELATION, MAX_OBJECT_TYPE)

AnyTask = Puzzle | task_if.Task | str

__all__ = ["ActionSimulator", "SimulationStatus", "initialize_simulator"]


class ActionSimulator:
    """Tasks by index, and actions on them.

    Args:
        tasks: the original's task objects, task ids, or tasks or scenes of Topple; or a
            mapping with these as values.
        action_mapper: the name of the tier, "ball" or "two_balls", or its mapper.
        no_goals: leave ``goals`` None, as the original does by default.
    """

    def __init__(
        self,
        tasks: Iterable[AnyTask] | Mapping[str, AnyTask],
        action_mapper: str | ActionMapper,
        no_goals: bool = True,
    ) -> None:
        self._given = tuple(tasks.values() if isinstance(tasks, Mapping) else tasks)
        self.tier = action_mapper if isinstance(action_mapper, str) else "unknown"
        self._action_mapper = (
            get_action_mapper(action_mapper) if isinstance(action_mapper, str) else action_mapper
        )
        # The engine maps actions of the tiers itself, many times faster.
        mappers = {mapper: tier for tier, mapper in ACTION_MAPPERS.items()}
        self._native_tier = mappers.get(type(self._action_mapper))
        self._simulator = Simulator(
            [_puzzle(task, place) for place, task in enumerate(self._given)],
            self._native_tier or Tier.BALL,
        )
        self._task_ids = tuple(
            task.taskId if isinstance(task, task_if.Task) else name
            for task, name in zip(self._given, self._simulator.names, strict=True)
        )
        self._no_goals = no_goals

    @property
    def task_ids(self) -> tuple[str, ...]:
        """The ids of the tasks, in order."""
        return self._task_ids

    @cached_property
    def _tasks(self) -> tuple[task_if.Task, ...]:
        """The tasks as the original's objects."""
        return tuple(map(_thrift_task, self._given, self._task_ids))

    @cached_property
    def _serialized(self) -> tuple[bytes, ...]:
        """The tasks as bytes."""
        return tuple(map(simulator.serialize, self._tasks))

    @property
    def action_space_dim(self) -> int:
        """How many numbers an action has."""
        return len(self._action_mapper.DIMENSION_TYPES)

    @cached_property
    def initial_scenes(self) -> npt.NDArray[np.int64]:
        """[tasks, 256, 256] colour codes, row 0 at the bottom."""
        # The original gives 64-bit numbers here and 8-bit ones in simulations; code that
        # makes tensors of them relies on it.
        return self._simulator.initial_images().astype(np.int64)

    @cached_property
    def initial_featurized_objects(self) -> list[FeaturizedObjects]:
        """[tasks] object features of one frame each."""
        simulator = self._simulator
        return [
            FeaturizedObjects(simulator.initial_features(task)[None])
            for task in range(len(simulator))
        ]

    @cached_property
    def goals(self) -> npt.NDArray[np.uint8] | None:
        """[tasks, 3] type of the first body, relation, type of the second; None by default."""
        if self._no_goals:
            return None
        last = MAX_OBJECT_TYPE - 1
        rows = [
            (min(task.bodyId1, last), task.relationships[0], min(task.bodyId2, last))
            for task in self._tasks
        ]
        return np.array(rows, np.uint8)

    def sample(self, valid_only: bool = True, rng: np.random.RandomState | None = None) -> Actions:
        """A random action; ``valid_only`` draws until its balls lie in the scene and apart."""
        return self._action_mapper.sample(valid_only, rng)

    def build_discrete_action_space(self, max_actions: int, seed: int = 1) -> list[Actions]:
        """The first actions of a seed's fixed list."""
        if self._native_tier is not None:
            return list(discrete_actions(self._simulator.tier, max_actions, seed))
        rng = np.random.RandomState(seed)
        return [self.sample(rng=rng) for _ in range(max_actions)]

    def _get_user_input(self, action: npt.ArrayLike) -> tuple[scene_if.UserInput, bool]:
        """What an action places, and whether it fits a scene without bodies."""
        return self._action_mapper.action_to_user_input(action)

    def _simulate_user_input(
        self,
        task_index: SupportsIndex,
        user_input: scene_if.UserInput,
        need_images: bool,
        need_featurized_objects: bool,
        stride: int,
    ) -> tuple[SimulationStatus, Any, Any]:
        """Status, images and features of a task with what the player places."""
        task = self._tasks[task_index]
        covers = not self._action_mapper.OCCLUSIONS_ALLOWED
        if covers and simulator.check_for_occlusions(task, user_input):
            return SimulationStatus.INVALID_INPUT, None, None
        solved, _, images, objects = simulator.magic_ponies(
            task,
            user_input,
            stride=stride,
            need_images=need_images,
            need_featurized_objects=need_featurized_objects,
        )
        status = SimulationStatus.SOLVED if solved else SimulationStatus.NOT_SOLVED
        return (
            status,
            images if need_images else None,
            objects if need_featurized_objects else None,
        )

    def simulate_single(
        self,
        task_index: SupportsIndex,
        action: npt.ArrayLike,
        need_images: bool = True,
        stride: int = DEFAULT_STRIDE,
        stable: bool = False,
    ) -> tuple[SimulationStatus | None, npt.NDArray[np.uint8] | None]:
        """The status and the images of ``simulate_action``, as older code wants them."""
        simulation = self.simulate_action(
            task_index, action, need_images=need_images, stride=stride, stable=stable
        )
        return simulation.status, simulation.images

    def simulate_action(
        self,
        task_index: SupportsIndex,
        action: npt.ArrayLike,
        *,
        need_images: bool = True,
        need_featurized_objects: bool = False,
        stride: int = DEFAULT_STRIDE,
        stable: bool = False,
    ) -> Simulation:
        """Tries an action on a task.

        Args:
            task_index: place of the task in ``task_ids``; negative ones count from the end.
            action: [action_space_dim] numbers from 0 to 1; with others it is invalid.
            need_images: keep images of the frames.
            need_featurized_objects: keep object features of the frames.
            stride: keep a frame after steps 0, stride, 2 * stride and so on; none if it is
                not positive.
            stable: try the half-pixel neighbours of a solution, too, and return
                STABLY_SOLVED or UNSTABLY_SOLVED in place of SOLVED.
        """
        place = range(len(self.task_ids))[task_index]
        if self._native_tier is None or self._simulator.scenes.packed.goals[place, 0] < 0:
            return self._simulate_mapped(
                place, action, need_images, need_featurized_objects, stride, stable
            )
        array = np.asarray(action, dtype=np.float64)
        if not np.isfinite(array).all():
            return Simulation(status=SimulationStatus.INVALID_INPUT)
        frames = stride > 0
        result = self._simulator.attempt(
            place,
            array,
            stable=stable,
            images=need_images and frames,
            objects=need_featurized_objects and frames,
            stride=stride if frames else DEFAULT_STRIDE,
        )
        status = SimulationStatus(result.outcome)
        if status.is_invalid():
            return Simulation(status=status)
        images = result.images
        if need_images and images is None:
            images = np.zeros((0, SCENE_SIZE, SCENE_SIZE), np.uint8)
        return Simulation(status=status, images=images, featurized_objects=result.objects)

    def _simulate_mapped(
        self,
        place: int,
        action: npt.ArrayLike,
        need_images: bool,
        need_featurized_objects: bool,
        stride: int,
        stable: bool,
    ) -> Simulation:
        """``simulate_action`` for mappers and relations that the engine does not know."""
        user_input, fits = self._get_user_input(action)
        if not fits:
            return Simulation(status=SimulationStatus.INVALID_INPUT)
        status, images, objects = self._simulate_user_input(
            place, user_input, need_images, need_featurized_objects, stride
        )
        if stable and status.is_solved():
            neighbours = (
                self._simulate_user_input(place, near, False, False, stride)[0]
                for near in _neighbours(user_input)
            )
            failed = any(neighbour.is_not_solved() for neighbour in neighbours)
            stably, unstably = SimulationStatus.STABLY_SOLVED, SimulationStatus.UNSTABLY_SOLVED
            status = unstably if failed else stably
        return Simulation(status=status, images=images, featurized_objects=objects)


def _neighbours(user_input: scene_if.UserInput) -> Iterator[scene_if.UserInput]:
    """What the player places, moved by half a pixel in eight directions."""
    for dx in (-0.5, 0, 0.5):
        for dy in (-0.5, 0, 0.5):
            if dx or dy:
                near = deepcopy(user_input)
                for ball in near.balls:
                    ball.position.x += dx
                    ball.position.y += dy
                yield near


def initialize_simulator(task_ids: Sequence[str], action_tier: str) -> ActionSimulator:
    """A simulator of published tasks.

    Raises:
        RuntimeError: Some ids are not published; the message lists them.
    """
    check_task_ids(task_ids)
    return ActionSimulator(task_ids, action_tier)


def _puzzle(task: AnyTask, place: int) -> Puzzle | str:
    if not isinstance(task, task_if.Task):
        return task
    # Edited copies of a task may keep its id, so that a place tells them apart.
    return thrift_to_scene(task.scene, thrift_to_goal(task), f"{task.taskId} at {place}")


def _thrift_task(task: AnyTask, task_id: str) -> task_if.Task:
    if isinstance(task, task_if.Task):
        return task
    if isinstance(task, Scene):
        return scene_task(task, task_id)
    return task_to_thrift(task if isinstance(task, Task) else load_task(task))
