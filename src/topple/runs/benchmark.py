"""The Benchmark protocol: all that runs, records and reports need to know of a benchmark.

``BENCHMARKS`` names the two implementations by strings, so that this package imports neither.
"""

from __future__ import annotations

import platform
from collections.abc import Mapping
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any, Protocol, cast

import numpy as np

import topple
from topple.arrays import Arrays
from topple.runs.agent import Agent, Traits
from topple.runs.config import RunConfig

if TYPE_CHECKING:
    from topple.runs.record import RunRecord
    from topple.runs.runner import Runner

BENCHMARKS: Mapping[str, str] = {
    "phyre": "topple.phyre.benchmark:PHYRE",
    "iphyre": "topple.iphyre.benchmark:IPHYRE",
}


class Results(Protocol):
    """What came out of a run."""

    def metrics(self) -> dict[str, Any]:
        """The scores, which are computed from the rest."""

    def to_data(self) -> dict[str, Any]:
        """All that the scores are computed from, as plain values for JSON."""

    def arrays(self) -> Arrays | None:
        """Large arrays that no score needs, if there are any."""


class Training(Protocol):
    """The training phase of a run."""

    simulator_calls: int


class Testing(Protocol):
    """The phase in which an agent is scored."""

    @property
    def simulator_calls(self) -> int:
        """Simulations of scored tasks or games, attempts included where they are counted."""

    @property
    def privileged(self) -> bool:
        """Whether the agent saw outcomes without spending attempts on them."""

    def results(self) -> Results:
        """What came out; raises ValueError if the agent left something out."""


class Benchmark(Protocol):
    """A benchmark."""

    name: str
    title: str
    agents: Mapping[str, str]  # name -> "module:Class"

    def engine_hash(self) -> str:
        """The hash of the engine's behaviour, which every record carries."""

    def selection_from_data(self, data: Mapping[str, Any]) -> Any:
        """The selection with these plain values."""

    def results_from_data(self, data: Mapping[str, Any], arrays: Arrays | None) -> Results:
        """The results with these plain values and arrays."""

    def groups(self) -> tuple[str, ...]:
        """The groups that an agent file may have settings for; none by default."""
        return ()

    def training(self, config: RunConfig[Any], runner: Runner) -> Training:
        """The training phase of a run."""

    def testing(self, config: RunConfig[Any], runner: Runner) -> Testing:
        """The scored phase of a run."""

    def protocol(
        self, config: RunConfig[Any], traits: Traits, training: Any, testing: Any, runner: Runner
    ) -> dict[str, Any]:
        """The conditions of a run beyond those that all benchmarks share."""

    def scored_configs(self, config: RunConfig[Any]) -> list[RunConfig[Any]]:
        """The runs that score a trained agent; the one it was trained for by default."""
        return [config]

    def dev_score(
        self, agent: Agent[Any, Any], config: RunConfig[Any], runner: Runner
    ) -> float | None:
        """A score on tasks that settings may be chosen on; None if there are no such tasks."""
        return None

    def headline(self, record: RunRecord[Any, Any]) -> str:
        """A record's score in a few words, for progress messages."""


@cache
def find_benchmark(name: str) -> Benchmark:
    """The benchmark with this name.

    Raises:
        ValueError: There is no such benchmark.
    """
    if name not in BENCHMARKS:
        raise ValueError(f"unknown benchmark {name!r}: use {' or '.join(BENCHMARKS)}")
    module, _, attribute = BENCHMARKS[name].partition(":")
    return cast(Benchmark, getattr(import_module(module), attribute))


def config_from_data(data: Mapping[str, Any]) -> RunConfig[Any]:
    """The config with these plain values."""
    values = dict(data)
    benchmark = find_benchmark(values.pop("benchmark"))
    selection = benchmark.selection_from_data(values.pop("selection"))
    return RunConfig(selection=selection, **values)


def provenance(benchmark: str) -> dict[str, Any]:
    """The engine and the versions that a result is made with."""
    return {
        "engine": find_benchmark(benchmark).engine_hash(),
        "topple": topple.__version__,
        "python": platform.python_version(),
        "numpy": np.__version__,
    }
