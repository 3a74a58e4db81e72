"""What agents are tested with, without a run around it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from topple.iphyre.game import Game
from topple.iphyre.phases import Testing as GameTesting
from topple.iphyre.phases import Training as GameTraining
from topple.iphyre.rules import AT_10_HZ, Rules
from topple.phyre.attempt import AttemptLog
from topple.phyre.cache import ActionCache
from topple.phyre.phases import Testing as TaskTesting
from topple.phyre.task import Task
from topple.runs import Agent


def task_testing(
    tasks: Sequence[Task], cache: ActionCache, attempts: int, seed: int = 0
) -> TaskTesting:
    """Tasks of PHYRE to be scored on."""
    log = AttemptLog([task.id for task in tasks], attempts)
    return TaskTesting(tasks, cache, log, np.random.default_rng(seed))


def game_training(games: Sequence[Game], seed: int = 0) -> GameTraining:
    """Games of I-PHYRE to learn from, at 10 Hz."""
    return GameTraining(games, AT_10_HZ, np.random.default_rng(seed))


def play_games(
    agent: Agent[GameTraining, GameTesting],
    games: Sequence[Game],
    plays: int = 1,
    seed: int = 0,
    rules: Rules = AT_10_HZ,
) -> GameTesting:
    """Let an agent play games of I-PHYRE; returns what it did."""
    testing = GameTesting(games, rules, np.random.default_rng(seed), plays)
    agent.act(testing)
    return testing
