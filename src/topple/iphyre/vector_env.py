"""I-PHYRE environments in batches: one observation array for all episodes."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from gymnasium.error import ResetNeeded
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from topple.iphyre.env import (
    Observation,
    ObservationKind,
    action_space,
    checked_render_mode,
    games_of,
    observation_space,
)
from topple.iphyre.env_slots import EpisodeOverError, Slots, StepArrays
from topple.iphyre.game import Game, GameError
from topple.iphyre.games import game_named
from topple.iphyre.rules import AT_10_HZ, Rules
from topple.iphyre.split import Split
from topple.iphyre.strategy import Strategy

Flags = NDArray[np.bool_]


class IPhyreVectorEnv(VectorEnv[Observation, Any, Any]):
    """Many episodes beside each other, with the spaces and rewards of the single ones.

    Finished episodes start anew: at the next step, whose action is then ignored, or,
    with `autoreset_mode=AutoresetMode.SAME_STEP`, at once, with the last observation in
    `info["final_obs"]` and the last info in `info["final_info"]`. Use an environment in one
    thread at a time: while one steps, the calls of others raise a RuntimeError. Episodes run on
    all cores by themselves.

    Args:
        num_envs: how many episodes.
        strategy: what an action means.
        game: the only game to play, by name or as a value.
        split: the games to sample from; BASIC if nothing is said.
        observation: "symbolic" or "image".
        render_mode: "rgb_array" or None.
        rules: published at 10 Hz by default.
        autoreset_mode: when finished episodes start anew.
    """

    def __init__(
        self,
        num_envs: int,
        strategy: Strategy,
        game: str | Game | None = None,
        split: str | Split | None = None,
        observation: ObservationKind = "symbolic",
        render_mode: str | None = None,
        rules: Rules = AT_10_HZ,
        autoreset_mode: AutoresetMode = AutoresetMode.NEXT_STEP,
    ) -> None:
        if autoreset_mode not in (AutoresetMode.NEXT_STEP, AutoresetMode.SAME_STEP):
            raise ValueError(f"autoreset_mode is {autoreset_mode}; use NEXT_STEP or SAME_STEP")
        self.num_envs = num_envs
        self.render_mode = checked_render_mode(render_mode)
        self.metadata = {
            "render_modes": ["rgb_array"],
            "render_fps": 10,
            "autoreset_mode": autoreset_mode,
        }
        self.single_action_space = action_space(strategy)
        self.single_observation_space = observation_space(strategy, observation)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self._kind = observation
        self._same_step = autoreset_mode is AutoresetMode.SAME_STEP
        self._slots = Slots(games_of(game, split), num_envs, strategy, rules)
        self._names = np.array([each.name for each in self._slots.games], dtype=object)
        self._all = np.arange(num_envs)
        self._ended = np.zeros(num_envs, dtype=np.bool_)

    def reset(
        self, *, seed: int | list[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Start all episodes, with one seed for the sampling of games.

        `options={"game": name}` starts one game everywhere; later episodes are sampled.

        Raises:
            GameError: that game is not among those of this batch.
            ValueError: the seed is a list; one generator serves all episodes.
        """
        if isinstance(seed, list):
            raise ValueError("give one seed: a single generator samples the games of all episodes")
        super().reset(seed=seed, options=options)
        choice = (options or {}).get("game")
        if choice is None:
            numbers = self._sampled(self.num_envs)
        else:
            numbers = np.full(self.num_envs, self._number(choice), np.int32)
        into = self._slots.arrays()
        self._slots.start(self._all, numbers, into)
        self._ended[:] = False
        return self._observe(into), self._info()

    def _sampled(self, count: int) -> NDArray[np.int32]:
        return self.np_random.integers(len(self._slots.games), size=count).astype(np.int32)

    def _number(self, choice: str | Game) -> int:
        game = choice if isinstance(choice, Game) else game_named(choice)
        if game not in self._slots.games:
            names = ", ".join(each.name for each in self._slots.games)
            raise GameError(f"this batch does not play {game.name!r}, only {names}")
        return self._slots.games.index(game)

    def step(
        self, actions: Any
    ) -> tuple[Observation, NDArray[np.float64], Flags, Flags, dict[str, Any]]:
        """Carry out one action per episode."""
        into = self._slots.arrays()
        final = self.step_into(actions, into)
        return self._observe(into), *into[1:], self._info() | final

    def step_into(self, actions: Any, into: StepArrays) -> dict[str, Any]:
        """Carry out one action per episode and write what comes of it into given arrays.

        `topple.iphyre.env_slots.step_arrays` makes arrays that fit.

        Returns:
            How episodes ended that were started anew at once, as in `info`.
        """
        restart = None
        if self._ended.any():
            restart = np.full(self.num_envs, -1, np.int32)
            restart[self._ended] = self._sampled(int(self._ended.sum()))
        try:
            self._slots.step(actions, into, restart)
        except EpisodeOverError as error:
            raise ResetNeeded(str(error)) from None
        done = into.terminated | into.truncated
        if self._same_step:
            return self._restart(done, into)
        self._ended = done
        return {}

    def _restart(self, done: Flags, into: StepArrays) -> dict[str, Any]:
        """Start finished episodes anew, keeping how they ended."""
        if not done.any():
            return {}
        seen, info = self._observe(into), self._info()
        last = np.full(self.num_envs, None, dtype=object)
        slots = np.flatnonzero(done)
        for slot in slots.tolist():
            last[slot] = seen[slot].copy()
        self._slots.start(slots, self._sampled(len(slots)), into)
        return {"final_obs": last, "_final_obs": done, "final_info": info, "_final_info": done}

    def render(self) -> tuple[NDArray[np.uint8], ...] | None:
        """One picture per episode, if the render mode asks for it."""
        if not self.render_mode:
            return None
        return tuple(self._slots.picture(slot, smooth=2) for slot in range(self.num_envs))

    def _observe(self, into: StepArrays) -> Observation:
        if self._kind == "image":
            return np.stack([self._slots.picture(slot) for slot in range(self.num_envs)])
        return into.observations

    def _info(self) -> dict[str, Any]:
        game, tick, removed, solved = self._slots.status()
        return {"game": self._names[game], "tick": tick, "removed": removed, "solved": solved}


#: Batches by strategy, for `gymnasium.make_vec`.
in_advance = partial(IPhyreVectorEnv, strategy=Strategy.IN_ADVANCE)
on_the_fly = partial(IPhyreVectorEnv, strategy=Strategy.ON_THE_FLY)
combined = partial(IPhyreVectorEnv, strategy=Strategy.COMBINED)
