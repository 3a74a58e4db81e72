"""How large are the solution indexes, and how long and how much memory does it take to use them?

Protocol: a fresh process for each tier and step. Memory is the largest resident size of the
process, less what it was before the step. Times are of the step alone: on the clock, with all
cores, and of the processor.

    python benchmarks/cache.py
"""

from __future__ import annotations

import json
import platform
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from machine import processor
from topple.phyre import Tier, tier_tasks
from topple.phyre.cache import ActionCache, index
from topple.phyre.engine_hash import engine_hash

LISTED = 100_000


def load(tier: Tier) -> None:
    index.shipped_index(tier)


def all_solutions(tier: Tier) -> None:
    tasks = tier_tasks(tier)
    ActionCache(Path(tempfile.gettempdir()), tier).solutions(tasks, LISTED)


def all_outcomes(tier: Tier) -> None:
    tasks = tier_tasks(tier)
    ActionCache(Path(tempfile.gettempdir()), tier).outcomes(tasks, LISTED)


STEPS: dict[str, Callable[[Tier], None]] = {
    "load the index": load,
    "solutions of all tasks, sparse": all_solutions,
    "outcomes of all tasks, int8": all_outcomes,
}


def memory() -> float:
    """The largest resident size so far, in MB."""
    size = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return size / 1e6 if platform.system() == "Darwin" else size * 1024 / 1e6


def measure(step: str, tier: Tier) -> None:
    """Print seconds and MB of a step as JSON."""
    engine_hash()
    before = memory()
    started, busy = time.perf_counter(), time.process_time()
    STEPS[step](tier)
    taken = {"seconds": time.perf_counter() - started, "busy": time.process_time() - busy}
    print(json.dumps({**taken, "memory": memory() - before}))


def main() -> None:
    print(f"{processor()}, Python {platform.python_version()}\n")
    print("| tier | step | seconds | processor seconds | MB of memory |\n|---|---|---|---|---|")
    for tier in Tier:
        for step in STEPS:
            command = [sys.executable, __file__, step, tier.value]
            found = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
            numbers = f"{found['seconds']:.2f} | {found['busy']:.2f} | {found['memory']:.0f}"
            print(f"| {tier.value} | {step} | {numbers} |")
    sizes = {path.name: path.stat().st_size for path in Path(index.__file__).parent.glob("*.sol*")}
    for name, size in sizes.items():
        print(f"\n{name}: {size:,} bytes")


if __name__ == "__main__":
    if len(sys.argv) > 1:
        measure(sys.argv[1], Tier(sys.argv[2]))
    else:
        main()
