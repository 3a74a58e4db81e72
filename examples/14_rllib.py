"""PPO of RLlib on an environment of I-PHYRE: two short iterations in this process.

Needs `pip install 'topple[rllib]'`. For real training, give `.env_runners(num_env_runners=8)` and
more iterations.
"""

from __future__ import annotations

import logging
from typing import Any

import gymnasium
import ray
from ray.rllib.algorithms.ppo import PPOConfig
from ray.tune.registry import register_env

import topple.envs  # noqa: F401  (registers the names, also in workers of Ray)


def make(config: dict[str, Any]) -> gymnasium.Env[Any, Any]:
    """An environment for each of RLlib's workers; rewards are scaled to about 1."""
    env = gymnasium.make("topple/IPhyreInAdvance-v0", **config)
    return gymnasium.wrappers.TransformReward(env, lambda reward: 1e-3 * float(reward))


logging.disable(logging.WARNING)
register_env("iphyre", make)
config = (
    PPOConfig()
    .environment("iphyre", env_config={"split": "basic"})
    .env_runners(num_env_runners=0)
    .training(train_batch_size_per_learner=100, minibatch_size=50, num_epochs=2)
    .debugging(seed=0)
)
algorithm = config.build_algo()
for _ in range(2):
    result = algorithm.train()["env_runners"]
    episodes, mean = result["num_episodes_lifetime"], result["episode_return_mean"]
    print(f"{episodes:.0f} episodes, mean {mean:.3f}")
algorithm.stop()
ray.shutdown()
