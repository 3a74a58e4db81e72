"""The paper's eleven agents: five algorithms and the strategies they act by.

Settings have the names of stable-baselines3. Their defaults are the published ones where the paper
names them: two hidden layers of 256 units with tanh, learning rates and steps. Others are those of
the released training code (RLlib's defaults) as far as stable-baselines3 has them.
``configs/iphyre`` has all of them as files, with tuned ones.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, make_dataclass
from typing import Any, ClassVar, TypeVar

import numpy as np
import torch
from numpy.typing import NDArray
from stable_baselines3 import A2C, DDPG, DQN, PPO, SAC
from stable_baselines3.common.base_class import BaseAlgorithm
from stable_baselines3.common.noise import NormalActionNoise
from stable_baselines3.common.policies import ActorCriticPolicy

from topple.iphyre.agents.rl import Algorithm, RlAgent
from topple.iphyre.agents.sac_discrete import DiscreteSac
from topple.iphyre.agents.vec_env import GameVecEnv
from topple.iphyre.game import MAX_ELIMINABLE
from topple.iphyre.strategy import Strategy
from topple.runs.settings import above_zero, at_least, fraction

Agent = TypeVar("Agent", bound=RlAgent)


@dataclass
class OnPolicy(RlAgent):
    """An agent that learns from rollouts of its current policy.

    Attributes:
        n_steps: steps of each environment in a rollout.
        gae_lambda: bias-variance trade-off of the generalized advantage estimator.
        ent_coef: entropy coefficient of the loss.
        vf_coef: value function coefficient of the loss.
        max_grad_norm: norm to which gradients are clipped.
        std_init: initial standard deviation of times, where all times lie from -1 to 1.
        noop_bias: on the fly: added to the initial logit of doing nothing.
    """

    smoke: ClassVar[Mapping[str, Any]] = {"total_timesteps": 20_000, "learning_rate": 1e-3}

    n_steps: int = 500
    gae_lambda: float = 1.0
    ent_coef: float = 0.0
    vf_coef: float = 1.0
    max_grad_norm: float = 1e6
    std_init: float = 1.0
    noop_bias: float = 0.0

    def __post_init__(self) -> None:
        super().__post_init__()
        at_least(self, 1, "n_steps")
        at_least(self, 0, "ent_coef", "vf_coef", "noop_bias")
        above_zero(self, "max_grad_norm", "std_init")
        fraction(self, "gae_lambda")

    def _new_on_policy(self, algorithm: type[Algorithm], env: GameVecEnv, **more: Any) -> Algorithm:
        layers = [self.hidden_size, self.hidden_size]
        policy = {
            "net_arch": {"pi": layers, "vf": layers},
            "log_std_init": float(np.log(self.std_init)),
        }
        model = self._new(algorithm, env, policy, normalize_advantage=True, **more)
        if isinstance(model.policy, ActorCriticPolicy) and self.strategy is Strategy.ON_THE_FLY:
            _favour_nothing(model.policy.action_net, self.noop_bias)
        return model


@dataclass
class Ppo(OnPolicy):
    """Proximal policy optimization.

    Attributes:
        batch_size: steps of a minibatch.
        n_epochs: passes over each rollout.
        clip_range: clipping parameter of the surrogate loss.
    """

    batch_size: int = 125
    n_epochs: int = 30
    clip_range: float = 0.3

    def __post_init__(self) -> None:
        super().__post_init__()
        at_least(self, 2, "batch_size")
        at_least(self, 1, "n_epochs")
        above_zero(self, "clip_range")
        if self.n_steps * self.n_envs % self.batch_size:
            raise ValueError(
                f"batch_size is {self.batch_size}, which does not divide n_steps x n_envs = "
                f"{self.n_steps * self.n_envs}; use one that does"
            )

    def new_model(self, env: GameVecEnv) -> BaseAlgorithm:
        """Create the library's PPO."""
        return self._new_on_policy(PPO, env)


