"""`topple agents`: the agents of both benchmarks and what each observes."""

from __future__ import annotations

from typing import Annotated

from topple.cli.options import BENCHMARK, Benchmark
from topple.cli.output import Cell, Output, listing
from topple.runs.agent import Learner
from topple.runs.benchmark import find_benchmark
from topple.runs.registry import create_agent
from topple.runs.training import included_checkpoints


def agents(
    benchmark: Annotated[Benchmark | None, BENCHMARK] = None,
) -> Output:
    """List the agents with what each observes and which command trains it.

    Agents marked `train` need `topple train` first, unless a checkpoint is
    included; `topple evaluate` trains the others itself.

    Examples:
      topple agents
      topple agents --benchmark iphyre --json
    """
    rows: list[list[Cell]] = []
    for each in Benchmark if benchmark is None else [benchmark]:
        included = included_checkpoints(each.value)
        for name in find_benchmark(each.value).agents:
            rows.append([name, each.value, *_facts(each.value, name), name in included])
    columns = ("agent", "benchmark", "sees", "online", "trained by", "included")
    return listing("Agents", columns, rows)


def _facts(benchmark: str, name: str) -> list[Cell]:
    try:
        agent = create_agent(benchmark, name)
    except LookupError as error:  # an extra is not installed; the message names it
        return [None, None, str(error).partition(": ")[2]]
    by = "train" if isinstance(agent, Learner) else "evaluate"
    return [agent.traits.observation.value, agent.traits.online, by]
