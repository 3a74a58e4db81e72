"""I-PHYRE beside the original, in one run: `python benchmarks/iphyre.py`.

The sides get the same plans and actions in turn, round by round: our native engine, for whole
plans also our engine pymunk (in the same process), and the original, the PyPI package iphyre
0.2.3 with pymunk < 7 and numpy < 2, in a virtual environment that this script makes under
build/. Each uses one core; CPU time is counted, so that other work on the machine
disturbs less.
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
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from topple.iphyre import (
    AT_10_HZ,
    AT_60_HZ,
    PUBLISHED,
    Game,
    Plan,
    Strategy,
    game_named,
    plan_from_seconds,
    play_batch,
)
from topple.iphyre.engine.batch import Engine
from topple.iphyre.env import IPhyreEnv
from topple.iphyre.vector_env import IPhyreVectorEnv

HERE = Path(__file__).resolve().parent
ORIGINAL = ("iphyre==0.2.3", "pymunk>=6.4,<7", "numpy<2", "pygame>=2.1")
RULES = {60: AT_60_HZ, 10: AT_10_HZ}

Request = dict[str, Any]
Work = Callable[[Request, Engine], tuple[int, int]]


class Measure(NamedTuple):
    """Work that all sides do."""

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


def episodes(request: Request, engine: Engine) -> tuple[int, int]:
    rules = replace(RULES[request["hz"]], engine=engine)
    attempts: list[tuple[Game, Plan]] = []
    for name, rows in request["plans"].items():
        game = game_named(name)
        attempts.extend((game, plan_from_seconds(game, times, rules)) for times in rows)
    scores = play_batch(attempts, rules, threads=1)
    return len(attempts), sum(score.solved for score in scores)


# Our environments are made once and reset, which is how they are meant to be used; those
# of the original make a new simulator at every reset.
@cache
def environment_of(strategy: Strategy, name: str) -> IPhyreEnv:
    return IPhyreEnv(strategy, game=name)


@cache
def vector_of(strategy: Strategy, slots: int) -> IPhyreVectorEnv:
    return IPhyreVectorEnv(slots, strategy)


def on_the_fly(request: Request, engine: Engine) -> tuple[int, int]:
    steps = solved = 0
    for name, choices in request["choices"].items():
        environment = environment_of(Strategy.ON_THE_FLY, name)
        environment.reset()
        for choice in choices:
            _, _, done, late, _ = environment.step(choice)
            solved += done
            if done or late:
                environment.reset()
        steps += len(choices)
    return steps, solved


def in_advance(request: Request, engine: Engine) -> tuple[int, int]:
    solved = 0
    for name, rows in request["actions"].items():
        environment = environment_of(Strategy.IN_ADVANCE, name)
        for action in rows:
            environment.reset()
            solved += environment.step(action)[2]
    return sum(map(len, request["actions"].values())), solved


# The same numbers of steps and episodes as above, in a batch; its episodes are others.
def vector_on_the_fly(slots: int) -> Work:
    def work(request: Request, engine: Engine) -> tuple[int, int]:
        # More of them than the original gets: it would be over too soon to be measured.
        steps = max(1, 10 * sum(map(len, request["choices"].values())) // slots)
        environment = vector_of(Strategy.ON_THE_FLY, slots)
        environment.reset(seed=0)
        rng = np.random.default_rng(0)
        choices = rng.integers(0, 7, (steps, slots)) * (rng.random((steps, slots)) < 0.1)
        solved = sum(int(environment.step(row)[2].sum()) for row in choices)
        return steps * slots, solved

    return work


def vector_in_advance(slots: int) -> Work:
    def work(request: Request, engine: Engine) -> tuple[int, int]:
        count = max(1, sum(map(len, request["actions"].values())) // slots)
        environment = vector_of(Strategy.IN_ADVANCE, slots)
        rng = np.random.default_rng(0)
        solved = 0
        for k in range(count):
            environment.reset(seed=k)
            solved += int(environment.step(rng.random((slots, 6), dtype=np.float32))[2].sum())
        return count * slots, solved

    return work


def measure(work: Work, request: Request, engine: Engine) -> tuple[float, int, int]:
    start = time.process_time()
    count, solved = work(request, engine)
    return time.process_time() - start, count, solved


class Row(NamedTuple):
    """A line of the table; rates are medians over rounds."""

    what: str
    unit: str
    native: float
    pymunk: float | None  # plays whole plans only
    original: float
    over_pymunk: float | None  # native
    over_original: float  # native
    low: float  # over the original, over rounds
    high: float
    rounds: int
    sample: int  # episodes or steps of the original in a round
    target: float


def compare(item: Measure, child: subprocess.Popen[str], rounds: int) -> Row:
    assert child.stdin is not None
    assert child.stdout is not None
    native: list[float] = []
    pymunk: list[float] = []
    original: list[float] = []
    sample = 0
    sides = {Engine.NATIVE: native}
    if item.ours is episodes:
        sides[Engine.PYMUNK] = pymunk
    for engine in sides:
        item.ours(item.request, engine)  # once unmeasured, so that everything is made
    for _ in range(rounds):
        ends = []
        for engine, measured in sides.items():
            seconds, count, solved = measure(item.ours, item.request, engine)
            measured.append(count / seconds)
            ends.append((count, solved))
        child.stdin.write(json.dumps(item.request) + "\n")
        child.stdin.flush()
        answer = json.loads(child.stdout.readline())
        original.append(answer["count"] / answer["seconds"])
        sample = answer["count"]
        if len(set(ends)) > 1:
            sys.exit(f"{item.label}: {ends[0]} by the native engine, {ends[1]} by pymunk")
        if item.ours is in_advance and ends[0][1] != answer["solved"]:
            sys.exit(f"{item.label}: solved {ends[0][1]}, {answer['solved']} in the original")
    ratios = [a / b for a, b in zip(native, original, strict=True)]
    ours, theirs = statistics.median(native), statistics.median(original)
    slow = statistics.median(pymunk) if pymunk else None
    return Row(
        item.label,
        item.unit,
        ours,
        slow,
        theirs,
        ours / slow if slow else None,
        ours / theirs,
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
    steps, plans = "steps/s", "episodes/s"
    fly, advance = work["on_the_fly"], work["in_advance"]
    items = [
        Measure("whole plans, 60 Hz", plans, 10.0, episodes, work["episodes60"]),
        Measure("whole plans, 10 Hz", plans, 10.0, episodes, work["episodes10"]),
        Measure("on the fly, single", steps, 5.0, on_the_fly, fly),
        Measure("on the fly, vector of 64", steps, 50.0, vector_on_the_fly(64), fly),
        Measure("on the fly, vector of 1,024", steps, 50.0, vector_on_the_fly(1024), fly),
        Measure("in advance, single", plans, 50.0, in_advance, advance),
        Measure("in advance, vector of 64", plans, 50.0, vector_in_advance(64), advance),
    ]
    command = [str(python), str(HERE / "original" / "iphyre_side.py")]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as child:
        rows = [compare(item, child, options.rounds) for item in items]
        child.terminate()
    print(f"{platform.machine()}, Python {platform.python_version()}, one core, CPU time")
    print("| what | native | pymunk engine | original | native / pymunk | native / original |")
    print("|---|---|---|---|---|---|")
    for r in rows:
        slow = "" if r.pymunk is None else f"{r.pymunk:,.0f}"
        ratio = "" if r.over_pymunk is None else f"{r.over_pymunk:.1f}x"
        print(
            f"| {r.what} | {r.native:,.0f} {r.unit} | {slow} | {r.original:,.0f} "
            f"| {ratio} | {r.over_original:.1f}x ({r.low:.1f} to {r.high:.1f}; "
            f"target {r.target:g}x) |"
        )
    if options.csv:
        with options.csv.open("w", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(Row._fields)
            writer.writerows(rows)


if __name__ == "__main__":
    main()
