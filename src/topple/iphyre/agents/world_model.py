"""World models: PPO, A2C and SAC that observe, beside the state, what an MDRNN expects next.

As in appendix E of the paper, the MDRNN learns from 50 solved and 50 unsolved episodes of each
training game and does not change afterwards. A controller acts on the fly; it observes the state
and the state expected next if nothing is removed. It learns in the environment.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from gymnasium.spaces import Box
from numpy.typing import NDArray
from stable_baselines3.common.vec_env.base_vec_env import VecEnvStepReturn

from topple.iphyre.agents.mdrnn import Foresight, Mdrnn, MdrnnAgent, MdrnnNetwork, removal_rows
from topple.iphyre.agents.rl import RlAgent
from topple.iphyre.agents.rl_agents import ON_THE_FLY, RLLIB_TARGET_ENTROPY, A2c, Ppo, Sac, acting
from topple.iphyre.agents.sequence_data import STATE
from topple.iphyre.agents.vec_env import GameVecEnv
from topple.iphyre.game import Game
from topple.iphyre.observe import observation_size
from topple.iphyre.phases import Testing, Training
from topple.iphyre.rules import Rules
from topple.iphyre.strategy import Strategy
from topple.runs.agent import UNSAVED, Report, TrainingOptions
from topple.runs.checkpoint import load_weights

_SEEN = observation_size(Strategy.ON_THE_FLY)
_MODEL = ("lstm_hidden_size", "n_mixtures", "model_epochs")  # settings of the MDRNN


class ForesightVecEnv(GameVecEnv):
    """Episodes whose observations end with the state expected next."""

    def __init__(
        self,
        network: MdrnnNetwork,
        games: Sequence[Game],
        num_envs: int,
        rules: Rules,
        seed: int,
        reward_scale: float,
    ) -> None:
        super().__init__(games, num_envs, Strategy.ON_THE_FLY, rules, seed, reward_scale)
        self.observation_space = Box(0.0, 1.0, (_SEEN + STATE,), np.float32)
        self._foresight = Foresight(network, num_envs)
        self._seen = np.zeros((num_envs, _SEEN), np.float32)

    def reset(self) -> NDArray[np.float32]:
        """Start all episodes."""
        seen = super().reset()
        self._foresight.forget(self._all)
        return self._widened(seen)

    def step_wait(self) -> VecEnvStepReturn:
        """Carry out the actions; finished episodes start anew at once."""
        states = np.ascontiguousarray(self._seen[:, :STATE])
        playing = [self.slots.games[number] for number in self._games.tolist()]
        self._foresight.remember(states, removal_rows(playing, self._actions, states))
        seen, rewards, over, infos = super().step_wait()
        assert isinstance(seen, np.ndarray)
        for slot in np.flatnonzero(over).tolist():
            last = infos[slot]["terminal_observation"]
            # Nothing comes after the end, so the last state stands for it.
            infos[slot]["terminal_observation"] = np.concatenate([last, last[:STATE]])
        self._foresight.forget(np.flatnonzero(over))
        return self._widened(seen), rewards, over, infos

    def _widened(self, seen: NDArray[np.float32]) -> NDArray[np.float32]:
        self._seen = seen.copy()
        expected = self._foresight.expect(np.ascontiguousarray(seen[:, :STATE]))
        return np.concatenate([seen, expected], axis=1)

    def state(self) -> dict[str, Any]:
        """Where all episodes stand, as plain values and arrays."""
        return {**super().state(), "memory": self._foresight.memory.copy()}

    def restore(self, state: dict[str, Any]) -> NDArray[np.float32]:
        """Go to a state by playing the running episodes again; their observations."""
        seen = super().restore(state)
        self._foresight.memory = state["memory"]
        return self._widened(seen)


@dataclass
class WithForesight(RlAgent, MdrnnAgent):
    """What controllers share; their settings are those of their models and algorithms."""

    def __post_init__(self) -> None:
        super().__post_init__()
        MdrnnAgent.__post_init__(self)

    def learn(self, training: Training, options: TrainingOptions = UNSAVED) -> Iterator[Report]:
        """Train the MDRNN, unless the cache has it, then take the remaining steps.

        Reports on the MDRNN count its updates and are marked as preparing.
        """
        for epoch in self.train_model(training.games):
            yield epoch._replace(preparing=True)
        yield from super().learn(training, options)

    def _env(self, games: Sequence[Game], rules: Rules, seed: int) -> GameVecEnv:
        return ForesightVecEnv(self.model, games, self.n_envs, rules, seed, self.reward_scale)

    def _save(
        self, path: Path, run: dict[str, Any], games: list[str], seed: int, state: dict[str, Any]
    ) -> None:
        super()._save(path, run, games, seed, {**state, "mdrnn": self.model.state_dict()})

    def _read(self, path: Path) -> dict[str, Any]:
        """Read a checkpoint, and use its MDRNN from now on."""
        found = super()._read(path)
        given = found["settings"]
        self._mdrnn = Mdrnn(*(given[name] for name in _MODEL))
        load_weights(self._mdrnn.network, found["state"]["mdrnn"])
        return found

    def _play_all(self, testing: Testing) -> None:
        """Play all games once, one after the other."""
        for game in testing.games:
            self._play_game(testing, game)

    def _play_game(self, testing: Testing, game: Game) -> None:
        foresight = Foresight(self.model, 1)
        with testing.episode(game) as episode:
            while not episode.state.over:
                seen = episode.observe(self.strategy)
                state = seen[None, :STATE].copy()
                choices = self.choose(np.concatenate([seen, foresight.expect(state)[0]])[None])
                foresight.remember(state, removal_rows([game], choices, state))
                episode.act(self.strategy, choices[0])


WorldModelPpo = acting("WorldModelPpo", ON_THE_FLY, WithForesight, Ppo)
WorldModelA2c = acting("WorldModelA2c", ON_THE_FLY, WithForesight, A2c)
WorldModelSac = acting(
    *("WorldModelSac", ON_THE_FLY, WithForesight, Sac), target_entropy=RLLIB_TARGET_ENTROPY
)
