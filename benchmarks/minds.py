"""How well, and how fast, the engines of imagining agents foresee what PHYRE's engine does.

For each tier, listed actions that are valid on two tasks of each template are simulated by PHYRE's
engine and imagined by the others, with one thread. Writes benchmarks/results/minds.csv.

    python benchmarks/minds.py
"""

from __future__ import annotations

import argparse
import csv
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import numpy.typing as npt

from topple.files import whole_file
from topple.phyre.action import Actions, discrete_actions
from topple.phyre.agents.minds import NativeMind, OtherEngineMind
from topple.phyre.engine.native import SceneSet, valid_actions
from topple.phyre.engine.physics import COARSE, Physics
from topple.phyre.scene import Scene
from topple.phyre.task import load_task, template_task_ids
from topple.phyre.tier import Tier

OUT = Path(__file__).resolve().parent / "results" / "minds.csv"
ACTIONS = {Tier.BALL: 200, Tier.TWO_BALLS: 600}
PLACES = (0, 37)  # of tasks in their template

MINDS: dict[str, Callable[[Scene], NativeMind | OtherEngineMind]] = {
    "exact": lambda scene: NativeMind(scene, Physics()),
    "coarse": lambda scene: NativeMind(scene, COARSE),
    "chipmunk": lambda scene: OtherEngineMind(scene, Physics()),
    "chipmunk, wrong constants": lambda scene: OtherEngineMind(
        scene, Physics(friction=0.3, restitution=0.4)
    ),
}


def imagined(mind: str, scenes: list[Scene], actions: list[Actions]) -> tuple[list[bool], float]:
    """What a mind says of all actions, and the CPU seconds it takes."""
    start = time.process_time()
    said: list[npt.NDArray[np.bool_]] = [
        MINDS[mind](scene).imagine(some, 0).solved
        for scene, some in zip(scenes, actions, strict=True)
    ]
    return np.concatenate(said).tolist(), time.process_time() - start


def main() -> None:
    argparse.ArgumentParser(description=__doc__).parse_args()
    rows = []
    for tier in Tier:
        names = [template_task_ids(template)[k] for template in tier.template_ids for k in PLACES]
        scenes = [load_task(name).scene for name in names]
        listed = discrete_actions(tier, ACTIONS[tier])
        valid = valid_actions(SceneSet(scenes), listed)
        actions = [listed[row] for row in valid]
        truth, exact_seconds = imagined("exact", scenes, actions)
        for mind in MINDS:
            said, seconds = imagined(mind, scenes, actions)
            both = np.logical_and(said, truth).sum()
            rows.append(
                {
                    "tier": tier.value,
                    "mind": mind,
                    "attempts": len(truth),
                    "solutions": sum(truth),
                    "precision": round(float(both) / max(sum(said), 1), 3),
                    "recall": round(float(both) / sum(truth), 3),
                    "attempts_per_cpu_second": round(len(truth) / seconds),
                    "speed_relative_to_exact": round(exact_seconds / seconds, 2),
                }
            )
            print(rows[-1], flush=True)
    with whole_file(OUT) as path, path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)


if __name__ == "__main__":
    main()
