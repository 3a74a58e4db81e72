"""PHYRE environments in batches: one call to the engine for all of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from gymnasium.utils import seeding
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from topple.phyre.auccess import MAX_ATTEMPTS
from topple.phyre.engine.backend import Backend
from topple.phyre.env import action_space, observation_space
from topple.phyre.env_slots import (
    FoldPart,
    Observation,
    ObservationKind,
    Slots,
    choose_scene,
    tasks_of,
)
from topple.phyre.fold import Setup
from topple.phyre.task_set import Choice
from topple.phyre.tier import Tier

Flags = npt.NDArray[np.bool_]


class PhyreVectorEnv(VectorEnv[Observation, npt.NDArray[np.float32], Any]):
    """Many tasks beside each other, with the spaces, rewards and endings of PhyreEnv.

    It gives what gymnasium's SyncVectorEnv of single environments gives, bit for bit: slot
    i samples with its own generator, seeded with seed + i. Finished episodes start anew at
    the next step, whose action is then ignored, or, with
    `autoreset_mode=AutoresetMode.SAME_STEP`, at once, with the last observation in
    `info["final_obs"]` and the last info in `info["final_info"]`. Use an environment in one
    thread at a time; attempts run on all cores by themselves.

    Args:
        num_envs: how many tasks.
        tier: what an action places.
        tasks: what to sample from, as for Simulator; by default a part of a fold.
        setup: the setup of the fold; within template if nothing is said.
        fold: the number of the fold, 0 to 9.
        part: "train", "dev" or "test" of the fold.
        observation: "image" or "features".
        render_mode: "rgb_array" or None.
        max_attempts: valid attempts on a task before truncation.
        autoreset_mode: when finished episodes start anew.
        backend: where attempts are simulated: "cpu", "cuda" or "auto".
    """

    def __init__(
        self,
        num_envs: int,
        tier: Tier,
        tasks: Choice | Iterable[Choice] | None = None,
        setup: Setup | str | None = None,
        fold: int | None = None,
        part: FoldPart | None = None,
        observation: ObservationKind = "image",
        render_mode: str | None = None,
        max_attempts: int = MAX_ATTEMPTS,
        autoreset_mode: AutoresetMode = AutoresetMode.NEXT_STEP,
        backend: Backend = "cpu",
    ) -> None:
        if autoreset_mode not in (AutoresetMode.NEXT_STEP, AutoresetMode.SAME_STEP):
            raise ValueError(f"autoreset_mode is {autoreset_mode}; use NEXT_STEP or SAME_STEP")
        self.num_envs = num_envs
        self.render_mode = render_mode
        self.metadata = {
            "render_modes": ["rgb_array"],
            "render_fps": 1,
            "autoreset_mode": autoreset_mode,
        }
        self.single_action_space = action_space(tier)
        self.single_observation_space = observation_space(observation)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.tasks = tasks_of(tier, tasks, setup, fold, part)
        self._slots = Slots(num_envs, tier, observation, max_attempts, backend)
        self._generators = [seeding.np_random()[0] for _ in range(num_envs)]
        self._same_step = autoreset_mode is AutoresetMode.SAME_STEP
        self._ended = np.zeros(num_envs, dtype=np.bool_)

    def reset(
        self,
        *,
        seed: int | Sequence[int | None] | None = None,
        options: dict[str, Any] | None = None,
    ) -> tuple[Observation, dict[str, Any]]:
        """Start all slots.

        Args:
            seed: seed + i for slot i, or a seed for each slot.
            options: `{"task": ...}` one task for all slots, `{"tasks": [...]}` one for each.
        """
        if seed is None or isinstance(seed, (int, np.integer)):
            seed = [None if seed is None else int(seed) + i for i in range(self.num_envs)]
        if len(seed) != self.num_envs:
            raise ValueError(f"there are {len(seed)} seeds for {self.num_envs} slots")
        for slot, number in enumerate(seed):
            if number is not None:
                self._generators[slot] = seeding.np_random(number)[0]
        for slot, choice in enumerate(self._choices(options)):
            self._start(slot, choice)
        self._ended[:] = False
        return self._slots.observe(), self._infos()

    def _choices(self, options: dict[str, Any] | None) -> list[dict[str, Any] | None]:
        """The options of each slot."""
        if not options or "tasks" not in options:
            return [options] * self.num_envs
        tasks = options["tasks"]
        if len(tasks) != self.num_envs or len(options) > 1:
            raise ValueError(
                f"options has {len(tasks)} tasks and the keys {sorted(options)}; give a list of "
                f"{self.num_envs} tasks, one for each slot, and nothing else"
            )
        return [{"task": task} for task in tasks]

    def _start(self, slot: int, options: dict[str, Any] | None = None) -> None:
        self._slots.start(slot, choose_scene(self.tasks, self._generators[slot], options))

    def step(
        self, actions: npt.NDArray[np.float32]
    ) -> tuple[Observation, npt.NDArray[np.float64], Flags, Flags, dict[str, Any]]:
        """Try one action per slot, all in one batch."""
        slots = self._slots
        for slot in np.flatnonzero(self._ended).tolist():
            self._start(slot)
        playing = np.flatnonzero(~self._ended)
        slots.act(playing, np.asarray(actions)[playing])
        terminated, truncated = slots.solved, slots.spent
        rewards = terminated.astype(np.float64)
        done = terminated | truncated
        if self._same_step:
            infos = self._infos(np.flatnonzero(done).tolist())
        else:
            self._ended = done
            infos = self._infos()
        return slots.observe(), rewards, terminated, truncated, infos

    def _infos(self, restarted: Sequence[int] = ()) -> dict[str, Any]:
        """The infos of all slots; finished ones are started anew, with how they ended."""
        infos: dict[str, Any] = {}
        last = self._slots.observe() if restarted else None
        for slot in range(self.num_envs):
            if slot in restarted and last is not None:
                final = {"final_obs": last[slot], "final_info": self._slots.info(slot)}
                infos = self._add_info(infos, final, slot)
                self._start(slot)
            infos = self._add_info(infos, self._slots.info(slot), slot)
        return infos

    def render(self) -> tuple[npt.NDArray[np.uint8], ...] | None:
        """A picture per slot, if the render mode asks for it."""
        if not self.render_mode:
            return None
        return tuple(self._slots.picture(slot) for slot in range(self.num_envs))


def ball(num_envs: int, **options: Any) -> PhyreVectorEnv:
    """A batch in which an action places one ball."""
    return PhyreVectorEnv(num_envs, Tier.BALL, **options)


def two_balls(num_envs: int, **options: Any) -> PhyreVectorEnv:
    """A batch in which an action places two balls."""
    return PhyreVectorEnv(num_envs, Tier.TWO_BALLS, **options)
