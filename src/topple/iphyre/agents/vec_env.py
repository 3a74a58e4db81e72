"""The native I-PHYRE vector as a vector environment of stable-baselines3.

Results are written alternately into two sets of arrays, so that the observations of the last step
stay readable during the next. Unlike the library's environments, this one can save its whole state
as plain values, from which training resumes.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from gymnasium.spaces import Box
from numpy.typing import NDArray
from stable_baselines3.common.vec_env import VecEnv
from stable_baselines3.common.vec_env.base_vec_env import VecEnvStepReturn

from topple.iphyre.env import action_space, observation_space
from topple.iphyre.env_slots import Slots
from topple.iphyre.game import MAX_ELIMINABLE, Game
from topple.iphyre.rules import AT_10_HZ, Rules
from topple.iphyre.strategy import Strategy


class Finished(NamedTuple):
    """The end of an episode."""

    reward: float
    solved: bool


def to_times(actions: NDArray[Any], out: NDArray[np.float32]) -> NDArray[np.float32]:
    """Actions from -1 to 1, or beyond, as fractions of the 15 seconds, written to `out`."""
    np.add(actions, 1.0, out=out, casting="same_kind")
    np.multiply(out, 0.5, out=out)
    return np.clip(out, 0.0, 1.0, out=out)


class GameVecEnv(VecEnv):
    """Episodes of some games in parallel.

    Actions are times scaled to -1 to 1, since initial policies are centred on 0. An episode that
    runs out of time is terminated, not truncated: nothing can be earned later, so the value of its
    last state is 0.

    Args:
        games: games to sample from at every start.
        num_envs: number of episodes.
        strategy: the strategy, which defines actions.
        rules: rules of the episodes.
        seed: seed of the sampling of games.
        reward_scale: factor of the rewards; `finished` has unscaled ones.

    Attributes:
        finished: episodes that ended since it was last cleared.
    """

    def __init__(
        self,
        games: Sequence[Game],
        num_envs: int,
        strategy: Strategy,
        rules: Rules = AT_10_HZ,
        seed: int = 0,
        reward_scale: float = 1.0,
    ) -> None:
        self.slots = Slots(games, num_envs, strategy, rules)
        self._discrete = strategy is Strategy.ON_THE_FLY
        space = action_space(strategy)
        if not self._discrete:
            space = Box(-1.0, 1.0, (MAX_ELIMINABLE,), np.float32)
        self.render_mode = None
        super().__init__(num_envs, observation_space(strategy, "symbolic"), space)
        self.finished: list[Finished] = []
        self._rng = np.random.default_rng(seed)
        self._scale = reward_scale
        self._arrays = (self.slots.arrays(), self.slots.arrays())
        self._all = np.arange(num_envs)
        self._returns = np.zeros(num_envs)
        self._games = np.zeros(num_envs, np.int32)
        # The actions in the running episodes; together with the games, they are their state.
        self._ages = np.zeros(num_envs, np.int64)
        width = () if self._discrete else (MAX_ELIMINABLE,)
        kind = np.int64 if self._discrete else np.float32
        longest = rules.tick_limit + 1 if self._discrete else MAX_ELIMINABLE + 1
        self._done: NDArray[Any] = np.zeros((longest, num_envs, *width), kind)
        self._actions: NDArray[Any] = np.zeros((num_envs, *width), kind)

    def reset(self) -> NDArray[np.float32]:
        """Start all episodes."""
        self._begin(self._all, self._arrays[0].observations)
        return self._arrays[0].observations

    def _begin(self, slots: NDArray[np.int64], observations: NDArray[np.float32]) -> None:
        numbers = self._rng.integers(len(self.slots.games), size=len(slots)).astype(np.int32)
        self._games[slots] = numbers
        self._ages[slots] = 0
        self._returns[slots] = 0.0
        self.slots.start(slots, numbers, self._arrays[0]._replace(observations=observations))

    def step_async(self, actions: NDArray[Any]) -> None:
        """Store the actions of the next step."""
        if self._discrete:
            self._actions[:] = actions
        else:
            to_times(actions, self._actions)

    def step_wait(self) -> VecEnvStepReturn:
        """Take the step; finished episodes are reset at once."""
        self._arrays = self._arrays[::-1]
        into = self._arrays[0]
        self._done[self._ages, self._all] = self._actions
        self._ages += 1
        self.slots.step(self._actions, into)
        self._returns += into.rewards
        over = into.terminated | into.truncated
        infos: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        if over.any():
            slots = np.flatnonzero(over)
            for slot in slots.tolist():
                infos[slot]["terminal_observation"] = into.observations[slot].copy()
                ended = Finished(float(self._returns[slot]), bool(into.terminated[slot]))
                self.finished.append(ended)
            self._begin(slots, into.observations)
        return into.observations, into.rewards * self._scale, over, infos

    def state(self) -> dict[str, Any]:
        """The state of all episodes, as plain values and arrays."""
        return {
            "random": json.dumps(self._rng.bit_generator.state),
            "games": self._games.copy(),
            "ages": self._ages.copy(),
            "done": self._done.copy(),
            "returns": self._returns.copy(),
        }

    def restore(self, state: dict[str, Any]) -> NDArray[np.float32]:
        """Restore a state by replaying the running episodes; returns their observations."""
        self._rng.bit_generator.state = json.loads(state["random"])
        for name in ("games", "ages", "done", "returns"):
            getattr(self, f"_{name}")[:] = state[name]
        into = self._arrays[0]
        self.slots.start(self._all, self._games, into)
        longest = int(self._ages.max())
        # Shorter episodes are restarted until it is their turn.
        for now in range(longest):
            turn = now - (longest - self._ages)
            actions = self._done[np.maximum(turn, 0), self._all]
            restart = np.where(turn < 0, self._games, -1).astype(np.int32)
            self.slots.step(actions, into, restart)
        return into.observations

    def close(self) -> None:
        """Do nothing, since no resources are held."""

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        """An attribute of this environment, once for each of the episodes asked for."""
        return [getattr(self, attr_name) for _ in self._get_indices(indices)]

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
        """Refuse to set attributes, since episodes share all of them."""
        raise AttributeError(f"{attr_name!r} cannot be set in single episodes of a vector")

    def env_method(
        self, method_name: str, *method_args: Any, indices: Any = None, **method_kwargs: Any
    ) -> list[Any]:
        """Refuse to call methods, since there are no single environments."""
        raise AttributeError(f"{method_name!r} cannot be called on single episodes of a vector")

    def env_is_wrapped(self, wrapper_class: Any, indices: Any = None) -> list[bool]:
        """Return False for every episode."""
        return [False for _ in self._get_indices(indices)]
