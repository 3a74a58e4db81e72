"""The paper's eleven agents: five algorithms and the strategies they act by.

Settings are the published ones where the paper names them: two hidden layers of 256 units with
tanh, learning rates and steps. Others are those of the released training code (RLlib's defaults)
as far as stable-baselines3 has them. ``configs/iphyre`` has all of them as files, with tuned ones.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import torch
from numpy.typing import NDArray
from stable_baselines3 import A2C, DDPG, DQN, PPO, SAC
from stable_baselines3.common.base_class import BaseAlgorithm
from stable_baselines3.common.noise import NormalActionNoise
from torch import nn

from topple.iphyre.agents.rl import RlAgent
from topple.iphyre.agents.sac_discrete import DiscreteSac
from topple.iphyre.agents.vec_env import GameVecEnv
from topple.iphyre.game import MAX_ELIMINABLE
from topple.iphyre.strategy import Strategy


@dataclass
class OnPolicy(RlAgent):
    """Learns from what the policy of the moment has just done.

    Attributes:
        rollout: steps of each environment between updates.
        gae_lambda: how far advantages look ahead before they trust the values.
        entropy: weight of the policy's entropy.
        value_weight: of the value's loss.
        gradient_limit: norm to which gradients are cut.
        spread: standard deviation of times at the start, where all times lie from -1 to 1.
        patience: on the fly: added to the logit of doing nothing at the start.
    """

    smoke: ClassVar[Mapping[str, Any]] = {"steps": 20_000, "learning_rate": 1e-3}

    rollout: int = 500
    gae_lambda: float = 1.0
    entropy: float = 0.0
    value_weight: float = 1.0
    gradient_limit: float = 1e6
    spread: float = 1.0
    patience: float = 0.0

    def __post_init__(self) -> None:
        super().__post_init__()
        self._at_least("rollout", 1)
        for name in ("entropy", "value_weight", "patience"):
            self._at_least(name, 0)
        for name in ("gradient_limit", "spread"):
            self._above(name, 0)
        if not 0 <= self.gae_lambda <= 1:
            raise ValueError(f"gae_lambda is {self.gae_lambda}; it has to be from 0 to 1")

    def _options(self, env: GameVecEnv) -> dict[str, Any]:
        layers = [self.hidden, self.hidden]
        return {
            "policy": "MlpPolicy",
            "env": env,
            "learning_rate": self.learning_rate,
            "n_steps": self.rollout,
            "gamma": self.gamma,
            "gae_lambda": self.gae_lambda,
            "ent_coef": self.entropy,
            "vf_coef": self.value_weight,
            "max_grad_norm": self.gradient_limit,
            "normalize_advantage": True,
            "device": "cpu",
            "policy_kwargs": {
                "net_arch": {"pi": layers, "vf": layers},
                "activation_fn": nn.Tanh,
                "log_std_init": float(np.log(self.spread)),
            },
        }

    def _patient(self, model: BaseAlgorithm) -> BaseAlgorithm:
        if self.strategy is Strategy.ON_THE_FLY:
            policy: Any = model.policy
            _favour_nothing(policy.action_net, self.patience)
        return model


@dataclass
class Ppo(OnPolicy):
    """Proximal policy optimization.

    Attributes:
        batch: steps of an update.
        epochs: how often all steps of a rollout are learned from.
        clip: how far the odds of an action may move in a rollout.
    """

    batch: int = 125
    epochs: int = 30
    clip: float = 0.3

    def __post_init__(self) -> None:
        super().__post_init__()
        self._at_least("batch", 2)
        self._at_least("epochs", 1)
        self._above("clip", 0)
        if self.rollout * self.envs % self.batch:
            raise ValueError(
                f"batch is {self.batch}, which does not divide rollout x envs = "
                f"{self.rollout * self.envs}; use one that does"
            )

    def new_model(self, env: GameVecEnv) -> BaseAlgorithm:
        """The library's PPO."""
        own: dict[str, Any] = {
            "batch_size": self.batch,
            "n_epochs": self.epochs,
            "clip_range": self.clip,
        }
        return self._patient(PPO(**self._options(env), **own))


