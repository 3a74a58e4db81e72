"""PPO of Stable-Baselines3 on the native vector environment of I-PHYRE, one removal per tick.

Needs `pip install 'topple[agents]'`.
"""

from __future__ import annotations

import numpy as np
import torch
from stable_baselines3 import PPO

from topple.iphyre import Split, Strategy
from topple.iphyre.agents.vec_env import GameVecEnv

torch.set_num_threads(1)  # small networks are fastest on one

games = Split.BASIC.games
env = GameVecEnv(games, num_envs=32, strategy=Strategy.ON_THE_FLY, seed=0, reward_scale=1e-3)
model = PPO("MlpPolicy", env, n_steps=64, batch_size=512, n_epochs=2, device="cpu", seed=0)
model.learn(4_096)
episodes = env.finished  # unscaled rewards of the episodes that ended while learning
solved = sum(episode.solved for episode in episodes)
print(f"{len(episodes)} episodes in {model.num_timesteps:,} steps, {solved} solved")

env.reset()
env.finished.clear()
observations = env.reset()
while len(env.finished) < len(games):
    actions, _ = model.predict(np.asarray(observations), deterministic=True)
    observations, *_ = env.step(actions)
print(f"mean reward {np.mean([episode.reward for episode in env.finished]):.1f}")
assert model.num_timesteps == 4_096
