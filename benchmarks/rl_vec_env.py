"""Steps a second of the adapter to stable-baselines3, beside the library's DummyVecEnv.

Random actions on the basic games, one process, CPU time. With ``--train`` also the rate at which
each of the eleven agents trains with its published settings.

    python benchmarks/rl_vec_env.py --train
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable

import numpy as np
from stable_baselines3.common.vec_env import DummyVecEnv, VecEnv

from topple.iphyre.agents.rl import RlAgent
from topple.iphyre.agents.vec_env import GameVecEnv
from topple.iphyre.benchmark import IPHYRE
from topple.iphyre.env import IPhyreEnv
from topple.iphyre.phases import Training
from topple.iphyre.rules import AT_10_HZ
from topple.iphyre.split import Split
from topple.iphyre.strategy import Strategy
from topple.runs.registry import create_agent

SECONDS = 2.0
TRAIN_SECONDS = 8.0


def rate(env: VecEnv) -> float:
    """Steps of all episodes a second of CPU time."""
    env.reset()
    env.action_space.seed(0)
    actions = [
        np.array([env.action_space.sample() for _ in range(env.num_envs)]) for _ in range(16)
    ]
    start, steps = time.process_time(), 0
    while time.process_time() - start < SECONDS:
        for each in actions:
            env.step(each)
        steps += len(actions) * env.num_envs
    return steps / (time.process_time() - start)


def dummy(strategy: Strategy, count: int) -> DummyVecEnv:
    make: Callable[[], IPhyreEnv] = lambda: IPhyreEnv(strategy)  # noqa: E731
    return DummyVecEnv([make] * count)


def training_rate(name: str) -> float:
    """Steps a second of CPU time, with updates."""
    agent = create_agent("iphyre", name)
    assert isinstance(agent, RlAgent)
    start = time.process_time()
    done = 0
    for report in agent.learn(Training(Split.BASIC.games, AT_10_HZ, np.random.default_rng(0))):
        done = report.done
        if time.process_time() - start > TRAIN_SECONDS:
            break
    return done / (time.process_time() - start)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--train", action="store_true", help="also measure training")
    options = parser.parse_args()
    print("strategy    episodes  native adapter  DummyVecEnv  ratio")
    for strategy in Strategy:
        for count in (8, 64):
            ours = rate(GameVecEnv(Split.BASIC.games, count, strategy))
            theirs = rate(dummy(strategy, count))
            row = f"{ours:14,.0f}  {theirs:11,.0f}  {ours / theirs:5.1f}"
            print(f"{strategy.value:12}{count:8}  {row}", flush=True)
    if options.train:
        for name in IPHYRE.agents:
            if IPHYRE.agents[name].startswith("topple.iphyre.agents.rl_agents"):
                print(f"{name:8}{training_rate(name):10,.0f} steps/s", flush=True)


if __name__ == "__main__":
    main()