@dataclass
class A2c(OnPolicy):
    """Advantage actor-critic, with Adam."""

    n_steps: int = 10
    ent_coef: float = 0.01
    vf_coef: float = 0.5
    max_grad_norm: float = 40.0

    def new_model(self, env: GameVecEnv) -> BaseAlgorithm:
        """Create the library's A2C."""
        return self._new_on_policy(A2C, env, use_rms_prop=False)


@dataclass
class OffPolicy(RlAgent):
    """An agent that learns from a replay buffer.

    Attributes:
        buffer_size: steps in the replay buffer.
        batch_size: steps of a minibatch.
        gradient_steps: updates after every step of all environments.
        learning_starts: random steps before the first update.
    """

    smoke: ClassVar[Mapping[str, Any]] = {
        "total_timesteps": 3_000,
        "learning_rate": 1e-3,
        "learning_starts": 500,
        "gradient_steps": 2,
        "reward_scale": 1e-3,
    }

    buffer_size: int = 100_000
    batch_size: int = 256
    gradient_steps: int = 1
    learning_starts: int = 1_500

    def __post_init__(self) -> None:
        super().__post_init__()
        at_least(self, 1, "buffer_size", "batch_size", "gradient_steps")
        at_least(self, 0, "learning_starts")

    def _new_off_policy(
        self, algorithm: type[Algorithm], env: GameVecEnv, **more: Any
    ) -> Algorithm:
        layers = {"net_arch": [self.hidden_size, self.hidden_size]}
        return self._new(algorithm, env, layers, train_freq=1, **more)


@dataclass
class Sac(OffPolicy):
    """Soft actor-critic; on the fly, over discrete choices.

    Attributes:
        tau: soft update coefficient of the target networks.
        ent_coef: initial entropy coefficient; it is learned.
        target_entropy: entropy that the coefficient aims at. For times: per block, in nats; on the
            fly: as a fraction of the largest possible entropy.
        noop_bias: on the fly: added to the initial logit of doing nothing.
    """

    tau: float = 0.005
    ent_coef: float = 1.0
    target_entropy: float = -1.0
    gradient_steps: int = 8
    noop_bias: float = 0.0

    def __post_init__(self) -> None:
        super().__post_init__()
        above_zero(self, "ent_coef")
        above_zero(self, "tau", at_most=1)
        if self.strategy is Strategy.ON_THE_FLY and not 0 < self.target_entropy < 1:
            raise ValueError(
                f"target_entropy is {self.target_entropy}; on the fly it is a fraction from 0 to 1"
            )

    def new_model(self, env: GameVecEnv) -> BaseAlgorithm:
        """Create the library's SAC, or our own for discrete choices."""
        if self.strategy is not Strategy.ON_THE_FLY:
            nats = self.target_entropy * MAX_ELIMINABLE
            coefficient = f"auto_{self.ent_coef}"
            return self._new_off_policy(SAC, env, target_entropy=nats, ent_coef=coefficient)
        model = self._new_off_policy(DiscreteSac, env)
        _favour_nothing(model.policy.actor[-1], self.noop_bias)
        return model


@dataclass
class Ddpg(OffPolicy):
    """Deep deterministic policy gradient.

    Attributes:
        tau: soft update coefficient of the target networks.
        exploration_noise: standard deviation of the Gaussian noise added to times.
    """

    tau: float = 0.002
    exploration_noise: float = 0.2
    buffer_size: int = 50_000

    def __post_init__(self) -> None:
        super().__post_init__()
        at_least(self, 0, "exploration_noise")
        above_zero(self, "tau", at_most=1)

    def new_model(self, env: GameVecEnv) -> BaseAlgorithm:
        """Create the library's DDPG."""
        return self._new_off_policy(DDPG, env, action_noise=self._noise())

    def _noise(self) -> NormalActionNoise:
        size = np.ones(MAX_ELIMINABLE)
        return NormalActionNoise(0 * size, self.exploration_noise * size)

    def choose(self, seen: NDArray[np.float32]) -> NDArray[Any]:
        """Choose as others do; a stochastic policy adds the noise of training."""
        times = super().choose(seen)
        if not self.stochastic:
            return times
        noise = np.stack([self._noise()() for _ in times])
        return np.clip(times + noise / 2, 0.0, 1.0).astype(np.float32)


