"""I-PHYRE beside the original, in one run: `python benchmarks/iphyre.py`.

Both sides get the same plans and actions in turn, round by round, each in one process
on one core; CPU time is counted, so that other work on the machine disturbs less. The
original is the PyPI package iphyre 0.2.3 with pymunk < 7 and numpy < 2, in a virtual
environment that this script makes under build/.
"""

from __future__ import annotations

import argparse
import csv
import json
import platform
import statistics
import subprocess
import sys
import time
import venv
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from topple.envs.iphyre import IPhyreEnv, IPhyreInAdvanceEnv, IPhyreOnTheFlyEnv
from topple.envs.iphyre_vector import IPhyreVectorEnv
from topple.envs.iphyre_vector import on_the_fly as on_the_fly_vector
from topple.iphyre import (
    AT_10_HZ,
    AT_60_HZ,
    PUBLISHED,
    Game,
    Plan,
    game_named,
    plan_from_seconds,
    play_batch,
)

HERE = Path(__file__).resolve().parent
ORIGINAL = ("iphyre==0.2.3", "pymunk>=6.4,<7", "numpy<2", "pygame>=2.1")
RULES = {60: AT_60_HZ, 10: AT_10_HZ}
SLOTS = 64  # episodes beside each other in the vector environment

Request = dict[str, Any]
Work = Callable[[Request], tuple[int, int]]


class Measure(NamedTuple):
    """Work that both sides do."""

    label: str
    unit: str
    target: float
    ours: Work
    request: Request


def original_python(folder: Path) -> Path:
    """The interpreter of the original's environment, made on first use."""
    python = folder / "bin" / "python"
    marker = folder / ".ready"
    if not marker.exists():
        venv.create(folder, with_pip=True, clear=True)
        command = [str(python), "-m", "pip", "install", "-qq", *ORIGINAL]
        subprocess.run(command, check=True)
        marker.touch()
    return python


def requests(games: int, scale: int, seed: int) -> dict[str, Request]:
    rng = np.random.default_rng(seed)
    names = [game.name for game in PUBLISHED[:games]]
    plans = {}
    for game in PUBLISHED[:games]:
        times = rng.uniform(0.0, 15.0, (scale, len(game.eliminable))).round(4)
        never = rng.random(times.shape) < 0.3
        plans[game.name] = [
            [None if gone else time for time, gone in zip(row, mask, strict=True)]
            for row, mask in zip(times.tolist(), never.tolist(), strict=True)
        ]
    # A click in one tick of ten: an agent that clicked at every one would end up idle.
    choices = {
        n: (rng.integers(0, 7, 60 * scale) * (rng.random(60 * scale) < 0.1)).tolist() for n in names
    }
    actions = {n: rng.random((scale, 6), dtype=np.float32).tolist() for n in names}
    return {
        "episodes60": {"work": "episodes", "hz": 60, "plans": plans},
        "episodes10": {"work": "episodes", "hz": 10, "plans": plans},
        "on_the_fly": {"work": "on_the_fly", "choices": choices},
        "in_advance": {"work": "in_advance", "actions": actions},
    }


def episodes(request: Request) -> tuple[int, int]:
    rules = RULES[request["hz"]]
    attempts: list[tuple[Game, Plan]] = []
    for name, rows in request["plans"].items():
        game = game_named(name)
        attempts.extend((game, plan_from_seconds(game, times, rules)) for times in rows)
    return len(attempts), sum(score.solved for score in play_batch(attempts, rules))


# Our environments are made once and reset, which is how they are meant to be used; those
# of the original make a new simulator at every reset.
@cache
def environment_of(
    kind: type[IPhyreOnTheFlyEnv] | type[IPhyreInAdvanceEnv], name: str
) -> IPhyreEnv:
    return kind(game=name)


@cache
def vector_environment() -> IPhyreVectorEnv:
    return on_the_fly_vector(SLOTS)


def on_the_fly(request: Request) -> tuple[int, int]:
    steps = solved = 0
    for name, choices in request["choices"].items():
        environment = environment_of(IPhyreOnTheFlyEnv, name)
        environment.reset()
        for choice in choices:
            _, _, done, late, _ = environment.step(choice)
            solved += done
            if done or late:
                environment.reset()
        steps += len(choices)
    return steps, solved


