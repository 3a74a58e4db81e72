"""`topple agents`: the agents of both benchmarks and what each observes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Annotated, Any

import typer

from topple.cli.messages import Cell, show, user_errors
from topple.cli.options import BENCHMARK, Benchmark, Json
from topple.iphyre.phases import GameLearner
from topple.runs.agent import Learner
from topple.runs.registry import AGENTS, GAME_AGENTS, create_agent, create_game_agent

app = typer.Typer(add_completion=False)


_KINDS: dict[Benchmark, tuple[Mapping[str, str], Callable[[str], Any], Any]] = {
    Benchmark.PHYRE: (AGENTS, create_agent, Learner),
    Benchmark.IPHYRE: (GAME_AGENTS, create_game_agent, GameLearner),
}


@app.command()
def agents(
    benchmark: Annotated[Benchmark | None, BENCHMARK] = None,
    as_json: Json = False,
) -> None:
    """List the agents with what each observes and which command trains it.

    Agents marked `train` need `topple train` first; `topple evaluate` trains the others itself.

    Examples:
      topple agents

      topple agents --benchmark iphyre --json
    """
    rows: list[list[Cell]] = []
    with user_errors():
        for each in Benchmark if benchmark is None else [benchmark]:
            known, create, learner = _KINDS[each]
            rows += [[name, each.value, *_facts(name, create, learner)] for name in known]
    show("Agents", ("agent", "benchmark", "sees", "online", "trained by"), rows, as_json)


def _facts(name: str, create: Callable[[str], Any], learner: Any) -> list[Cell]:
    try:
        agent = create(name)
    except LookupError as error:  # an extra is not installed; the message names it
        return [None, None, str(error).partition(": ")[2]]
    by = "train" if isinstance(agent, learner) else "evaluate"
    return [agent.traits.observation.value, agent.traits.online, by]
