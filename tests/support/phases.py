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
from topple.phyre.phases import Training as TaskTraining
from topple.phyre.task import Task, template_tasks
from topple.runs import Agent


def task_testing(
    tasks: Sequence[Task], cache: ActionCache, attempts: int, seed: int = 0
) -> TaskTesting:
    """Tasks of PHYRE to be scored on."""
    log = AttemptLog([task.id for task in tasks], attempts)
    return TaskTesting(tasks, cache, log, np.random.default_rng(seed))


def split_tasks(*templates: str, scored: int = 10) -> tuple[list[Task], list[Task]]:
    """Four of five tasks of templates to learn from, and so many of each to be scored on."""
    learned, others = [], []
    for template in templates:
        tasks = template_tasks(template)
        learned += [task for number, task in enumerate(tasks) if number % 5]
        others += list(tasks[:: len(tasks) // scored])
    return learned, others


def attempt_tasks(
    agent: Agent[TaskTraining, TaskTesting],
    cache: ActionCache,
    learned: Sequence[Task],
    scored: Sequence[Task],
    attempts: int = 100,
) -> tuple[TaskTraining, TaskTesting]:
    """Let an agent of PHYRE learn from some tasks and attempt others; returns both phases."""
    training = TaskTraining(learned, cache, np.random.default_rng(0))
    agent.train(training)
    testing = task_testing(scored, cache, attempts)
    agent.act(testing)
    return training, testing


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