def in_advance(request: Request) -> tuple[int, int]:
    solved = 0
    for name, rows in request["actions"].items():
        environment = environment_of(IPhyreInAdvanceEnv, name)
        for action in rows:
            environment.reset()
            solved += environment.step(action)[2]
    return sum(map(len, request["actions"].values())), solved


def vector(request: Request) -> tuple[int, int]:
    """The same number of steps as on the fly, in a batch; its episodes are others."""
    steps = sum(map(len, request["choices"].values())) // SLOTS
    environment = vector_environment()
    environment.reset(seed=0)
    rng = np.random.default_rng(0)
    choices = rng.integers(0, 7, (steps, SLOTS)) * (rng.random((steps, SLOTS)) < 0.1)
    solved = sum(int(environment.step(row)[2].sum()) for row in choices)
    return steps * SLOTS, solved


def measure(work: Work, request: Request) -> tuple[float, int, int]:
    start = time.process_time()
    count, solved = work(request)
    return time.process_time() - start, count, solved


class Row(NamedTuple):
    """A line of the table."""

    what: str
    unit: str
    ours: float
    original: float
    ratio: float  # of medians
    ratio_low: float  # over rounds
    ratio_high: float
    rounds: int
    sample: int  # episodes or steps in a round
    target: float


def compare(item: Measure, child: subprocess.Popen[str], rounds: int) -> Row:
    assert child.stdin is not None
    assert child.stdout is not None
    ours, theirs, sample = [], [], 0
    item.ours(item.request)  # once unmeasured, so that everything is made
    for _ in range(rounds):
        seconds, sample, solved = measure(item.ours, item.request)
        ours.append(sample / seconds)
        child.stdin.write(json.dumps(item.request) + "\n")
        child.stdin.flush()
        answer = json.loads(child.stdout.readline())
        theirs.append(answer["count"] / answer["seconds"])
        if item.ours is in_advance and solved != answer["solved"]:
            sys.exit(f"{item.label}: solved {solved} here, {answer['solved']} in the original")
    ratios = [a / b for a, b in zip(ours, theirs, strict=True)]
    medians = statistics.median(ours), statistics.median(theirs)
    return Row(
        item.label,
        item.unit,
        *medians,
        medians[0] / medians[1],
        min(ratios),
        max(ratios),
        rounds,
        sample,
        item.target,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--games", type=int, default=40, help="how many of the forty games")
    parser.add_argument("--scale", type=int, default=5, help="episodes per game and round")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--csv", type=Path, help="also write the rows to this file")
    options = parser.parse_args()
    python = original_python(HERE.parent / "build" / "bench-iphyre-original")
    work = requests(options.games, options.scale, options.seed)
    items = [
        Measure("whole episodes, 60 Hz", "episodes/s", 1.5, episodes, work["episodes60"]),
        Measure("whole episodes, 10 Hz", "episodes/s", 1.5, episodes, work["episodes10"]),
        Measure("on-the-fly environment", "steps/s", 5.0, on_the_fly, work["on_the_fly"]),
        Measure("in-advance environment", "episodes/s", 5.0, in_advance, work["in_advance"]),
        Measure(f"vector of {SLOTS}, on the fly", "steps/s", 5.0, vector, work["on_the_fly"]),
    ]
    command = [str(python), str(HERE / "original" / "iphyre_side.py")]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as child:
        rows = [compare(item, child, options.rounds) for item in items]
        child.terminate()
    print(f"{platform.machine()}, Python {platform.python_version()}, one core, CPU time")
    print("| what | ours | original | ratio | rounds: min to max | sample a round | target |")
    print("|---|---|---|---|---|---|---|")
    for r in rows:
        print(
            f"| {r.what} | {r.ours:,.0f} {r.unit} | {r.original:,.0f} {r.unit} | {r.ratio:.1f}x "
            f"| {r.rounds}: {r.ratio_low:.1f}x to {r.ratio_high:.1f}x | {r.sample:,} "
            f"| {r.target:g}x |"
        )
    if options.csv:
        with options.csv.open("w", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(Row._fields)
            writer.writerows(rows)


if __name__ == "__main__":
    main()
