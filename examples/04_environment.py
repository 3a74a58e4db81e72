"""PHYRE as a Gymnasium environment, first one puzzle at a time, then eight."""

from __future__ import annotations

import gymnasium
import numpy as np

import topple.envs  # noqa: F401 - registers the names

env = gymnasium.make("topple/PhyreBall-v0", setup="ball_within_template", fold=0, part="train")
env.action_space.seed(0)
image, info = env.reset(options={"task": "00002:017"})
print("one task:", info["task"], "image", image.shape)

terminated = truncated = False
while not (terminated or truncated):  # an episode is a task, and a step is an attempt
    image, reward, terminated, truncated, info = env.step(env.action_space.sample())
print("random actions:", "solved" if terminated else "not solved", "after", info["attempts"])

# All actions of a vector environment are tried in one call, on all cores.
envs = gymnasium.make_vec("topple/PhyreBall-v0", num_envs=8, observation="features")
envs.action_space.seed(0)
features, infos = envs.reset(seed=0)
solved = 0
for _ in range(400):
    features, rewards, ended, cut, infos = envs.step(envs.action_space.sample())
    solved += int(np.asarray(rewards).sum())
print("eight slots:", solved, "of 3,200 random actions solve their task")