@dataclass
class Dqn(OffPolicy):
    """Deep Q-network.

    Attributes:
        target_update_interval: steps between updates of the target network.
        exploration_fraction: fraction of training over which the exploration rate falls.
        exploration_final_eps: exploration rate at the end, and of a stochastic policy.
        exploration_initial_eps: exploration rate at the start.
        max_grad_norm: norm to which gradients are clipped.
        noop_bias: added to the initial value of doing nothing.
        n_steps: steps of an n-step return.
    """

    buffer_size: int = 50_000
    batch_size: int = 32
    n_envs: int = 4
    learning_starts: int = 1_000
    target_update_interval: int = 500
    exploration_fraction: float = 0.0125
    exploration_final_eps: float = 0.02
    exploration_initial_eps: float = 1.0
    max_grad_norm: float = 40.0
    noop_bias: float = 0.0
    n_steps: int = 1

    def __post_init__(self) -> None:
        super().__post_init__()
        at_least(self, 1, "target_update_interval", "n_steps")
        above_zero(self, "max_grad_norm")
        fraction(self, "exploration_fraction", "exploration_final_eps", "exploration_initial_eps")

    def new_model(self, env: GameVecEnv) -> BaseAlgorithm:
        """Create the library's DQN."""
        model = self._new_off_policy(DQN, env)
        for network in (model.q_net, model.q_net_target):
            _favour_nothing(network.q_net[-1], self.noop_bias)
        return model


def _favour_nothing(layer: Any, amount: float) -> None:
    """Raise the output of a network's last layer for doing nothing."""
    with torch.no_grad():
        layer.bias[0] += amount


def acting(
    name: str, strategy: Strategy, base: type[Agent], *more: type[RlAgent], **defaults: float
) -> type[Agent]:
    """Make the agent of an algorithm that acts by a strategy.

    Args:
        name: of the class, which has to be that of the variable, for pickling.
        strategy: how it acts.
        base: the algorithm, or a class that changes the algorithm given next.
        more: further bases.
        defaults: settings in which it differs from the algorithm.
    """
    return make_dataclass(
        name,
        [(setting, type(value), value) for setting, value in defaults.items()],
        bases=(base, *more),
        namespace={
            "__doc__": f"{(base, *more)[-1].__name__.upper()} that acts {strategy.value}.",
            "__module__": base.__module__,
            "strategy": strategy,
        },
    )


IN_ADVANCE, ON_THE_FLY, COMBINED = Strategy.IN_ADVANCE, Strategy.ON_THE_FLY, Strategy.COMBINED
RLLIB_TARGET_ENTROPY = 0.98

PpoI = acting("PpoI", IN_ADVANCE, Ppo)
PpoO = acting("PpoO", ON_THE_FLY, Ppo)
PpoC = acting("PpoC", COMBINED, Ppo)
A2cI = acting(
    *("A2cI", IN_ADVANCE, A2c), total_timesteps=426_000, learning_rate=1e-5, n_envs=10, n_steps=1
)
A2cO = acting("A2cO", ON_THE_FLY, A2c)
A2cC = acting("A2cC", COMBINED, A2c, learning_rate=1e-5)
SacI = acting("SacI", IN_ADVANCE, Sac, total_timesteps=57_000)
SacO = acting(
    *("SacO", ON_THE_FLY, Sac), total_timesteps=80_000, target_entropy=RLLIB_TARGET_ENTROPY
)
SacC = acting("SacC", COMBINED, Sac, total_timesteps=80_000, learning_rate=1e-5)
DdpgI = acting("DdpgI", IN_ADVANCE, Ddpg)
DqnO = acting("DqnO", ON_THE_FLY, Dqn)
