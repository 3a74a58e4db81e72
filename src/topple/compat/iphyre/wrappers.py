"""The three environments of the original's repository, under their names."""

from __future__ import annotations

import random
from collections.abc import Hashable
from typing import Any

import numpy as np

from topple.compat.iphyre.games import game_of
from topple.iphyre.env import IPhyreEnv, Observation
from topple.iphyre.strategy import Strategy


class _Wrapper(IPhyreEnv):
    """Takes a `config` with `game_list` and `seed`; samples games as the original does.

    Games of one's own keep the rules of `topple.iphyre.Game` here: at most six gray blocks, which
    do not move and do not cover each other's centres. `IPHYRE` plays all others.
    """

    strategy: Strategy

    def __init__(self, config: dict[str, Any]) -> None:
        self.game_list: list[Hashable] = list(config["game_list"])
        super().__init__(self.strategy, game=game_of(self.game_list[0]))
        self.seed = config.get("seed")
        self._random = random.Random(self.seed)
        self.fps = 10
        self.game: Hashable = ""
        self.iter_len = 0
        self.reset_num = 0
        self.total_reward = 0.0
        self.cur_obs: Any = None

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Start a game drawn with Python's generator, seeded once in the constructor."""
        self.game = self._random.choice(self.game_list)
        self.cur_obs, _ = super().reset(options={"game": game_of(self.game)})
        self.iter_len = 0
        self.total_reward = 0.0
        self.reset_num += 1
        return self.cur_obs, {}

    def step(self, action: Any) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Carry out an action, as the environment of the same strategy does."""
        self.cur_obs, reward, terminated, truncated, info = super().step(action)
        self.iter_len = info["tick"]
        self.total_reward += reward
        return self.cur_obs, reward, terminated, truncated, {}


class IPHYRE_inadvance(_Wrapper):  # noqa: N801
    """All times at once."""

    strategy = Strategy.IN_ADVANCE


class IPHYRE_onthefly(_Wrapper):  # noqa: N801
    """A block or nothing, every tick; the last tick is truncated even when solved."""

    strategy = Strategy.ON_THE_FLY

    def step(self, action: Any) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Carry out an action for one tick."""
        seen, reward, terminated, _, info = super().step(int(np.asarray(action)))
        return seen, reward, terminated, self.iter_len >= 15 * self.fps, info


class IPHYRE_combine(_Wrapper):  # noqa: N801
    """All times, anew after every removal."""

    strategy = Strategy.COMBINED
