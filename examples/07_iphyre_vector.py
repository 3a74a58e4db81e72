"""Sixty-four I-PHYRE games in one vector environment, which steps all of them natively."""

from __future__ import annotations

import time

import gymnasium
import numpy as np

import topple.envs  # noqa: F401 - registers the names

STEPS = 3000
envs = gymnasium.make_vec(
    "topple/IPhyreOnTheFly-v0", 64, vectorization_mode="vector_entry_point", split="basic"
)
observations, infos = envs.reset(seed=0)
print("observations", observations.shape, "each action", envs.single_action_space)

rng = np.random.default_rng(0)
# Doing nothing is mostly right, so a random block is removed only in one step of fifty.
removals = np.where(rng.random((STEPS, 64)) < 0.02, rng.integers(1, 7, (STEPS, 64)), 0)
won = finished = 0
start = time.perf_counter()
for actions in removals:
    observations, rewards, terminated, truncated, infos = envs.step(actions)
    won += int(terminated.sum())
    finished += int((terminated | truncated).sum())
seconds = time.perf_counter() - start
print(f"{STEPS * 64:,} steps in {seconds:.2f} s, {STEPS * 64 / seconds:,.0f} a second")
print(f"{won} of {finished} episodes solved by removing blocks at random moments")
