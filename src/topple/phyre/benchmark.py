"""PHYRE as a benchmark of runs: what is selected, what comes out, and under which protocol."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from topple.arrays import Arrays
from topple.phyre.action import CACHE_SEED
from topple.phyre.attempt import AttemptLog
from topple.phyre.cache import ACTION_CACHE, ActionCache, SolutionIndex
from topple.phyre.cache.shard import UNKNOWN
from topple.phyre.engine.result import Outcome
from topple.phyre.engine_hash import engine_hash
from topple.phyre.fold import Setup
from topple.phyre.phases import Testing, Training
from topple.phyre.results import PhyreConfig, PhyreRecord, TaskResults
from topple.phyre.selection import Part, TaskSelection
from topple.phyre.task import Task, TaskId, load_task
from topple.phyre.tier import Tier
from topple.runs.agent import Agent, Traits
from topple.runs.benchmark import Benchmark

if TYPE_CHECKING:
    from topple.runs.runner import Runner

DEV_TASKS = 100  # so many dev tasks are scored during a training


class PhyreBenchmark(Benchmark):
    """PHYRE."""

    name = "phyre"
    title = "PHYRE"
    agents: Mapping[str, str] = {
        "rand": "topple.phyre.agents.rand:Rand",
        "mem": "topple.phyre.agents.mem:Mem",
        "mem-o": "topple.phyre.agents.mem:MemOnline",
        "optimal": "topple.phyre.agents.optimal:Optimal",
        "object-prior": "topple.phyre.agents.object_prior:ObjectPrior",
        "neighbours": "topple.phyre.agents.neighbours:Neighbours",
        "neighbours-o": "topple.phyre.agents.neighbours_online:NeighboursOnline",
        "rehearse": "topple.phyre.agents.rehearse:Rehearse",
        "adaptive": "topple.phyre.agents.adaptive:Adaptive",
        "imagine": "topple.phyre.agents.imagine:Imagine",
        "llm": "topple.llm.phyre.agent:PhyreLlm",
        "dqn": "topple.phyre.agents.dqn:Dqn",
        "dqn-o": "topple.phyre.agents.dqn:DqnOnline",
        "transformer": "topple.phyre.agents.transformer:Transformer",
        "transformer-o": "topple.phyre.agents.transformer:TransformerOnline",
    }

    def __init__(self) -> None:
        self._ceilings: dict[tuple[str, tuple[TaskId, ...]], dict[str, Any]] = {}

    def engine_hash(self) -> str:
        """The hash of the engine's behaviour."""
        return engine_hash()

    def selection_from_data(self, data: Mapping[str, Any]) -> TaskSelection:
        """The selection with these plain values."""
        setup = None if data["setup"] is None else Setup.parse(data["setup"])
        tasks = tuple(data["tasks"]) if isinstance(data["tasks"], list) else data["tasks"]
        more = {name: data.get(name, "") for name in ("study", "file", "digest")}
        return TaskSelection(setup, data["fold"], Part(data["part"]), tasks, **more)

    def results_from_data(self, data: Mapping[str, Any], arrays: Arrays | None) -> TaskResults:
        """The results with these plain values and arrays.

        Raises:
            ValueError: The attempts are not those that solved the tasks.
        """
        tasks = tuple(map(TaskId.parse, data["first_solved"]))
        first_solved = np.array(list(data["first_solved"].values()), np.int64)
        if arrays is None:
            return TaskResults(tasks, first_solved)
        log = AttemptLog(tasks)
        rows = (arrays["task"].tolist(), arrays["action"].tolist(), arrays["outcome"].tolist())
        for place, action, outcome in zip(*rows, strict=True):
            log.append(tasks[place], action, Outcome(outcome))
        results = TaskResults.of(log)
        if not np.array_equal(results.first_solved, first_solved):
            raise ValueError("its attempts do not solve the tasks that it counts as solved")
        return results

    def groups(self) -> tuple[str, ...]:
        """The setups."""
        return tuple(setup.value for setup in Setup)

    def action_cache(
        self,
        tier: Tier,
        runner: Runner,
        *,
        seed: int = CACHE_SEED,
        indexes: Sequence[SolutionIndex] | None = None,
    ) -> ActionCache:
        """The cache of a tier, which a runner's executor and back end fill."""
        return ActionCache(
            runner.cache / ACTION_CACHE,
            tier,
            seed=seed,
            indexes=indexes,
            run=runner.executor.map,
            progress=runner.progress,
            backend=runner.backend,
        )

    def training(self, config: PhyreConfig, runner: Runner) -> Training:
        """The training phase of a run."""
        tasks = [load_task(task) for task in config.selection.trained()]
        cache = self.action_cache(config.selection.tier, runner)
        return Training(tasks, cache, config.generators()[0])

    def testing(self, config: PhyreConfig, runner: Runner) -> Testing:
        """The scored phase of a run."""
        tasks = config.selection.scored_tasks()
        cache = self.action_cache(config.selection.tier, runner)
        log = AttemptLog([task.id for task in tasks], config.attempts)
        return Testing(tasks, cache, log, config.generators()[1])

    def protocol(
        self,
        config: PhyreConfig,
        traits: Traits,
        training: Training,
        testing: Testing,
        runner: Runner,
    ) -> dict[str, Any]:
        """Attempts, candidates, tasks, simulator calls and the ceiling of the candidates."""
        trained_on = "train" if config.selection.part is Part.DEV else "train and dev"
        untrained = "puzzles alone" if training.puzzles else "nothing"
        made: dict[str, float] = {}
        if training.scenes_drawn:
            made = {"scenes_drawn": training.scenes_drawn, "puzzles": training.puzzles}
        if training.seconds:
            made["training_seconds"] = round(training.seconds)
        return {
            "attempts_per_task": config.attempts,
            "candidates": traits.candidates,
            **({"grid": traits.grid} if traits.grid else {}),
            "trained_on": trained_on if training.learned_from else untrained,
            "training_tasks": training.learned_from,
            "scored_tasks": len(testing.tasks),
            "tried_tasks": int((testing.log.attempts_made() > 0).sum()),
            "simulator_calls_in_training": training.simulator_calls,
            **made,
            "attempts": len(testing.log),
            "oracle_ceiling": self._ceiling(testing.tasks, traits, runner),
        }

    def _ceiling(
        self, tasks: Sequence[Task], traits: Traits, runner: Runner
    ) -> dict[str, float | int] | None:
        """What a perfect ranking of the candidates would score, as far as the cache knows.

        Returns:
            ``auccess``: the share of tasks that some candidate is known to solve, and
            ``undecided_tasks``: those that no known one solves and whose candidates were not all
            simulated; the ceiling is exact when there are none. None if any action is allowed.
        """
        if traits.grid:
            from topple.phyre.grid import Grid, grid_ceiling  # only language models use grids

            key = traits.grid, tuple(task.id for task in tasks)
            if key not in self._ceilings:  # records that are written attempt by attempt ask again
                self._ceilings[key] = grid_ceiling(Grid.parse(traits.grid), tasks, runner.progress)
            return self._ceilings[key]
        if traits.candidates is None:
            return None
        outcomes = self.action_cache(tasks[0].tier, runner).known(tasks, traits.candidates)
        solvable = (outcomes == Outcome.SOLVED).any(axis=1)
        undecided = ~solvable & (outcomes == UNKNOWN).any(axis=1)
        return {"auccess": float(solvable.mean()), "undecided_tasks": int(undecided.sum())}

    def dev_score(
        self, agent: Agent[Training, Testing], config: PhyreConfig, runner: Runner
    ) -> float:
        """AUCCESS on some dev tasks of the fold."""
        selection = replace(config.selection, part=Part.DEV, tasks=DEV_TASKS)
        testing = self.testing(replace(config, selection=selection), runner)
        agent.act(testing)
        return testing.results().auccess

    def headline(self, record: PhyreRecord) -> str:
        """AUCCESS."""
        return f"AUCCESS {record.results.auccess:.4f}"


PHYRE = PhyreBenchmark()
