"""How fast is the engine, beside a Python loop over the PyPI package box2d?

Protocol: for each tier the first published task of each template, times 20 random actions
that are valid on it (RandomState(12345), drawn task by task); 500 attempts of up to 1,000
steps. Everything is timed in one process in one run; CPU seconds are those of the process.
The best of several repetitions counts, the spread over them is given. Results are printed
and written to benchmarks/results/.

Run it with `make bench`, on a machine that does nothing else.
"""

from __future__ import annotations

import argparse
import csv
import os
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import numpy.typing as npt
from rich.console import Console
from rich.progress import track
from rich.table import Table

from machine import processor
from topple.phyre import Tier, load_task, template_task_ids
from topple.phyre.action import sample_actions
from topple.phyre.engine.balls import with_action
from topple.phyre.engine.native import SceneSet, map_actions, simulate_batch
from topple.phyre.engine.request import MAX_STEPS, Request
from topple.phyre.engine.result import BatchResult
from topple.phyre.scene import Circle, Scene

ACTIONS_PER_TASK = 20
SEED = 12345

# The original simulator under this protocol, on an AMD EPYC virtual machine of two cores:
# attempts per CPU second of simulate_action without images. Not measured in this run.
ORIGINAL = {Tier.BALL: 601.0, Tier.TWO_BALLS: 343.0}


@dataclass(frozen=True)
class Workload:
    """The attempts of one tier."""

    tier: Tier
    scenes: SceneSet
    index: npt.NDArray[np.int64]
    actions: npt.NDArray[np.float64]


@dataclass(frozen=True)
class Timing:
    """One row of the result."""

    tier: str
    what: str
    attempts_per_second: float  # of CPU time, or of wall time where it says so
    worst: float  # the same, in the slowest repetition
    steps_per_second: float
    repetitions: int
    attempts: int


def workload(tier: Tier) -> Workload:
    """The first task of each template with its valid random actions."""
    tasks = [load_task(template_task_ids(template)[0]) for template in tier.template_ids]
    scenes = SceneSet([task.scene for task in tasks])
    rng = np.random.RandomState(SEED)
    kept: list[npt.NDArray[np.float64]] = []
    for task in range(len(tasks)):
        found = 0
        while found < ACTIONS_PER_TASK:
            action = sample_actions(tier, 1, rng)
            if map_actions(scenes, [task], action)[0][0]:
                kept.append(action[0])
                found += 1
    index = np.repeat(np.arange(len(tasks)), ACTIONS_PER_TASK)
    return Workload(tier, scenes, index, np.array(kept))


def world_steps(result: BatchResult) -> int:
    """Steps the original makes for these attempts: all 1,000, or up to the solution."""
    return int(np.where(result.outcome > 0, result.steps + 1, MAX_STEPS).sum())


@dataclass
class Run:
    """Something to time: a call that returns the number of world steps it stands for."""

    what: str
    call: Callable[[], int]
    attempts: int
    clock: Callable[[], float] = time.process_time
    repetitions: int | None = None  # as many as the others
    seconds: list[float] = field(default_factory=list)
    steps: int = 0

    def repeat(self) -> None:
        """Time it once more."""
        start = self.clock()
        self.steps = self.call()
        self.seconds.append(self.clock() - start)

    def timing(self, tier: Tier) -> Timing:
        """The best and the slowest repetition."""
        best = min(self.seconds)
        return Timing(
            tier.value,
            self.what,
            self.attempts / best,
            self.attempts / max(self.seconds),
            self.steps / best,
            len(self.seconds),
            self.attempts,
        )


def engine(work: Workload, request: Request, threads: int) -> Callable[[], int]:
    """A call that simulates the workload, into the same memory every time."""
    kept: list[BatchResult] = []

    def call() -> int:
        result = simulate_batch(
            work.scenes,
            work.index,
            work.actions,
            request,
            threads=threads,
            out=kept[0] if kept else None,
        )
        kept[:] = [result]
        return world_steps(result)

    return call


def box2d_world(scene: Scene) -> object:
    """The scene as a world of the PyPI package, with PHYRE's settings."""
    import Box2D

    world = Box2D.b2World(gravity=(0.0, -9.8), doSleep=True)
    for body in scene.bodies:
        make = world.CreateDynamicBody if body.dynamic else world.CreateStaticBody
        made = make(
            position=(body.position[0] / 6, body.position[1] / 6),
            angle=body.angle,
            angularDamping=0.01,
        )
        for shape in body.shapes:
            outline = (
                Box2D.b2CircleShape(radius=shape.radius / 6)
                if isinstance(shape, Circle)
                else Box2D.b2PolygonShape(vertices=[(x / 6, y / 6) for x, y in shape.vertices])
            )
            made.CreateFixture(
                shape=outline,
                density=0.25 if body.dynamic else 0.0,
                friction=0.5,
                restitution=0.2,
            )
    return world


