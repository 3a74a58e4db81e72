"""One run: train an agent on a fold, let it act, keep what happened."""

from __future__ import annotations

import platform
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

import topple
from topple.runs.agent import Agent, Traits
from topple.llm.phyre.grid import Grid, grid_ceiling
from topple.phyre.phases import Testing, Training
from topple.runs.registry import create_agent
from topple.runs.config import Part, RunConfig
from topple.runs.executors import Executor
from topple.runs.executors.local import LocalExecutor
from topple.runs.store import RunRecord, record_of
from topple.phyre.action_cache import ActionCache
from topple.phyre.attempt import AttemptLog
from topple.phyre.engine_hash import engine_hash
from topple.phyre.fold import load_fold
from topple.phyre.outcome_shard import UNKNOWN
from topple.phyre.task import Task, TaskId, load_task
from topple.phyre.tier import Tier
from topple.phyre.engine.backend import Backend
from topple.progress import Progress
from topple.phyre.engine.result import Outcome

ACTION_CACHE = "phyre_actions"  # its folder among the caches


def agent_of(config: RunConfig) -> Agent:
    """The agent a config names, with its settings."""
    return create_agent(config.agent, config.settings)


@dataclass
class Laboratory:
    """What runs share: the action caches and where their work is done.

    Attributes:
        cache: the folder of caches, see :func:`topple.paths.cache_folder`.
        executor: where simulations are run; on this machine by default.
        progress: called with (outcomes done, outcomes in all) while a cache is built.
        backend: what they are run with: "cpu", "cuda" or "auto".
        make: makes the agent of a run, for agents that need more than their settings.
    """

    cache: Path
    executor: Executor = field(default_factory=LocalExecutor)
    progress: Progress | None = None
    backend: Backend = "cpu"
    make: Callable[[RunConfig], Agent] = agent_of
    _caches: dict[Tier, ActionCache] = field(default_factory=dict, init=False, repr=False)

    def action_cache(self, tier: Tier) -> ActionCache:
        """The cache of a tier."""
        if tier not in self._caches:
            self._caches[tier] = ActionCache(
                self.cache / ACTION_CACHE,
                tier,
                run=self.executor.map,
                progress=self.progress,
                backend=self.backend,
            )
        return self._caches[tier]

    def training(self, config: RunConfig) -> Training:
        """What an agent of a run learns from."""
        fold = load_fold(config.setup, config.fold)
        learned = sorted(fold.train + fold.dev) if config.part is Part.TEST else fold.train
        cache = self.action_cache(config.setup.tier)
        return Training([load_task(task) for task in learned], cache, _generators(config)[0])

    def testing(self, config: RunConfig) -> Testing:
        """What an agent of a run is scored on."""
        fold = load_fold(config.setup, config.fold)
        scored = fold.test if config.part is Part.TEST else fold.dev
        if config.tasks is not None:
            scored = some_of(scored, config.tasks)
        cache = self.action_cache(config.setup.tier)
        tasks = [load_task(task) for task in scored]
        return Testing(tasks, cache, AttemptLog(scored, config.attempts), _generators(config)[1])

    def run(self, config: RunConfig, agent: Agent | None = None) -> RunRecord:
        """Run an agent on a fold.

        Args:
            config: what to run.
            agent: one with these settings that was prepared elsewhere; made here by default.
        """
        if agent is None:
            agent = self.make(config)
        training = self.training(config)
        agent.train(training)
        testing = self.testing(config)
        agent.act(testing)
        protocol = _protocol(config, agent, training, testing)
        protocol["oracle_ceiling"] = self._ceiling(testing.tasks, agent.traits)
        return record_of(config, provenance(), protocol, testing.log)

    def _ceiling(self, tasks: Sequence[Task], traits: Traits) -> dict[str, float | int] | None:
        if traits.grid:
            return grid_ceiling(Grid.parse(traits.grid), tasks, self.progress)
        return _ceiling(self.action_cache(tasks[0].tier), tasks, traits.candidates)


def _generators(config: RunConfig) -> list[np.random.Generator]:
    """For training and for testing."""
    sequences = np.random.SeedSequence(config.seed).spawn(2)
    return [np.random.default_rng(sequence) for sequence in sequences]


def some_of(tasks: Sequence[TaskId], wanted: int | tuple[str, ...]) -> tuple[TaskId, ...]:
    """Some of a sorted list of tasks: so many at even distances, or those with some ids.

    Raises:
        ValueError: an id is none, or not in the list.
    """
    if isinstance(wanted, tuple):
        chosen = tuple(map(TaskId.parse, wanted))
        for task in chosen:
            if task not in tasks:
                raise ValueError(f"task '{task}' is not scored here, but '{tasks[0]}' is, and more")
        return chosen
    count = min(wanted, len(tasks))
    return tuple(tasks[number * len(tasks) // count] for number in range(count))


def provenance() -> dict[str, Any]:
    """What a result was made with."""
    return {
        "engine": engine_hash(),
        "topple": topple.__version__,
        "python": platform.python_version(),
        "numpy": np.__version__,
    }


def _protocol(
    config: RunConfig, agent: Agent, training: Training, testing: Testing
) -> dict[str, Any]:
    """The conditions of a run."""
    traits = agent.traits
    return {
        "learning": "online" if traits.online else "offline",
        "attempts_per_task": config.attempts,
        "candidates": traits.candidates,
        **({"grid": traits.grid} if traits.grid else {}),
        "observation": traits.observation.value,
        "trained_on": "train" if config.part is Part.DEV else "train and dev",
        "training_tasks": len(training.tasks),
        "scored_tasks": len(testing.tasks),
        "tried_tasks": int((testing.log.attempts_made() > 0).sum()),
        "simulator_calls_in_training": training.simulator_calls,
        "simulator_calls_in_testing": testing.simulator_calls,
        "attempts": len(testing.log),
        "privileged": testing.privileged,
    }


def _ceiling(
    cache: ActionCache, tasks: Sequence[Task], candidates: int | None
) -> dict[str, float | int] | None:
    """What a perfect ranking of the candidates scores, as far as the cache knows.

    Returns:
        ``auccess``: the share of tasks some candidate is known to solve, and
        ``undecided_tasks``: those that no known one solves and whose candidates were not all
        simulated; the ceiling is exact when there are none. None if any action may be taken.
    """
    if candidates is None:
        return None
    outcomes = cache.known(tasks, candidates)
    solvable = (outcomes == Outcome.SOLVED).any(axis=1)
    undecided = ~solvable & (outcomes == UNKNOWN).any(axis=1)
    return {"auccess": float(solvable.mean()), "undecided_tasks": int(undecided.sum())}
