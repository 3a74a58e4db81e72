"""Soft actor-critic for discrete actions, as an algorithm of stable-baselines3.

The library's SAC samples continuous actions. With seven discrete ones, learning needs no samples:
the policy is a softmax, both critics value all actions at once, and expectations over the policy
are sums over actions (Christodoulou, arXiv:1910.07207). Everything else, from the replay buffer
to the soft update of the targets, is the library's.
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
import torch
from gymnasium import spaces
from stable_baselines3.common.buffers import ReplayBuffer
from stable_baselines3.common.off_policy_algorithm import OffPolicyAlgorithm
from stable_baselines3.common.policies import BasePolicy
from stable_baselines3.common.torch_layers import create_mlp
from stable_baselines3.common.type_aliases import GymEnv, Schedule
from stable_baselines3.common.utils import polyak_update
from torch import Tensor, nn
from torch.nn import functional

_CRITICS = 2  # the smaller value is used, against over-estimation


class SoftmaxPolicy(BasePolicy):
    """An actor and two critics with their targets, each with an output for every action."""

    def __init__(
        self,
        observation_space: spaces.Space[Any],
        action_space: spaces.Discrete,
        lr_schedule: Schedule,
        net_arch: list[int],
        activation_fn: type[nn.Module] = nn.Tanh,
        **kwargs: Any,
    ) -> None:
        super().__init__(observation_space, action_space, **kwargs)
        size, choices = int(np.prod(observation_space.shape or ())), int(action_space.n)

        def network() -> nn.Sequential:
            return nn.Sequential(*create_mlp(size, choices, net_arch, activation_fn))

        self.actor = network()
        self.critics = nn.ModuleList(network() for _ in range(_CRITICS))
        self.targets = nn.ModuleList(network() for _ in range(_CRITICS))
        self.targets.load_state_dict(self.critics.state_dict())
        self.targets.requires_grad_(False)
        rate = lr_schedule(1)
        self.actor_optimizer = torch.optim.Adam(self.actor.parameters(), lr=rate)
        self.critic_optimizer = torch.optim.Adam(self.critics.parameters(), lr=rate)

    def _predict(self, observation: Any, deterministic: bool = False) -> Tensor:
        logits: Tensor = self.actor(observation)
        if deterministic:
            return logits.argmax(dim=1)
        return torch.multinomial(logits.softmax(dim=1), 1).squeeze(1)


class DiscreteSac(OffPolicyAlgorithm):
    """Soft actor-critic over discrete actions.

    Args:
        policy: only ``MlpPolicy``, as in the library.
        env: an environment with a discrete action space.
        learning_rate: learning rate of all three optimizers.
        buffer_size: steps in the replay buffer.
        learning_starts: random steps before the first update.
        batch_size: steps of a minibatch.
        tau: soft update coefficient of the target networks.
        gamma: discount factor.
        gradient_steps: updates after each collection of steps.
        target_entropy: entropy that the coefficient aims at, as a fraction of the largest.
        ent_coef: initial entropy coefficient; it is learned.
        options: further arguments of the library's off-policy algorithms.
    """

    policy_aliases: ClassVar[dict[str, type[BasePolicy]]] = {"MlpPolicy": SoftmaxPolicy}
    policy: SoftmaxPolicy
    replay_buffer: ReplayBuffer

    def __init__(
        self,
        policy: str,
        env: GymEnv,
        learning_rate: float,
        buffer_size: int,
        learning_starts: int,
        batch_size: int,
        tau: float,
        gamma: float,
        gradient_steps: int,
        target_entropy: float,
        ent_coef: float,
        **options: Any,
    ) -> None:
        super().__init__(
            policy,
            env,
            learning_rate,
            buffer_size,
            learning_starts,
            batch_size,
            tau,
            gamma,
            gradient_steps=gradient_steps,
            support_multi_env=True,
            sde_support=False,
            supported_action_spaces=(spaces.Discrete,),
            **options,
        )
        assert isinstance(self.action_space, spaces.Discrete)
        self.target_entropy = target_entropy * float(np.log(self.action_space.n))
        self._setup_model()
        start = [float(np.log(ent_coef))]
        self.log_ent_coef = torch.tensor(start, dtype=torch.float32, requires_grad=True)
        self.ent_coef_optimizer = torch.optim.Adam([self.log_ent_coef], lr=self.lr_schedule(1))

    def train(self, gradient_steps: int, batch_size: int = 256) -> None:
        """Make updates from the replay buffer."""
        policy = self.policy
        for _ in range(gradient_steps):
            data = self.replay_buffer.sample(batch_size)
            weight = self.log_ent_coef.detach().exp()
            log_p = functional.log_softmax(policy.actor(data.observations), dim=1)
            entropy = -(log_p.exp() * log_p).sum(dim=1)
            self._update(
                self.ent_coef_optimizer,
                (self.log_ent_coef * (entropy.detach() - self.target_entropy)).mean(),
            )
            with torch.no_grad():
                next_log_p = functional.log_softmax(policy.actor(data.next_observations), dim=1)
                least = _least(policy.targets, data.next_observations)
                value = (next_log_p.exp() * (least - weight * next_log_p)).sum(dim=1, keepdim=True)
                wanted = data.rewards + (1 - data.dones) * self.gamma * value
            values = [critic(data.observations) for critic in policy.critics]
            chosen = [value.gather(1, data.actions.long()) for value in values]
            losses = [functional.mse_loss(value, wanted) for value in chosen]
            self._update(policy.critic_optimizer, sum(losses, start=torch.zeros(())))
            least = torch.stack([value.detach() for value in values]).amin(dim=0)
            loss = (log_p.exp() * (weight * log_p - least)).sum(dim=1).mean()
            self._update(policy.actor_optimizer, loss)
            polyak_update(policy.critics.parameters(), policy.targets.parameters(), self.tau)
        self._n_updates += gradient_steps

    @staticmethod
    def _update(optimizer: torch.optim.Optimizer, loss: Tensor) -> None:
        optimizer.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        optimizer.step()

    def _get_torch_save_params(self) -> tuple[list[str], list[str]]:
        optimizers = ("policy.actor_optimizer", "policy.critic_optimizer", "ent_coef_optimizer")
        return ["policy", *optimizers], ["log_ent_coef"]


def _least(networks: nn.ModuleList, observations: Any) -> Tensor:
    return torch.stack([network(observations) for network in networks]).amin(dim=0)
