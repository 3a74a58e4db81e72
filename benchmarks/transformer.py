"""How many updates does the transformer make in a second, by its kernels of attention?

Protocol: the network and batch of configs/phyre/transformer.toml on random scenes as large as
those of scrambled puzzles, with random outcomes (speed does not depend on them). Updates are timed
after a warm-up, over at least so many seconds: one by one, replayed from a CUDA graph, and with
compiled blocks; each with every kernel of attention that PyTorch has. Results are printed and
appended to benchmarks/results/transformer.csv.

    python benchmarks/transformer.py                 # on the GPU if there is one
    python benchmarks/transformer.py --device cpu --batch 64 --width 32 --seconds 2
"""

from __future__ import annotations

import argparse
import csv
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch.nn.attention import SDPBackend

from dqn import machine
from topple.phyre.action import listed_actions
from topple.phyre.agents.lessons import Lessons
from topple.phyre.agents.mined import Mined
from topple.phyre.agents.puzzle_supply import Part
from topple.phyre.agents.scene_tokens import COLUMNS, MOST_BODIES, Rows
from topple.phyre.agents.transformer_network import MOTION, SceneTransformer
from topple.phyre.agents.transformer_updates import TransformerUpdates
from topple.phyre.agents.watched import Watched
from topple.phyre.tier import Tier

RESULTS = Path(__file__).parent / "results" / "transformer.csv"
HEADER = ("machine", "torch", "how", "attention", "batch", "width", "per_second", "count")
PUZZLES, ACTIONS, MINED = 4_000, 64, 8
BODIES = (3, 4, 5, 6, 6, 8, 12, 20)  # of scenes, each as often as the others
KERNELS = {
    "PyTorch's choice": None,
    "cudnn": [SDPBackend.CUDNN_ATTENTION],
    "efficient": [SDPBackend.EFFICIENT_ATTENTION],
    "math": [SDPBackend.MATH],
}
WARM_UP, PERIOD = 6, 20  # updates
SEED = 7


def lessons_on(device: str) -> Lessons:
    """Puzzles of random numbers."""
    rng = np.random.default_rng(SEED)
    lessons = Lessons(listed_actions(Tier.BALL, 10_000), 0.0, 0.5, device)
    counts = rng.choice(BODIES, PUZZLES).astype(np.int64)

    def outcomes(columns: int) -> Any:
        return rng.choice(np.array([-1, -1, 0, 1], np.int8), (PUZZLES, columns))

    def numbers(*shape: int) -> Any:
        return rng.random(shape, np.float32)

    watched = Watched(
        np.arange(PUZZLES),
        numbers(PUZZLES, 3),
        numbers(PUZZLES).round(),
        numbers(PUZZLES),
        numbers(PUZZLES, 1 + MOST_BODIES, MOTION).astype(np.float16),
    )
    rows = Rows(numbers(int(counts.sum()), COLUMNS), counts)
    mined = Mined(numbers(PUZZLES, MINED, 3), outcomes(MINED))
    tried = rng.integers(0, 10_000, (PUZZLES, ACTIONS)).astype(np.int32)
    made_of = np.full((PUZZLES, 2), -1)
    part = Part(rows, tried, outcomes(ACTIONS), mined, watched, made_of, PUZZLES, 0)
    lessons.add_puzzles([part])
    return lessons


def rates(lessons: Lessons, arguments: argparse.Namespace) -> Iterator[tuple[Any, ...]]:
    """A row for every way to make updates."""
    device = arguments.device
    on_gpu = device == "cuda"
    for how in ("one by one", "graph", "graph, compiled") if on_gpu else ("one by one",):
        for name, kernels in KERNELS.items() if on_gpu else (("CPU", None),):
            network = SceneTransformer(arguments.width, has_relations=arguments.relations).to(
                device
            )
            network.kernels = kernels
            if "compiled" in how:
                network.compile_blocks()
            updates = TransformerUpdates(network, lessons, 1.0, graph="graph" in how)
            drawn = lessons.draw(PERIOD, arguments.batch, arguments.batch // 8, SEED, 0)
            step = np.full(PERIOD, 1e-4, np.float32)
            try:
                updates.load(drawn)
                updates.run(step[:WARM_UP])
                start, made = time.monotonic(), 0
                while (spent := time.monotonic() - start) < arguments.seconds:
                    updates.load(drawn)
                    updates.run(step)
                    made += PERIOD
            except RuntimeError as error:
                print(f"{how}, {name}: {str(error).splitlines()[0]}", flush=True)
                continue
            if updates.failure:
                print(f"{how}, {name}: no graph: {updates.failure}", flush=True)
                continue
            print(f"{how}, {name}: {made / spent:.1f} updates a second", flush=True)
            shape = (arguments.batch, arguments.width)
            how_made = f"{how}, relations" if arguments.relations else how
            yield (how_made, name, *shape, round(made / spent, 2), made)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    device = "cuda" if torch.cuda.is_available() else "cpu"
    parser.add_argument("--device", default=device, choices=("cpu", "cuda"))
    parser.add_argument("--batch", type=int, default=4096)
    parser.add_argument("--width", type=int, default=256)
    parser.add_argument(
        "--relations",
        action="store_true",
        help="Let attention depend on how two bodies lie to each other.",
    )
    parser.add_argument("--seconds", type=float, default=3.0, help="of each measurement, at least")
    parser.add_argument("--out", type=Path, default=RESULTS)
    arguments = parser.parse_args()
    rows = list(rates(lessons_on(arguments.device), arguments))
    new = not arguments.out.exists()
    with arguments.out.open("a", newline="") as file:
        writer = csv.writer(file)
        if new:
            writer.writerow(HEADER)
        writer.writerows((machine(arguments.device), torch.__version__, *row) for row in rows)


if __name__ == "__main__":
    main()
