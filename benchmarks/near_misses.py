"""What a failed attempt says about the actions beside it, by how near it came to the goal.

Simulates listed actions on training tasks and counts, for pairs of a failure and another action,
how often the other one solves the task, compared with any action there. Failures are told apart by
how far the goal's bodies stayed apart, relative to the median of three others. Prints a table of
log ratios, which is what a belief about actions should change by.

    python benchmarks/near_misses.py --tasks 200
"""

from __future__ import annotations

import argparse

import numpy as np
import numpy.typing as npt

from topple.phyre import load_fold, load_task
from topple.phyre.action import listed_actions
from topple.phyre.agents.nearness import LOOKS, kept_distances
from topple.phyre.engine.native import SceneSet, simulate_batch, valid_actions
from topple.phyre.engine.result import Outcome
from topple.phyre.fold import Setup
from topple.phyre.task import Task
from topple.runs.belief import NEAR, USUAL

DISTANCES = (0.05, 0.1, 0.15, 0.2, 0.3, 0.5)  # between actions
SHARES = (0.6, NEAR, USUAL)  # of the usual distance between the goal's bodies
NAMES = ("far nearer", "nearer", "as usual", "farther")
OTHERS = 3  # failures that the usual distance is the median of


def pairs(
    task: Task, actions: npt.NDArray[np.float64], rng: np.random.Generator
) -> npt.NDArray[np.float64] | None:
    """[kinds of failure, distances, 2] solutions, and those expected of any action of a task."""
    scene = SceneSet([task.scene])
    tried = actions[valid_actions(scene, actions)[0]]
    result = simulate_batch(scene, np.zeros(len(tried), np.int32), tried, LOOKS)
    solved = result.outcome == Outcome.SOLVED
    failed = np.flatnonzero(~solved)
    if not solved.any() or len(failed) <= OTHERS:
        return None
    assert task.scene.goal is not None
    apart = kept_distances(result, task.scene.goal[:2])[failed]
    usual = np.median(rng.choice(apart, (len(apart), OTHERS)), axis=1)
    kind = np.digitize(apart / usual, SHARES)
    found = np.zeros((len(NAMES), len(DISTANCES) + 1, 2))
    for place, number in zip(kind, failed, strict=True):
        away = np.linalg.norm(tried - tried[number], axis=1)
        column = np.digitize(away, DISTANCES)
        others = np.arange(len(tried)) != number
        counts = np.bincount(column[others], minlength=len(DISTANCES) + 1)
        found[place, :, 0] += np.bincount(column[solved], minlength=len(DISTANCES) + 1)
        found[place, :, 1] += solved.mean() * counts
    return found


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--setup", default="ball_cross", help="Setup whose tasks are used.")
    parser.add_argument("--fold", type=int, default=0, help="Fold whose training tasks are used.")
    parser.add_argument("--tasks", type=int, default=200, help="Number of tasks, drawn at random.")
    parser.add_argument("--actions", type=int, default=600, help="Listed actions tried on each.")
    arguments = parser.parse_args()
    setup = Setup.parse(arguments.setup)
    rng = np.random.default_rng(0)
    train = load_fold(setup, arguments.fold).train
    chosen = rng.choice(len(train), min(arguments.tasks, len(train)), replace=False)
    actions = listed_actions(setup.tier, arguments.actions)
    counted = [pairs(load_task(train[number]), actions, rng) for number in chosen.tolist()]
    total = sum(found for found in counted if found is not None)
    assert isinstance(total, np.ndarray)
    used = sum(found is not None for found in counted)
    print(f"{used} tasks of {setup.value}, fold {arguments.fold}, that some of the actions solve")
    edges = ["0", *map(str, DISTANCES)]
    names = [f"{low} to {high}" for low, high in zip(edges, DISTANCES, strict=False)]
    print(f"{'goal bodies stayed':18}", *(f"{name:>12}" for name in names))
    for kind, name in enumerate(NAMES):
        solved, expected = total[kind, : len(DISTANCES)].T
        ratios = np.log((solved + 0.5) / (expected + 0.5))
        print(f"{name:18}", *(f"{ratio:+12.2f}" for ratio in ratios))


if __name__ == "__main__":
    main()
