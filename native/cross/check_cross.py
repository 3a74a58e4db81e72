"""Do the engines have the same bits on machines that are not here?

Attempts and plans are simulated here, the engines are compiled for each target by Clang (the
package ziglang has one) with the flags of native/engine.cmake, and the attempts are replayed: on
this machine, by QEMU (Debian's package qemu-user) or by Wine (the package wine). What cannot run
here is compiled and linked.

    make check-cross
    python native/cross/check_cross.py --targets arm64-linux --fuse
"""

from __future__ import annotations

import argparse
import platform
import shutil
import struct
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import numpy as np
from zig import compile_for

from topple.iphyre.engine.native import scene_set, simulate
from topple.iphyre.engine.packing import pack
from topple.iphyre.episode import removal_table
from topple.iphyre.games import ALL
from topple.iphyre.plan import random_rows, row_plan
from topple.iphyre.rules import AT_60_HZ
from topple.phyre.action import discrete_actions
from topple.phyre.engine.native import SceneSet, simulate_batch
from topple.phyre.engine.request import Request
from topple.phyre.task import load_task, template_task_ids
from topple.phyre.tier import Tier

SOURCES = ("cross/replay.cpp", "src/phyre/batch.cpp", "src/iphyre/batch.cpp")


class Target(NamedTuple):
    """A kind of machine."""

    triple: str
    machine: str  # as platform.machine() names it
    program: str | None  # what runs its programs on another machine


TARGETS = {
    "x86-64-linux": Target("x86_64-linux-musl", "x86_64", "qemu-x86_64"),
    "arm64-linux": Target("aarch64-linux-musl", "aarch64", "qemu-aarch64"),
    "x86-64-windows": Target("x86_64-windows-gnu", "", "wine"),
    "x86-64-macos": Target("x86_64-macos", "", None),
    "arm64-macos": Target("aarch64-macos", "", None),
}


def write(file: BinaryIO, array: Any) -> None:
    """Write an array as its length in bytes and its content."""
    data = np.ascontiguousarray(array).tobytes()
    file.write(struct.pack("<q", len(data)) + data)


def write_attempts(file: BinaryIO, tier: Tier, actions: int) -> None:
    """Two tasks of every template, so many actions on each, and what they came to here."""
    tasks = [load_task(template_task_ids(t)[k]) for t in tier.template_ids for k in (0, 50)]
    scenes = SceneSet([task.scene for task in tasks])
    index = np.repeat(np.arange(len(tasks), dtype=np.int32), actions)
    tried = np.tile(discrete_actions(tier, actions), (len(tasks), 1))
    request = Request(final_state=True)
    result = simulate_batch(scenes, index, tried, request)
    assert result.final_state is not None
    rules = np.array((request.max_steps, tier.balls, result.final_state.shape[1]), np.int32)
    for array in scenes.packed.arrays().values():
        write(file, array)
    for array in (index, tried, rules, result.outcome, result.steps, result.final_state):
        write(file, array)


def write_plans(file: BinaryIO, plans: int) -> None:
    """So many plans of every game, and what they came to here."""
    rules = AT_60_HZ
    request = rules.request
    scenes = tuple(game.scene for game in ALL)
    rng = np.random.default_rng(7)
    drawn = [
        row_plan(game, row, rules)
        for game in ALL
        for row in random_rows(rng, plans, len(game.eliminable), rules)
    ]
    removals = removal_table(drawn)
    index = np.repeat(np.arange(len(ALL), dtype=np.int32), plans)
    builds = np.full(len(index), request.builds, np.int64)
    limits = np.full(len(index), request.ticks, np.int32)
    batch = simulate(
        *(scene_set(scenes, request.params, request.dt), index, removals, builds, limits),
        request.out,
        final=True,
        bodies=removals.shape[1],
    )
    arrays, physics = pack(scenes, request.params, request.dt)
    low, high = request.out.x_range or (-np.inf, np.inf)
    for array in arrays:
        write(file, array)
    write(file, np.array([*physics, request.out.y, low, high]))
    for result in (index, removals, builds, limits, batch.solved, batch.ticks, batch.final):
        write(file, result)


def check(name: str, attempts: Path, folder: Path, options: list[str]) -> bool:
    """Build for a target and replay, if possible; returns whether nothing differs."""
    target = TARGETS[name]
    program = folder / (name + (".exe" if "windows" in name else ""))
    compile_for(target.triple, SOURCES, program, options)
    here = sys.platform == "linux" and platform.machine() == target.machine
    runner = [] if here else [shutil.which(target.program or "") or ""]
    if runner == [""]:
        why = f"{target.program} is not installed" if target.program else "nothing here can run it"
        print(f"{name}: compiled and linked; {why}", flush=True)
        return True
    print(f"{name}:", flush=True)
    return subprocess.run([*runner, str(program), str(attempts)]).returncode == 0


def main() -> None:
    """Check all targets, or the chosen ones."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--targets", nargs="+", choices=list(TARGETS), default=list(TARGETS))
    parser.add_argument("--actions", type=int, default=40, help="actions on each of 100 tasks")
    parser.add_argument("--plans", type=int, default=20, help="plans of each of 50 games")
    parser.add_argument(
        "--fuse", action="store_true", help="fuse multiplications and additions, to see it noticed"
    )
    chosen = parser.parse_args()
    options = ["-ffp-contract=on"] if chosen.fuse else []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        attempts = folder / "attempts"
        with attempts.open("wb") as file:
            for tier in Tier:
                write_attempts(file, tier, chosen.actions)
            write_plans(file, chosen.plans)
        good = [check(target, attempts, folder, options) for target in chosen.targets]
    sys.exit(not all(good))


if __name__ == "__main__":
    main()