def box2d_loop(scenes: list[Scene]) -> Callable[[], int]:
    """A call that steps every scene 1,000 times, without any goal test."""

    def call() -> int:
        for scene in scenes:
            world = box2d_world(scene)
            for _ in range(MAX_STEPS):
                world.Step(1 / 60, 15, 20)  # type: ignore[attr-defined]
        return MAX_STEPS * len(scenes)

    return call


def measure(tier: Tier, repetitions: int) -> list[Timing]:
    """All timings of one tier."""
    work = workload(tier)
    count = len(work.index)
    plain, states, images = Request(), Request(states=True), Request(images=True)
    full = Request(shortcuts=False)
    placed = [
        with_action(load_task(work.scenes.packed.names[task]).scene, action)
        for task, action in zip(work.index[::4], work.actions[::4], strict=True)
    ]
    runs = [
        Run("topple, 1 thread", engine(work, plain, 1), count),
        Run("topple, states at stride 60", engine(work, states, 1), count),
        Run("topple, images at stride 60", engine(work, images, 1), count),
        Run("topple, no shortcuts or exits", engine(work, full, 1), count),
        Run("box2d from PyPI, Python loop", box2d_loop(placed), len(placed), repetitions=2),
        Run("topple, 1 thread, wall time", engine(work, plain, 1), count, time.perf_counter),
        Run("topple, 2 threads, wall time", engine(work, plain, 2), count, time.perf_counter),
    ]
    # In turn, so that a slow spell of the machine meets all of them.
    for number in track(range(repetitions), description=tier.value, transient=True):
        for run in runs:
            if run.repetitions is None or number < run.repetitions:
                run.repeat()
    return [run.timing(tier) for run in runs]


def ratios(tier: Tier, timings: list[Timing]) -> dict[str, float]:
    """The claims, as ratios within this run (but for the original's constant)."""
    rate = {timing.what: timing.attempts_per_second for timing in timings}
    one = rate["topple, 1 thread"]
    return {
        "times the original (its rate measured elsewhere)": one / ORIGINAL[tier],
        "times the box2d loop": one / rate["box2d from PyPI, Python loop"],
        "speed-up by a second thread": rate["topple, 2 threads, wall time"]
        / rate["topple, 1 thread, wall time"],
        "cost of images at stride 60 over outcomes alone": one / rate["topple, images at stride 60"]
        - 1,
        "cost of images at stride 60 over states": rate["topple, states at stride 60"]
        / rate["topple, images at stride 60"]
        - 1,
    }


def machine() -> str:
    """A name for this machine."""
    return f"{processor()}, {os.cpu_count()} cores"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repetitions", type=int, default=21)
    parser.add_argument(
        "--out", type=Path, default=Path(__file__).parent / "results" / "engine.csv"
    )
    arguments = parser.parse_args()
    console = Console()
    table = Table(title=f"Attempts per second, {machine()}")
    for column in ("tier", "what", "attempts/s", "slowest", "world steps/s", "attempts x reps"):
        table.add_column(column, justify="left" if column in ("tier", "what") else "right")
    rows: list[Timing] = []
    claims: list[tuple[str, str, float]] = []
    for tier in Tier:
        timings = measure(tier, arguments.repetitions)
        rows += timings
        claims += [(tier.value, what, value) for what, value in ratios(tier, timings).items()]
        for t in timings:
            table.add_row(
                t.tier,
                t.what,
                f"{t.attempts_per_second:,.0f}",
                f"{t.worst:,.0f}",
                f"{t.steps_per_second:,.0f}",
                f"{t.attempts} x {t.repetitions}",
            )
    console.print(table)
    for tier_name, what, value in claims:
        console.print(f"{tier_name:10} {value:8.3f}  {what}")
    arguments.out.parent.mkdir(parents=True, exist_ok=True)
    partial = arguments.out.with_suffix(".tmp")
    with partial.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["machine", machine()])
        writer.writerow(
            [
                "tier",
                "what",
                "attempts_per_second",
                "slowest",
                "steps_per_second",
                "repetitions",
                "attempts",
            ]
        )
        for t in rows:
            writer.writerow(
                [
                    t.tier,
                    t.what,
                    f"{t.attempts_per_second:.1f}",
                    f"{t.worst:.1f}",
                    f"{t.steps_per_second:.0f}",
                    t.repetitions,
                    t.attempts,
                ]
            )
        for tier_name, what, value in claims:
            writer.writerow([tier_name, what, f"{value:.3f}"])
    partial.replace(arguments.out)
    console.print(f"written to {arguments.out}")


if __name__ == "__main__":
    main()