@dataclass
class A2c(OnPolicy):
    """Advantage actor-critic, with Adam."""

    rollout: int = 10
    entropy: float = 0.01
    value_weight: float = 0.5
    gradient_limit: float = 40.0

    def new_model(self, env: GameVecEnv) -> BaseAlgorithm:
        """The library's A2C."""
        return self._patient(A2C(**self._options(env), use_rms_prop=False))


@dataclass
class OffPolicy(RlAgent):
    """Learns from all that was done, out of a replay buffer.

    Attributes:
        buffer: steps that are remembered.
        batch: steps of an update.
        updates: after every step of all environments.
        warm_up: steps at random before the first update.
    """

    smoke: ClassVar[Mapping[str, Any]] = {
        "steps": 3_000,
        "learning_rate": 1e-3,
        "warm_up": 500,
        "updates": 2,
        "reward_scale": 1e-3,
    }

    buffer: int = 100_000
    batch: int = 256
    updates: int = 1
    warm_up: int = 1_500

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in ("buffer", "batch", "updates"):
            self._at_least(name, 1)
        self._at_least("warm_up", 0)

    def _options(self, env: GameVecEnv) -> dict[str, Any]:
        return {
            "env": env,
            "learning_rate": self.learning_rate,
            "buffer_size": self.buffer,
            "batch_size": self.batch,
            "gamma": self.gamma,
            "train_freq": 1,
            "gradient_steps": self.updates,
            "learning_starts": self.warm_up,
            "device": "cpu",
            "policy_kwargs": {
                "net_arch": [self.hidden, self.hidden],
                "activation_fn": nn.Tanh,
            },
        }


@dataclass
class Sac(OffPolicy):
    """Soft actor-critic; on the fly, over choices.

    Attributes:
        tau: how far target networks move at an update.
        entropy: weight of the policy's entropy at the start; it is learned.
        target_entropy: that the weight aims at. In time: per block, in nats; on the fly: as a
            share of the largest there is.
        patience: on the fly: added to the logit of doing nothing at the start.
    """

    tau: float = 0.005
    entropy: float = 1.0
    target_entropy: float = -1.0
    updates: int = 8
    patience: float = 0.0

    def __post_init__(self) -> None:
        super().__post_init__()
        self._above("entropy", 0)
        if not 0 < self.tau <= 1:
            raise ValueError(f"tau is {self.tau}; it has to be above 0 and at most 1")
        if self.strategy is Strategy.ON_THE_FLY and not 0 < self.target_entropy < 1:
            raise ValueError(
                f"target_entropy is {self.target_entropy}; on the fly it is a share from 0 to 1"
            )

    def new_model(self, env: GameVecEnv) -> BaseAlgorithm:
        """The library's SAC, or ours for choices."""
        options = {**self._options(env), "tau": self.tau}
        if self.strategy is Strategy.ON_THE_FLY:
            own: dict[str, Any] = {"target_entropy": self.target_entropy, "entropy": self.entropy}
            model = DiscreteSac(**options, **own)
            _favour_nothing(model.policy.actor[-1], self.patience)
            return model
        return SAC(
            "MlpPolicy",
            **options,
            ent_coef=f"auto_{self.entropy}",
            target_entropy=self.target_entropy * MAX_ELIMINABLE,
        )


@dataclass
class Ddpg(OffPolicy):
    """Deep deterministic policy gradient.

    Attributes:
        tau: how far target networks move at an update.
        noise: standard deviation of what is added to times to explore.
    """

    tau: float = 0.002
    noise: float = 0.2
    buffer: int = 50_000

    def __post_init__(self) -> None:
        super().__post_init__()
        self._at_least("noise", 0)
        if not 0 < self.tau <= 1:
            raise ValueError(f"tau is {self.tau}; it has to be above 0 and at most 1")

    def new_model(self, env: GameVecEnv) -> BaseAlgorithm:
        """The library's DDPG."""
        return DDPG("MlpPolicy", **self._options(env), tau=self.tau, action_noise=self._noise())

    def _noise(self) -> NormalActionNoise:
        size = np.ones(MAX_ELIMINABLE)
        return NormalActionNoise(0 * size, self.noise * size)

    def choose(self, seen: NDArray[np.float32]) -> NDArray[Any]:
        """As others do, with the noise of training where it explores."""
        times = super().choose(seen)
        if not self.explore:
            return times
        noise = np.stack([self._noise()() for _ in times])
        return np.clip(times + noise / 2, 0.0, 1.0).astype(np.float32)


