"""PHYRE as Gymnasium environments, one for each tier: an episode is a task, a step is an attempt.

Observation: the task before any action, since every attempt starts from there. Images are colour
codes (`topple.phyre.scene.Color`), 256 x 256 pixels with row 0 at the bottom. Features have a row
of 14 numbers for each object (`topple.phyre.features`), zeros below.

Reward: 1 for solving the task, otherwise 0.

End: an episode terminates when the task is solved and is truncated after 100 valid attempts in
vain. An action that does not fit into the scene is flagged in `info` and not counted.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import gymnasium as gym
import numpy as np
import numpy.typing as npt
from gymnasium.spaces import Box, Space

from topple.phyre.auccess import MAX_ATTEMPTS
from topple.phyre.engine.backend import Backend
from topple.phyre.env_slots import (
    FoldPart,
    Observation,
    ObservationKind,
    Slots,
    choose_scene,
    empty_observations,
    tasks_of,
)
from topple.phyre.fold import Setup
from topple.phyre.scene import Color
from topple.phyre.task_set import Choice
from topple.phyre.tier import Tier

#: What `info` holds.
INFO = {
    "task": "Name of the task, such as `00001:042`.",
    "attempts": "Valid attempts made on it.",
    "outcome": "After a step: how the attempt ended, a value of `topple.Outcome`.",
    "valid": "After a step: whether the action fitted into the scene.",
    "steps": "After a step: how many steps of the physics were simulated.",
}

FEATURE_LIMIT = 4.0  # long bars have their middle outside the scene and diameters above 1


def action_space(tier: Tier) -> Space[Any]:
    """x, y and radius of each ball."""
    return Box(0.0, 1.0, (tier.action_size,), np.float32)


def observation_space(kind: ObservationKind) -> Space[Any]:
    """What an agent sees of a task.

    Raises:
        ValueError: there is no such kind of observation.
    """
    low, high = (0, len(Color) - 1) if kind == "image" else (-FEATURE_LIMIT, FEATURE_LIMIT)
    example = empty_observations(1, kind)[0]
    return Box(low, high, example.shape, example.dtype.type)


class PhyreEnv(gym.Env[Observation, npt.NDArray[np.float32]]):
    """One task at a time; see the module for spaces, rewards and endings.

    The task is sampled at each reset from those given, or chosen with
    `reset(options={"task": "00001:042"})`, which may be any task: an id, a Task, a Scene.
    `info` holds what `INFO` names. Use an environment in one thread at a time.

    Args:
        tier: what an action places.
        tasks: what to sample from, as for Simulator; by default a part of a fold.
        setup: the setup of the fold; within template if nothing is said.
        fold: the number of the fold, 0 to 9.
        part: "train", "dev" or "test" of the fold.
        observation: "image" or "features".
        render_mode: "rgb_array" or None.
        max_attempts: valid attempts on a task before truncation.
        backend: where attempts are simulated: "cpu", "cuda" or "auto".
    """

    metadata = {  # noqa: RUF012
        "render_modes": ["rgb_array"],
        "render_fps": 1,
    }

    def __init__(
        self,
        tier: Tier,
        tasks: Choice | Iterable[Choice] | None = None,
        setup: Setup | str | None = None,
        fold: int | None = None,
        part: FoldPart | None = None,
        observation: ObservationKind = "image",
        render_mode: str | None = None,
        max_attempts: int = MAX_ATTEMPTS,
        backend: Backend = "cpu",
    ) -> None:
        if render_mode not in (None, "rgb_array"):
            raise ValueError(f"render_mode is {render_mode!r}; it has to be 'rgb_array' or None")
        self.render_mode = render_mode
        self.action_space = action_space(tier)
        self.observation_space = observation_space(observation)
        self.tasks = tasks_of(tier, tasks, setup, fold, part)
        self._slots = Slots(1, tier, observation, max_attempts, backend)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Start on a task; `options={"task": ...}` chooses it."""
        super().reset(seed=seed)
        self._slots.start(0, choose_scene(self.tasks, self.np_random, options))
        return self._slots.observe()[0], self._slots.info(0)

    def step(
        self, action: npt.NDArray[np.float32]
    ) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Try an action on the task."""
        slots = self._slots
        slots.act([0], np.asarray(action)[None])
        solved = bool(slots.solved[0])
        return slots.observe()[0], float(solved), solved, bool(slots.spent[0]), slots.info(0)

    def render(self) -> npt.NDArray[np.uint8] | None:
        """[256, 256, 3] how the last attempt ended, or the task if it was invalid."""
        return self._slots.picture(0) if self.render_mode else None


class PhyreBallEnv(PhyreEnv):
    """Place one red ball so that the goal comes about: 25 templates of 100 tasks.

    Action: x and y of the ball's centre and its radius, as fractions: from the left and the lower
    edge of the scene, and from the smallest radius, 2 pixels, to the largest, 32.
    """

    def __init__(self, **options: Any) -> None:
        super().__init__(Tier.BALL, **options)


class PhyreTwoBallsEnv(PhyreEnv):
    """Place two red balls at once: 25 templates of 100 tasks, harder than those for one.

    Action: x, y and radius of the first ball and then of the second, as fractions: from the left
    and the lower edge of the scene, and from the smallest radius, 2 pixels, to the largest, 32.
    """

    def __init__(self, **options: Any) -> None:
        super().__init__(Tier.TWO_BALLS, **options)
