r"""Score the agent that imagines on folds of PHYRE, thinking about each task only once.

The agent learns nothing from training tasks, so what it does on a task is the same in every fold
and setup that has it. This script keeps its attempts in a file and writes the run records that
`topple evaluate` writes, in a quarter of the time. Stopped, the same command goes on where it was.
Memories of other machines are taken in with `--also`. A file whose name ends in .xz is compressed.

    python benchmarks/imagine_folds.py --agent configs/phyre/imagine.toml \
        --setups ball_within,ball_cross --memory M.json --out OUT
    python benchmarks/imagine_folds.py --setups two_balls_within,two_balls_cross --backend cuda \
        --memory TWO.json --out OUT
    python benchmarks/imagine_folds.py --agent configs/phyre/imagine-percept-4.toml \
        --setups ball_cross --folds 0 --tasks 100 --memory N.json --out OUT
"""

from __future__ import annotations

import argparse
import json
import lzma
import time
from dataclasses import replace
from functools import partial
from pathlib import Path

from machine import say
from topple.files import write_whole
from topple.paths import cache_folder
from topple.phyre.agents.imagine import Imagine
from topple.phyre.engine.backend import Backend
from topple.phyre.fold import SEEDS, Setup
from topple.phyre.results import PhyreConfig
from topple.phyre.selection import Part, TaskSelection
from topple.runs.executors.processes import ProcessExecutor
from topple.runs.record import write_record
from topple.runs.registry import create_agent
from topple.runs.runner import Runner
from topple.runs.spec import find_spec

CHUNK = 20  # tasks that all cores think about before they report
AT_ONCE = 4  # the same for one of several processes
ON_GPU = 128  # the same for a GPU, which is slow to begin and to end with few tasks
SAVE_SECONDS = 30.0  # between two times that the memory is saved

Attempts = dict[str, list[list[float]]]


def make(config: PhyreConfig, remembered: Attempts) -> Imagine:
    agent = create_agent("phyre", config.agent, config.settings)
    assert isinstance(agent, Imagine)
    agent.remembered = remembered
    return agent


def think_about(config: PhyreConfig, backend: Backend) -> tuple[Attempts, float, float]:
    """The attempts on the tasks of a run, its AUCCESS, and the processor time."""
    start = time.process_time()
    agent = make(config, {})
    record = Runner(cache_folder(), backend=backend).run(config, agent)
    return agent.remembered, record.results.auccess, time.process_time() - start


def read_memory(path: Path, settings: list[object]) -> tuple[Attempts, set[str]]:
    """The attempts and the tasks of a memory; nothing if there is no such file."""
    if not path.exists():
        return {}, set()
    content = path.read_bytes()
    memory = json.loads(lzma.decompress(content) if path.suffix == ".xz" else content)
    if memory["settings"] != settings:
        raise SystemExit(f"{path} was made with {memory['settings']}; use another file")
    return memory["attempts"], set(memory["tasks"])


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
    parser.add_argument(
        "--also", type=Path, nargs="*", default=[], help="Memories of other runs to add first."
    )
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument(
        "--processes", type=int, default=1, help="Number of processes; one already uses all cores."
    )
    parser.add_argument(
        "--backend",
        default="cpu",
        choices=("cpu", "cuda"),
        help="Where imagined attempts are simulated.",
    )
    parser.add_argument(
        "--minutes", type=float, help="Stop after about so many minutes; run again to resume."
    )
    arguments = parser.parse_args()
    spec = find_spec(arguments.agent, "phyre")
    setups = [Setup.parse(name) for name in arguments.setups.split(",")]
    [settings, *others] = (
        dict(spec.config(TaskSelection(setup, 0), seed=arguments.seed).settings) for setup in setups
    )
    if any(other != settings for other in others):
        raise SystemExit("the settings differ between these setups; give those of one tier")
    runner = Runner(cache_folder())
    made_with = [settings, arguments.seed]
    known, thought = read_memory(arguments.memory, made_with)
    for path in arguments.also:
        attempts, tasks = read_memory(path, made_with)
        known |= attempts
        thought |= tasks
    end = None if arguments.minutes is None else time.monotonic() + 60 * arguments.minutes

    def config(selection: TaskSelection) -> PhyreConfig:
        return spec.config(selection, seed=arguments.seed)

    def keep() -> None:
        attempts = {name: known[name] for name in sorted(known)}
        memory = {"attempts": attempts, "tasks": sorted(thought), "settings": made_with}
        content = json.dumps(memory).encode()
        compressed = arguments.memory.suffix == ".xz"
        write_whole(arguments.memory, lzma.compress(content) if compressed else content)

    def think(work: list[PhyreConfig]) -> None:
        done, saved = 0, time.monotonic()
        total = sum(len(part.selection.scored()) for part in work)
        executor = ProcessExecutor(arguments.processes)
        try:
            results = executor.map(partial(think_about, backend=arguments.backend), work)
            for part, (attempts, auccess, seconds) in results:
                known.update(attempts)
                tasks = [str(task) for task in part.selection.scored()]
                thought.update(tasks)
                done += len(tasks)
                over = end is not None and time.monotonic() > end
                if over or time.monotonic() - saved > SAVE_SECONDS or done == total:
                    saved = time.monotonic()
                    keep()
                say(
                    f"{done} of {total} tasks, {seconds / len(tasks):.1f} CPU s each, "
                    f"AUCCESS {100 * auccess:.1f}"
                )
                if over:
                    raise SystemExit("the time is over; the same command goes on from here")
        finally:
            executor.close()

    if arguments.also:
        keep()
    selections = [
        TaskSelection(setup, int(fold), Part(arguments.part), arguments.tasks)
        for fold in arguments.folds.split(",")
        for setup in setups
    ]
    size = ON_GPU if arguments.backend == "cuda" else CHUNK if arguments.processes == 1 else AT_ONCE
    taken = set(thought)
    work: list[PhyreConfig] = []
    for selection in selections:
        new = [task for task in map(str, selection.scored()) if task not in taken]
        taken.update(new)
        chunks = (tuple(new[first : first + size]) for first in range(0, len(new), size))
        work += [config(replace(selection, tasks=chunk)) for chunk in chunks]
    think(work)
    for selection in selections:
        record = runner.run(config(selection), make(config(selection), known))
        write_record(arguments.out, record, attempts=False)
        results = record.results
        say(
            f"{selection.place}: AUCCESS {100 * results.auccess:.2f}, solved within 1, 10, 100: "
            f"{results.curve[0]:.3f} {results.curve[9]:.3f} {results.curve[99]:.3f}"
        )


if __name__ == "__main__":
    main()
