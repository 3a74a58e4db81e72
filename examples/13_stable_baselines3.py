"""PPO of Stable-Baselines3 on the native vector environment of I-PHYRE.

Needs `pip install 'topple[agents]'`. On the basic games it learns when to remove which block.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from stable_baselines3 import PPO

from topple.iphyre import Split, Strategy
from topple.iphyre.agents.vec_env import GameVecEnv

torch.set_num_threads(1)  # small networks are fastest on one

env = GameVecEnv(Split.BASIC.games, 50, Strategy.IN_ADVANCE, seed=0, reward_scale=1e-3)
settings: dict[str, Any] = {"n_steps": 10, "batch_size": 250, "n_epochs": 4, "learning_rate": 5e-4}
model = PPO("MlpPolicy", env, device="cpu", seed=0, **settings)
for steps in (500, 3_000):
    model.learn(steps, reset_num_timesteps=False)
    # Unscaled rewards of the episodes that ended; here a step is a whole one.
    rewards = [episode.reward for episode in env.finished[-500:]]
    print(f"{model.num_timesteps:5,} episodes played, mean of the last 500: {np.mean(rewards):.1f}")
