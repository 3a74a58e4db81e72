"""Attempts per second on a GPU, beside one core and all cores of the same machine.

Run: python benchmarks/gpu.py [--tasks 4] [--actions 100000] [--rows results.csv]

One run, for each tier: tasks of every template, the first actions of the fixed list, as for
the action cache. The CPU makes a sample of the same attempts. World steps are those of a
sample, since attempts end as soon as their outcome is known.
"""

from __future__ import annotations

import argparse
import csv
import os
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import numpy.typing as npt

from topple.phyre import Tier, template_tasks
from topple.phyre.action import listed_actions
from topple.phyre.engine.cuda_device import cuda_device
from topple.phyre.engine.native import SceneSet, Simulation, map_actions, simulate_batch
from topple.phyre.engine.request import MAX_STEPS

REPEATS = 3
SAMPLE = 300  # attempts for each core of the CPU


def rates(measure: Callable[[], int], repeats: int = REPEATS) -> list[float]:
    """Valid attempts per second, run by run."""
    found = []
    for _ in range(repeats):
        started = time.perf_counter()
        made = measure()
        found.append(made / (time.perf_counter() - started))
    return found


def world_steps(
    scenes: SceneSet, index: npt.NDArray[np.int64], balls: npt.NDArray[np.float64]
) -> float:
    """Steps that an attempt really takes, on average: it may end early."""
    made = 0
    for scene, placed in zip(index.tolist(), balls, strict=True):
        world = Simulation(scenes, scene, placed)
        hold = int(scenes.packed.goals[scene, 2])
        while True:
            world.step()
            step, held = world.progress()
            if held == hold or hold - held > MAX_STEPS - step or world.sleeps():
                break
        made += step
    return made / len(index)


def measure(tier: Tier, tasks_each: int, action_count: int) -> list[dict[str, object]]:
    """Rows of the table for a tier."""
    tasks = [t for name in tier.template_ids for t in template_tasks(name)[:: 100 // tasks_each]]
    scenes = SceneSet([task.scene for task in tasks])
    listed = listed_actions(tier, action_count)
    index = np.repeat(np.arange(len(tasks)), len(listed))
    actions = np.tile(listed, (len(tasks), 1))
    valid, balls = map_actions(scenes, index, actions)

    def on_gpu() -> int:
        result = simulate_batch(scenes, index, actions, backend="cuda")
        return int((result.outcome != 0).sum())

    assert on_gpu() == valid.sum()  # compiles, warms up and checks the count

    def on_cpu(threads: int) -> Callable[[], int]:
        rng = np.random.default_rng(0)
        chosen: npt.NDArray[np.int64] = rng.choice(np.flatnonzero(valid), SAMPLE * threads)

        def run() -> int:
            result = simulate_batch(scenes, index[chosen], actions[chosen], threads=threads)
            return len(result)

        return run

    rng = np.random.default_rng(1)
    sample = rng.choice(np.flatnonzero(valid), SAMPLE)
    steps = world_steps(scenes, index[sample], balls[sample])
    cores = os.cpu_count() or 1
    gpu, one, all_cores = rates(on_gpu), rates(on_cpu(1)), rates(on_cpu(cores))
    base = float(np.median(one))
    rows: list[dict[str, object]] = []
    for what, found in (("1 core", one), (f"{cores} cores", all_cores), ("GPU", gpu)):
        middle = float(np.median(found))
        rows.append(
            {
                "tier": tier.value,
                "where": what,
                "attempts_per_s": round(middle),
                "least": round(min(found)),
                "most": round(max(found)),
                "world_steps_per_s": round(middle * steps),
                "over_one_core": round(middle / base, 1),
                "runs": len(found),
                "valid_attempts": int(valid.sum()) if what == "GPU" else SAMPLE,
            }
        )
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--tasks", type=int, default=2, help="of each template")
    parser.add_argument("--actions", type=int, default=100_000, help="of the list")
    parser.add_argument("--two-ball-actions", type=int, default=20_000)
    parser.add_argument("--rows", type=Path, help="append the table to this CSV file")
    options = parser.parse_args()
    print(f"GPU: {cuda_device().name}; CPU cores: {os.cpu_count()}")
    rows = measure(Tier.BALL, options.tasks, options.actions)
    rows += measure(Tier.TWO_BALLS, options.tasks, options.two_ball_actions)
    for row in rows:
        print("  ".join(f"{key} {value}" for key, value in row.items()))
    if options.rows:
        new = not options.rows.exists()
        with options.rows.open("a", newline="") as file:
            writer = csv.DictWriter(file, ["gpu", *rows[0]])
            if new:
                writer.writeheader()
            writer.writerows({"gpu": cuda_device().name, **row} for row in rows)


if __name__ == "__main__":
    main()
