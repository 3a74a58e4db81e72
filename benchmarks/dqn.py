"""How many updates does DQN make in a second, and how many actions does it rank?

Protocol: images of published tasks of one ball, random outcomes (speed does not depend on
them), the published network and batch. Updates are timed after a warm-up, over at least so
many seconds; ranking is the whole of it, from the image to the sorted list, task after task.
Results are printed and appended to benchmarks/results/dqn.csv.

    python benchmarks/dqn.py                 # on the GPU if there is one, else on the CPU
    python benchmarks/dqn.py --device cpu --seconds 30
"""

from __future__ import annotations

import argparse
import csv
import os
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import torch

from machine import processor
from topple.phyre.action import listed_actions
from topple.phyre.agents.dqn_network import QNetwork, best_first, on_device, scores
from topple.phyre.agents.dqn_updates import Batches, Updates
from topple.phyre.engine.native import SceneSet, draw_scenes
from topple.phyre.task import load_task, tier_task_ids
from topple.phyre.tier import Tier

RESULTS = Path(__file__).parent / "results" / "dqn.csv"
COLUMNS = ("machine", "torch", "what", "batch", "share", "per_second", "seconds", "count")
ACTIONS = 1_000  # random outcomes on each task
LEARNING_RATE = 3e-4
SEED = 7


def machine(device: str) -> str:
    if device == "cuda":
        return str(torch.cuda.get_device_name())
    return f"{processor()}, {torch.get_num_threads()} of {os.cpu_count()} cores"


class Work:
    """Data and a fresh network on a device."""

    def __init__(self, device: str, tasks: int) -> None:
        self.device = torch.device(device)
        ids = tier_task_ids(Tier.BALL)
        chosen = [load_task(ids[k * len(ids) // tasks]) for k in range(tasks)]
        images = draw_scenes(SceneSet([task.scene for task in chosen]))
        self.images = torch.from_numpy(images).to(self.device)
        rng = np.random.default_rng(SEED)
        self.outcomes = rng.choice(
            np.array([-1, 0, 1], np.int8), (tasks, ACTIONS), p=[0.6, 0.35, 0.05]
        )

    def actions(self, count: int) -> torch.Tensor:
        """[count, 3] the first listed actions, on the device."""
        vectors = listed_actions(Tier.BALL, count).astype(np.float32)
        return torch.from_numpy(vectors).to(self.device)

    def network(self) -> QNetwork:
        """The published network, fresh."""
        return on_device(QNetwork(Tier.BALL.action_size), self.device)

    def updates(self, batch: int, share: int, graph: bool, compiled: bool) -> Updates:
        """Updates of a fresh network."""
        network = self.network()
        if compiled:
            network.compile()
        batches = Batches(self.outcomes, batch, per_task=share, seed=SEED)
        return Updates(network, self.images, self.actions(ACTIONS), batches, graph=graph)


def timed(call: Callable[[int], object], first: int, seconds: float) -> tuple[float, float, int]:
    """Calls a second: (rate, seconds, calls), after one call of ``first`` as a warm-up."""
    call(first)
    count, spent, part = 0, 0.0, first
    while spent < seconds:
        start = time.perf_counter()
        call(part)
        took = time.perf_counter() - start
        count, spent = count + part, spent + took
        part = max(1, min(1_000, int(part * min(4.0, 1.0 / took))))
    return count / spent, spent, count


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    parser.add_argument("--seconds", type=float, default=10.0, help="of each measurement")
    parser.add_argument("--batch", type=int, default=64)
    parser.add_argument("--tasks", type=int, default=200)
    parser.add_argument("--rank", type=int, default=10_000, help="actions on a task")
    parser.add_argument("--compile", action="store_true", help="also through torch.compile")
    parser.add_argument("--out", type=Path, default=RESULTS)
    arguments = parser.parse_args()
    on_gpu = arguments.device == "cuda"
    work = Work(arguments.device, arguments.tasks)
    rows: list[list[str]] = []

    def add(what: str, share: int, timing: tuple[float, float, int]) -> None:
        rate, spent, count = timing
        rows.append(
            [
                machine(arguments.device),
                torch.__version__,
                what,
                str(arguments.batch),
                str(share),
                f"{rate:.2f}",
                f"{spent:.1f}",
                str(count),
            ]
        )
        print(f"{what:34} share {share}  {rate:12,.2f}/s  ({count} in {spent:.1f} s)", flush=True)

    print(machine(arguments.device), "torch", torch.__version__)
    ways = [("eager", False, False)]
    if on_gpu:
        ways.append(("CUDA graph", True, False))
    if arguments.compile:
        ways.append(("compiled", False, True))
        if on_gpu:
            ways.append(("compiled, CUDA graph", True, True))
    for name, graph, compiled in ways:
        for share in (1, 4):
            updates = work.updates(arguments.batch, share, graph, compiled)

            def make(count: int, updates: Updates = updates) -> None:
                updates.run(count, np.full(count, LEARNING_RATE, np.float32))

            timing = timed(make, 20 if on_gpu else 1, arguments.seconds)
            add(f"updates, {name}", share, timing)
            if updates.failure:
                print(f"  no CUDA graph: {updates.failure}")
    network = work.network().eval()
    candidates = work.actions(arguments.rank)

    def rank(count: int) -> None:
        for number in range(count):
            best_first(scores(network, work.images[number % len(work.images)], candidates))

    rate, spent, tasks = timed(rank, 1, arguments.seconds)
    add("ranked actions", 1, (rate * arguments.rank, spent, tasks * arguments.rank))
    arguments.out.parent.mkdir(parents=True, exist_ok=True)
    new = not arguments.out.exists()
    with arguments.out.open("a", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        if new:
            writer.writerow(COLUMNS)
        writer.writerows(rows)
    print(f"appended to {arguments.out}")


if __name__ == "__main__":
    main()
