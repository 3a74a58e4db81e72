"""Does the engine have the same bits on a processor that is not here?

Attempts are simulated here, the engine is cross-compiled by Clang (the package ziglang has one)
with the flags of native/engine.cmake, and the attempts are replayed by an emulator. `--fuse` lets
the compiler fuse multiplications and additions, to see that this would be noticed.

    make check-arm64                        # needs qemu-aarch64, of the package qemu-user
    python native/cross/check_cross.py --fuse
"""

from __future__ import annotations

import argparse
import re
import struct
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from topple.phyre.action import discrete_actions
from topple.phyre.engine.native import SceneSet, simulate_batch
from topple.phyre.engine.request import Request
from topple.phyre.task import load_task, template_task_ids
from topple.phyre.tier import Tier

NATIVE = Path(__file__).resolve().parents[1]
TARGET, EMULATOR = "aarch64-linux-musl", "qemu-aarch64"


def flags() -> list[str]:
    """What exactness rests on, as the build has it."""
    found = re.search(r"set\(exact (.*)\)", (NATIVE / "engine.cmake").read_text())
    assert found is not None
    return found[1].split()


def write(file: BinaryIO, array: Any) -> None:
    data = np.ascontiguousarray(array).tobytes()
    file.write(struct.pack("<q", len(data)) + data)


def write_attempts(tier: Tier, actions: int, path: Path) -> None:
    """Two tasks of every template, so many actions on each, and what they came to here."""
    tasks = [load_task(template_task_ids(t)[k]) for t in tier.template_ids for k in (0, 50)]
    scenes = SceneSet([task.scene for task in tasks])
    index = np.repeat(np.arange(len(tasks), dtype=np.int32), actions)
    tried = np.tile(discrete_actions(tier, actions), (len(tasks), 1))
    request = Request(final_state=True)
    result = simulate_batch(scenes, index, tried, request)
    assert result.final_state is not None
    rules = (request.max_steps, tier.balls, result.final_state.shape[1])
    with path.open("wb") as file:
        for array in scenes.packed.arrays().values():
            write(file, array)
        made = (result.outcome, result.steps, result.final_state)
        for array in (index, tried, np.array(rules, np.int32), *made):
            write(file, array)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--actions", type=int, default=40, help="on each task")
    parser.add_argument("--fuse", action="store_true", help="compile with fused operations")
    chosen = parser.parse_args()
    fusing = ["-ffp-contract=on"] if chosen.fuse else []
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder) / "replay"
        sources = [NATIVE / "cross" / "replay.cpp", NATIVE / "src" / "phyre" / "batch.cpp"]
        compiler = [sys.executable, "-m", "ziglang", "c++", "-target", TARGET, "-std=c++17", "-O3"]
        included = [f"-I{NATIVE / 'include'}", f"-I{NATIVE / 'src'}"]
        build = [*compiler, *flags(), *fusing, *included, *map(str, sources), "-o", str(program)]
        subprocess.run(build, check=True)
        for tier in Tier:
            attempts = Path(folder) / tier.value
            write_attempts(tier, chosen.actions, attempts)
            subprocess.run([EMULATOR, str(program), str(attempts)], check=True)


if __name__ == "__main__":
    main()