@dataclass
class Dqn(OffPolicy):
    """Deep Q-network.

    Attributes:
        target_interval: steps between copies to the target network.
        exploring: share of the steps in which exploration falls to its end.
        exploration: share of random actions at the end, and in plays that explore.
        first_exploration: share of random actions at the start.
        gradient_limit: norm to which gradients are cut.
        patience: added to the value of doing nothing at the start.
        returns: steps whose rewards are added up before a value is trusted.
    """

    buffer: int = 50_000
    batch: int = 32
    envs: int = 4
    warm_up: int = 1_000
    target_interval: int = 500
    exploring: float = 0.0125
    exploration: float = 0.02
    first_exploration: float = 1.0
    gradient_limit: float = 40.0
    patience: float = 0.0
    returns: int = 1

    def __post_init__(self) -> None:
        super().__post_init__()
        self._at_least("target_interval", 1)
        self._at_least("returns", 1)
        self._above("gradient_limit", 0)
        for name in ("exploring", "exploration", "first_exploration"):
            if not 0 <= getattr(self, name) <= 1:
                raise ValueError(f"{name} is {getattr(self, name)}; it is a share from 0 to 1")

    def new_model(self, env: GameVecEnv) -> BaseAlgorithm:
        """The library's DQN."""
        model = DQN(
            "MlpPolicy",
            **self._options(env),
            target_update_interval=self.target_interval,
            exploration_fraction=self.exploring,
            exploration_initial_eps=self.first_exploration,
            exploration_final_eps=self.exploration,
            max_grad_norm=self.gradient_limit,
            n_steps=self.returns,
        )
        for network in (model.q_net, model.q_net_target):
            _favour_nothing(network.q_net[-1], self.patience)
        return model


class PpoI(Ppo):
    """PPO that plans in advance."""

    strategy = Strategy.IN_ADVANCE


class PpoO(Ppo):
    """PPO that acts on the fly."""

    strategy = Strategy.ON_THE_FLY


class PpoC(Ppo):
    """PPO that plans anew after every removal."""

    strategy = Strategy.COMBINED


@dataclass
class A2cI(A2c):
    """A2C that plans in advance."""

    strategy = Strategy.IN_ADVANCE
    steps: int = 426_000
    learning_rate: float = 1e-5
    envs: int = 10
    rollout: int = 1


class A2cO(A2c):
    """A2C that acts on the fly."""

    strategy = Strategy.ON_THE_FLY


@dataclass
class A2cC(A2c):
    """A2C that plans anew after every removal."""

    strategy = Strategy.COMBINED
    learning_rate: float = 1e-5


@dataclass
class SacI(Sac):
    """SAC that plans in advance."""

    strategy = Strategy.IN_ADVANCE
    steps: int = 57_000


@dataclass
class SacO(Sac):
    """SAC that acts on the fly."""

    strategy = Strategy.ON_THE_FLY
    steps: int = 80_000
    target_entropy: float = 0.98  # RLlib's


@dataclass
class SacC(Sac):
    """SAC that plans anew after every removal."""

    strategy = Strategy.COMBINED
    steps: int = 80_000
    learning_rate: float = 1e-5


class DdpgI(Ddpg):
    """DDPG that plans in advance."""

    strategy = Strategy.IN_ADVANCE


class DqnO(Dqn):
    """DQN that acts on the fly."""

    strategy = Strategy.ON_THE_FLY


def _favour_nothing(layer: Any, amount: float) -> None:
    """Raise what a network says of doing nothing."""
    with torch.no_grad():
        layer.bias[0] += amount
