"""The runner: trains an agent, lets it act, and keeps what happened as a record."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from topple.progress import Progress
from topple.runs.agent import Agent
from topple.runs.benchmark import find_benchmark, provenance
from topple.runs.config import RunConfig
from topple.runs.executors import Executor, LocalExecutor
from topple.runs.record import RunRecord, made_here, read_record, record_path, write_record
from topple.runs.registry import create_agent

#: Makes the agent of a run.
MakeAgent = Callable[[RunConfig[Any]], Agent[Any, Any]]


def agent_of(config: RunConfig[Any]) -> Agent[Any, Any]:
    """The agent that a config names, with its settings."""
    return create_agent(config.benchmark, config.agent, config.settings)


@dataclass
class Runner:
    """Where and how runs are made.

    Attributes:
        cache: the folder of caches, see :func:`topple.paths.cache_folder`.
        executor: where simulations are run; on this machine by default.
        progress: called with (done, total) while outcomes are simulated.
        backend: what simulates them: "cpu", "cuda" or "auto".
        make: makes the agent of a run, for agents that need more than their settings.
    """

    cache: Path
    executor: Executor = field(default_factory=LocalExecutor)
    progress: Progress | None = None
    backend: Literal["cpu", "cuda", "auto"] = "cpu"
    make: MakeAgent = agent_of

    def run(
        self, config: RunConfig[Any], agent: Agent[Any, Any] | None = None
    ) -> RunRecord[Any, Any]:
        """Train an agent and score it.

        Args:
            config: what to run.
            agent: an agent with these settings that was trained elsewhere; made here by default.

        Raises:
            ValueError: The agent left out something that it had to try.
        """
        benchmark = find_benchmark(config.benchmark)
        agent = agent or self.make(config)
        training = benchmark.training(config, self)
        agent.train(training)
        testing = benchmark.testing(config, self)
        agent.act(testing)
        return self.record(config, agent, training, testing, testing.results())

    def record(
        self,
        config: RunConfig[Any],
        agent: Agent[Any, Any],
        training: Any,
        testing: Any,
        results: Any,
    ) -> RunRecord[Any, Any]:
        """The record of a run that was made here or elsewhere.

        Args:
            config: what was run.
            agent: the agent that acted.
            training: its training phase.
            testing: its scored phase.
            results: the results of that phase.
        """
        benchmark, traits = find_benchmark(config.benchmark), agent.traits
        protocol = {
            "learning": "online" if traits.online else "offline",
            "observation": traits.observation.value,
            "simulator_calls_in_testing": testing.simulator_calls,
            "privileged": testing.privileged,
            **({} if traits.imagination is None else {"imagination": dict(traits.imagination)}),
            **benchmark.protocol(config, traits, training, testing, self),
        }
        return RunRecord(
            config, provenance(config.benchmark), protocol, results, training_summary(agent)
        )

    def sweep(
        self,
        configs: Iterable[RunConfig[Any]],
        folder: Path,
        *,
        attempts: bool = True,
        on_start: Callable[[RunConfig[Any]], None] | None = None,
        rerun: bool = False,
    ) -> Iterator[RunRecord[Any, Any]]:
        """Yield the record of each config, from disk or by running it.

        Args:
            configs: what to run.
            folder: the folder of records; each is written as soon as its run is finished.
            attempts: whether single attempts are written, too.
            on_start: called with a config before it is run, not if its record is on disk.
            rerun: run it even if its record is on disk.
        """
        for config in configs:
            record = None if rerun else finished_record(config, folder)
            if record is None:
                if on_start is not None:
                    on_start(config)
                record = self.run(config)
                write_record(folder, record, attempts=attempts)
            yield record


def finished_record(config: RunConfig[Any], folder: Path) -> RunRecord[Any, Any] | None:
    """The record of a config, if there is one with this config that this engine made."""
    path = record_path(folder, config)
    if not path.exists():
        return None
    record = read_record(path)
    return record if record.config == config and made_here(record) else None


def training_summary(agent: Agent[Any, Any]) -> dict[str, Any]:
    """Steps, seconds and curve of a training, of an agent that keeps its reports."""
    history = getattr(agent, "history", None)
    if not history:
        return {}
    curve: dict[str, list[float]] = {"steps": [point.done for point in history]}
    for name, digits in (("reward", 1), ("solved", 3)):
        values = [getattr(point, name) for point in history]
        if None not in values:
            curve[name] = [round(value, digits) for value in values]
    seconds = round(getattr(agent, "seconds", 0.0))
    return {"steps": history[-1].done, "seconds": seconds, "curve": curve}
