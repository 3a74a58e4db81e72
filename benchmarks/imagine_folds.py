r"""Score the agent that imagines on folds of PHYRE, thinking about each task only once.

The agent learns nothing from training tasks, so what it does on a task is the same in every fold
and setup that has it. This script keeps its attempts in a file and writes the run records that
`topple evaluate` writes, in a quarter of the time. Stopped, the same command goes on where it was.

    python benchmarks/imagine_folds.py --agent configs/phyre/imagine.toml \
        --setups ball_within,ball_cross --memory M.json --out OUT
    python benchmarks/imagine_folds.py --agent configs/phyre/imagine-percept-4.toml \
        --setups ball_cross --folds 0 --tasks 100 --memory N.json --out OUT
"""

from __future__ import annotations

import argparse
import json
import time
from dataclasses import replace
from pathlib import Path

from machine import say
from topple.files import whole_file
from topple.paths import cache_folder
from topple.phyre.agents.imagine import Imagine
from topple.phyre.fold import SEEDS, Setup
from topple.phyre.results import PhyreConfig
from topple.phyre.selection import Part, TaskSelection
from topple.phyre.task import TaskId
from topple.runs.record import write_record
from topple.runs.registry import create_agent
from topple.runs.runner import Runner
from topple.runs.spec import find_spec

CHUNK = 20  # tasks between two times that the memory is saved


def make(config: PhyreConfig, remembered: dict[str, list[list[float]]]) -> Imagine:
    agent = create_agent("phyre", config.agent, config.settings)
    assert isinstance(agent, Imagine)
    agent.remembered = remembered
    return agent


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--setups", default="ball_within,ball_cross")
    parser.add_argument("--folds", default=",".join(map(str, SEEDS)))
    parser.add_argument("--part", default="test", choices=("dev", "test"))
    parser.add_argument("--tasks", type=int, help="spread evenly over the fold; all by default")
    parser.add_argument("--agent", default="configs/phyre/imagine.toml")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--memory", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    arguments = parser.parse_args()
    spec = find_spec(arguments.agent, "phyre")
    setups = [Setup.parse(name) for name in arguments.setups.split(",")]
    [settings, *others] = (
        dict(spec.config(TaskSelection(setup, 0), seed=arguments.seed).settings) for setup in setups
    )
    if any(other != settings for other in others):
        raise SystemExit("the settings differ between these setups; give those of one tier")
    runner = Runner(cache_folder())
    memory = json.loads(arguments.memory.read_text()) if arguments.memory.exists() else {}
    known: dict[str, list[list[float]]] = memory.setdefault("attempts", {})
    thought: set[str] = set(memory.setdefault("tasks", []))
    if memory.setdefault("settings", [settings, arguments.seed]) != [settings, arguments.seed]:
        raise SystemExit(f"{arguments.memory} was made with {memory['settings']}; use another file")

    def config(selection: TaskSelection) -> PhyreConfig:
        return spec.config(selection, seed=arguments.seed)

    def think(whole: TaskSelection, tasks: list[str]) -> None:
        for first in range(0, len(tasks), CHUNK):
            chunk = tasks[first : first + CHUNK]
            start = time.process_time()
            some = config(replace(whole, tasks=tuple(chunk)))
            record = runner.run(some, make(some, known))
            thought.update(chunk)
            memory["tasks"] = sorted(thought)
            with whole_file(arguments.memory) as path:
                path.write_text(json.dumps(memory))
            seconds = (time.process_time() - start) / len(chunk)
            say(
                f"{first + len(chunk)} of {len(tasks)} tasks, {seconds:.1f} CPU s each, AUCCESS "
                f"{100 * record.results.auccess:.1f}"
            )

    for fold in map(int, arguments.folds.split(",")):
        for setup in setups:
            selection = TaskSelection(setup, fold, Part(arguments.part), arguments.tasks)
            ids: tuple[TaskId, ...] = selection.scored()
            think(selection, [str(task) for task in ids if str(task) not in thought])
            record = runner.run(config(selection), make(config(selection), known))
            write_record(arguments.out, record, attempts=False)
            results = record.results
            say(
                f"{setup.value} fold {fold}: AUCCESS {100 * results.auccess:.2f}, solved within "
                f"1, 10, 100: {results.curve[0]:.3f} {results.curve[9]:.3f} {results.curve[99]:.3f}"
            )


if __name__ == "__main__":
    main()
