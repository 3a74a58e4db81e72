"""Train a reinforcement learner for seconds: PPO on the ten basic games of I-PHYRE.

Needs `pip install 'topple[agents]'`.
"""

from __future__ import annotations

import time

import numpy as np

from topple.iphyre import AT_10_HZ, Split
from topple.iphyre.phases import Testing, Training
from topple.runs import create_agent

settings = {  # those of configs/iphyre/ppo-i-tuned.toml, with few steps
    "total_timesteps": 5_000,
    "learning_rate": 5e-4,
    "n_envs": 50,
    "n_steps": 10,
    "batch_size": 250,
    "n_epochs": 4,
    "reward_scale": 1e-3,
    "std_init": 0.5,
}


def rewards(name: str, split: Split) -> list[float]:
    """What an agent earns in each game of a split, played once."""
    agent = create_agent("iphyre", name, settings if name == "ppo-i" else {})
    start = time.perf_counter()
    agent.train(Training(Split.BASIC.games, AT_10_HZ, np.random.default_rng(0)))
    seconds = time.perf_counter() - start
    testing = Testing(split.games, AT_10_HZ, np.random.default_rng(0))
    agent.act(testing)
    earned = [play.score.reward for play in testing.log]
    solved = sum(play.score.solved for play in testing.log)
    print(f"{name:7} {split.value:6} {np.mean(earned):7.1f}, {solved} of 10 solved", end="")
    print(f", trained for {seconds:.1f} s" if seconds > 1 else "")
    return earned


chance = rewards("random", Split.BASIC)
learned = rewards("ppo-i", Split.BASIC)
assert np.mean(learned) > np.mean(chance)
