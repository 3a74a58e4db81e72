"""The three environments of the original's repository, under their names.

As there, a block is removed by a click where its centre was at the start. A gray block that moves
may have left that place by then, and another may be there.
"""

from __future__ import annotations

import random
from collections.abc import Hashable, Iterable, Iterator, Sequence
from typing import Any

import gymnasium as gym
import numpy as np
from gymnasium.error import ResetNeeded
from numpy.typing import ArrayLike, NDArray

from topple.compat.iphyre.games import MAX_ELI_OBJ_NUM
from topple.compat.iphyre.simulator import IPHYRE, NOTHING
from topple.iphyre.env import action_space, observation_space
from topple.iphyre.observe import SCALE, observed
from topple.iphyre.rules import SECONDS
from topple.iphyre.strategy import Strategy

Observation = NDArray[np.float32]
Step = tuple[Observation, float, bool, bool, dict[str, Any]]


class _Wrapper(gym.Env[Observation, Any]):
    """Takes a `config` with `game_list` and `seed`, which seeds Python's global generator.

    Attributes:
        env: the simulator of the present episode.
        game: what it plays, drawn with Python's global generator.
        action_list: where to click for each entry of an action.
        action_candidates: the same as observed.
        cur_obs: the last observation.
        iter_len: ticks played, except in advance.
        total_reward: what the episode has earned.
    """

    strategy: Strategy

    def __init__(self, config: dict[str, Any]) -> None:
        self.game_list: Sequence[Hashable] = config["game_list"]
        self.seed = config.get("seed")
        random.seed(self.seed)
        self.fps = 10
        self.game: Hashable = None
        self.env: IPHYRE | None = None
        self.iter_len = 0
        self.reset_num = 0
        self.total_reward = 0.0
        self.cur_obs: Observation | None = None
        self.action_space = action_space(self.strategy)
        self.observation_space = observation_space(self.strategy, "symbolic")

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Start a game; neither argument is used, as in the original."""
        self.game = random.choice(self.game_list)
        self.env = IPHYRE(self.game, fps=self.fps)
        self.env.reset()
        nothing, *blocks = self.env.get_action_space()
        self.action_list = [nothing, *blocks] if self.strategy is Strategy.ON_THE_FLY else blocks
        self.action_candidates = np.array(self.action_list, np.float32).reshape(-1) / SCALE
        self.iter_len = 0
        self.total_reward = 0.0
        self.reset_num += 1
        return self._observe(), {}

    def _observe(self) -> Observation:
        table = observed(self._ready().get_all_property())
        self.cur_obs = np.concatenate((table.reshape(-1), self.action_candidates))
        return self.cur_obs

    def _ready(self) -> IPHYRE:
        if self.env is None:
            raise ResetNeeded("call reset() before step()")
        return self.env

    def _play(self, clicks: Iterable[Sequence[float]]) -> tuple[float, bool]:
        """Carry out a click per tick; tells what they earned and whether all balls are out."""
        env, earned, done = self._ready(), 0.0, False
        for click in clicks:
            reward, done = env.advance(click)
            earned += reward
            self.iter_len += 1
            if done:
                break
        self.total_reward += earned
        return earned, done

    def _due(self, action: ArrayLike, start: int) -> list[int | None]:
        """The entry of a plan that is due at each tick from one on, or None.

        Of entries that are due at one tick, only the first counts. Times are compared in the
        action's precision. `numpy.arange` may count one tick more than there is time for.
        """
        self._ready()
        times = np.round(np.asarray(action) * float(SECONDS), 1)
        clock = np.round(np.arange(start / self.fps, float(SECONDS), 1 / self.fps), 1)
        planned = reversed(list(enumerate(times.tolist())))
        first = {time: entry for entry, time in planned if time > 0.0}
        return [first.get(time) for time in clock.astype(times.dtype).tolist()]


class IPHYRE_inadvance(_Wrapper):  # noqa: N801
    """All times at once."""

    strategy = Strategy.IN_ADVANCE

    def step(self, action: ArrayLike) -> Step:
        """Play the whole episode."""
        due = self._due(action, 0)
        reward, done = self._play(
            NOTHING if entry is None else self.action_list[entry] for entry in due
        )
        return self._observe(), reward, done, not done, {}


class IPHYRE_onthefly(_Wrapper):  # noqa: N801
    """A block or nothing, every tick; the last tick is truncated even when solved."""

    strategy = Strategy.ON_THE_FLY

    def step(self, action: Any) -> Step:
        """Play one tick."""
        self._ready()
        reward, done = self._play([self.action_list[int(action)]])
        return self._observe(), reward, done, self.iter_len >= SECONDS * self.fps, {}


class IPHYRE_combine(_Wrapper):  # noqa: N801
    """All times, anew after every removal.

    Attributes:
        mask: 1 for each entry of an action that was not used yet.
    """

    strategy = Strategy.COMBINED

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Start a game, as the other environments do."""
        self.mask = np.ones(MAX_ELI_OBJ_NUM)
        return super().reset()

    def step(self, action: ArrayLike) -> Step:
        """Play up to the next click, that tick included, or to the end.

        Raises:
            ResetNeeded: no time is left.
        """
        due = self._due(action, self.iter_len)
        if not due:
            raise ResetNeeded(f"the episode of {self.game!r} is over; call reset()")
        reward, done = self._play(self._clicks(due))
        truncated = self.iter_len >= SECONDS * self.fps
        return self._observe(), reward, done, truncated and not done, {}

    def _clicks(self, due: list[int | None]) -> Iterator[Sequence[float]]:
        for entry in due:
            click: Sequence[float] = NOTHING
            if entry is not None and self.mask[entry]:
                click, self.mask[entry] = self.action_list[entry], 0
            yield click
            if click != NOTHING:
                return
