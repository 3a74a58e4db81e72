"""`topple doctor`: is this installation sound, and does its GPU give the CPU's bits?"""

from __future__ import annotations

import os
import platform
import time
from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import numpy as np
import typer

from topple import __version__, paths
from topple.cli.messages import Cell, Json, progress, show, user_errors
from topple.phyre.engine_hash import FAITHFUL, engine_hash
from topple.phyre.exactness import NOTHING, compare_backends
from topple.phyre.tier import Tier
from topple.physics.cuda_device import cuda_device

app = typer.Typer(add_completion=False)

_PAIRS = 20_000  # of a tier


@app.command()
def doctor(
    cuda: Annotated[
        bool, typer.Option("--cuda", help="Also compare the GPU with the CPU.")
    ] = False,
    pairs: Annotated[
        int, typer.Option(min=1, help="Random tasks and actions of each tier to compare.")
    ] = _PAIRS,
    seed: Annotated[int, typer.Option(help="Of these pairs.")] = 0,
    as_json: Json = False,
) -> None:
    """Report the environment, the engine's hash and the caches, and check that outcomes are exact.

    The exit status is 1 if something differs from the original simulator or from the CPU.

    Examples:
      topple doctor

      topple doctor --cuda --pairs 500000
    """
    rows: list[list[Cell]] = [
        ["topple", __version__, True],
        ["python", platform.python_version(), True],
        ["numpy", np.__version__, True],
        ["cores", os.cpu_count(), True],
        ["engine", *_timed(engine_hash, FAITHFUL)],
    ]
    for name, folder in (("caches", paths.cache_folder()), ("runs", paths.runs_folder())):
        rows.append([name, f"{folder} ({_size(folder) / 2**20:.1f} MiB)", True])
    if cuda:
        with user_errors():
            rows += _cuda_rows(pairs, seed)
    show("Checks", ("what", "found", "sound"), rows, as_json)
    if not all(row[2] for row in rows):
        raise typer.Exit(1)


def _cuda_rows(pairs: int, seed: int) -> list[list[Cell]]:
    started = time.perf_counter()
    device = cuda_device()
    ready = time.perf_counter() - started
    rows: list[list[Cell]] = [
        ["GPU", f"{device.name}, ready after {ready:.1f} s", True],
        ["engine on the GPU", *_timed(lambda: engine_hash("cuda"), FAITHFUL)],
    ]
    for tier in Tier:
        total = NOTHING
        with progress(f"{tier.value}: GPU beside CPU", pairs) as bar:
            for part in compare_backends(tier, pairs, seed):
                total += part
                bar.advance(bar.task_ids[0], part.pairs)
        found = (
            f"{total.mismatches} of {total.pairs} pairs differ "
            f"({total.valid} valid, {total.solved} solved; outcomes, steps, final states)"
        )
        rows.append([f"{tier.value} on both", found, total.mismatches == 0])
    return rows


def _timed(hash_of: Callable[[], str], expected: str) -> tuple[str, bool]:
    started = time.perf_counter()
    found = hash_of()
    seconds = time.perf_counter() - started
    same = found == expected
    verdict = "that of the original simulator" if same else f"NOT {expected}"
    return f"{found}, {verdict} ({seconds:.1f} s)", same


def _size(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
