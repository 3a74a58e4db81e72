"""The original's simulator: actions on an indexed list of tasks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import SupportsIndex

import numpy as np
import numpy.typing as npt

from topple.compat.phyre.simulation import FeaturizedObjects, Simulation, SimulationStatus
from topple.phyre.action import Actions, discrete_actions, fits
from topple.phyre.engine.request import DEFAULT_STRIDE, SCENE_SIZE
from topple.phyre.simulator import Simulator
from topple.phyre.task import UnknownTaskError, load_task
from topple.phyre.task_set import Puzzle

TOUCHING = 6  # the original's number for the only relation of its published goals
MAX_OBJECT_TYPE = 5  # goal bodies beyond the walls, 0 to 3, are all encoded as 4

__all__ = ["ActionSimulator", "SimulationStatus", "initialize_simulator"]


class ActionSimulator:
    """Tasks by index, and actions on them.

    Args:
        tasks: task ids, tasks or scenes, or a mapping with these as values.
        action_mapper: the name of the tier, "ball" or "two_balls".
        no_goals: leave ``goals`` None, as the original does by default.
    """

    def __init__(
        self,
        tasks: Sequence[Puzzle | str] | Mapping[str, Puzzle | str],
        action_mapper: str,
        no_goals: bool = True,
    ) -> None:
        listed = tasks.values() if isinstance(tasks, Mapping) else tasks
        self._simulator = Simulator(listed, action_mapper)
        self._no_goals = no_goals
        self.tier = action_mapper

    @property
    def task_ids(self) -> tuple[str, ...]:
        """The ids of the tasks, in order."""
        return self._simulator.names

    @property
    def action_space_dim(self) -> int:
        """How many numbers an action has."""
        return self._simulator.action_size

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
        first, second = self._simulator.goals[:, :2].clip(max=MAX_OBJECT_TYPE - 1).T
        return np.stack([first, np.full_like(first, TOUCHING), second], 1).astype(np.uint8)

    def sample(self, valid_only: bool = True, rng: np.random.RandomState | None = None) -> Actions:
        """A random action; ``valid_only`` draws until its balls lie in the scene and apart."""
        rng = np.random.RandomState() if rng is None else rng
        while True:
            action = rng.uniform(size=self.action_space_dim)
            if not valid_only or fits(action[None])[0]:
                return action

    def build_discrete_action_space(self, max_actions: int, seed: int = 1) -> list[Actions]:
        """The first actions of a seed's fixed list."""
        return list(discrete_actions(self._simulator.tier, max_actions, seed))

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
        array = np.asarray(action, dtype=np.float64)
        if not np.isfinite(array).all():
            return Simulation(status=SimulationStatus.INVALID_INPUT)
        frames = stride > 0
        result = self._simulator.attempt(
            range(len(self.task_ids))[task_index],
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


def initialize_simulator(task_ids: Sequence[str], action_tier: str) -> ActionSimulator:
    """A simulator of published tasks.

    Raises:
        RuntimeError: Some ids are not published; the message lists them.
    """
    unknown = []
    for task_id in task_ids:
        try:
            load_task(task_id)
        except (UnknownTaskError, ValueError):
            unknown.append(task_id)
    if unknown:
        raise RuntimeError(f"unknown task ids: {', '.join(map(repr, unknown))}")
    return ActionSimulator(task_ids, action_tier)
