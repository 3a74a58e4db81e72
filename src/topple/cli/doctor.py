"""`topple doctor`: check the installation, both engines, and the GPU against the CPU."""

from __future__ import annotations

import os
import platform
import re
import shutil
import subprocess
import time
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from importlib.metadata import PackageNotFoundError, requires, version
from pathlib import Path
from typing import Annotated, NamedTuple

import numpy as np
import typer

from topple import __version__, paths
from topple.cli.groups import Flag
from topple.cli.options import Seed
from topple.cli.output import Cell, Output, listing
from topple.cli.progress import progress_bar
from topple.iphyre import AT_10_HZ, AT_60_HZ
from topple.iphyre import engine_hash as games
from topple.phyre.engine.cuda_device import cuda_device
from topple.phyre.engine_hash import FAITHFUL, engine_hash
from topple.phyre.exactness import NOTHING, compare_backends
from topple.phyre.tier import Tier

_PAIRS = 20_000  # of task and action, for each tier
_SHOWN = 16  # digits of a hash
_OK, _MISSING, _WRONG = "ok", "missing", "wrong"  # what is missing is optional
_DEVELOPMENT = {"bench", "dev", "docs"}  # needed only to work on Topple itself
_REQUIREMENT = re.compile(
    r"(?P<name>[\w.-]+)(\[(?P<extras>[\w,-]+)\])?.*extra == ['\"](?P<extra>\w+)"
)


def doctor(
    cuda: Flag = False,
    pairs: Annotated[int, typer.Option(min=1)] = _PAIRS,
    seed: Seed = 0,
) -> Output:
    """Report the environment and the folders in use, and check that both engines are exact.

    What is optional and not installed is "missing". The exit status is 1 if
    something is "wrong": an engine differs from the original simulator, or
    the GPU from the CPU.

    Options:
        cuda: Also compare results of the GPU with the CPU.
        pairs: Number of random pairs of task and action to compare for each tier.

    Examples:
      topple doctor
      topple doctor --json
      topple doctor --cuda --pairs 500000
    """
    rows = [*_environment(), *_engines(), *_folders()]
    if cuda:
        rows += _cuda_rows(pairs, seed)
    wrong = any(row[2] == _WRONG for row in rows)
    return listing("Checks", ("what", "found", "state"), rows, failed=wrong)


def _environment() -> list[list[Cell]]:
    rows: list[list[Cell]] = [
        ["topple", __version__, _OK],
        ["system", f"{platform.platform()}, {platform.machine()}", _OK],
        ["python", platform.python_version(), _OK],
        ["numpy", np.__version__, _OK],
        ["cores", str(os.cpu_count()), _OK],
        ["GPU", *_gpu()],
    ]
    for extra in extras():
        found = ", ".join(f"{name} {version}" for name, version in extra.found.items())
        if extra.missing:
            found = f"without {', '.join(extra.missing)}: pip install 'topple[{extra.name}]'"
        rows.append([f"extra {extra.name}", found, _MISSING if extra.missing else _OK])
    return rows


def _gpu() -> tuple[str, str]:
    """Name the NVIDIA GPUs as their driver reports them."""
    program = shutil.which("nvidia-smi")
    if program is None:
        return "no NVIDIA driver found", _MISSING
    command = [program, "--query-gpu=name", "--format=csv,noheader"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=3)
    except (OSError, subprocess.TimeoutExpired):
        return "the NVIDIA driver does not answer", _MISSING
    names = ", ".join(done.stdout.split("\n")).strip(", ")
    return (names, _OK) if names else ("the NVIDIA driver reports none", _MISSING)


def _engines() -> list[list[Cell]]:
    rows: list[list[Cell]] = [["PHYRE engine", *_timed(engine_hash, FAITHFUL)]]
    for rules in (AT_60_HZ, AT_10_HZ):
        found = _timed(partial(games.engine_hash, rules), games.FAITHFUL[rules.hz])
        rows.append([f"I-PHYRE engine, {rules.hz} Hz", *found])
    return rows


def _folders() -> list[list[Cell]]:
    folders = {
        "caches": paths.cache_folder(),
        "player's data": paths.data_folder(),
        "runs": paths.runs_folder(),
    }
    return [
        [name, f"{folder} ({_size(folder) / 2**20:.1f} MiB)", _OK]
        for name, folder in folders.items()
    ]


def _cuda_rows(pairs: int, seed: int) -> list[list[Cell]]:
    started = time.perf_counter()
    device = cuda_device()
    ready = time.perf_counter() - started
    rows: list[list[Cell]] = [
        ["GPU in use", f"{device.name}, ready after {ready:.1f} s", _OK],
        ["engine on the GPU", *_timed(lambda: engine_hash("cuda"), FAITHFUL)],
    ]
    for tier in Tier:
        total = NOTHING
        with progress_bar(f"{tier.value}: GPU against CPU", pairs) as bar:
            for part in compare_backends(tier, pairs, seed):
                total += part
                bar.advance(part.pairs)
        found = (
            f"{total.mismatches} of {total.pairs} pairs differ "
            f"({total.valid} valid, {total.solved} solved; outcomes, steps, final states)"
        )
        rows.append([f"{tier.value} on both", found, _WRONG if total.mismatches else _OK])
    return rows


def _timed(hash_of: Callable[[], str], expected: str) -> tuple[str, str]:
    started = time.perf_counter()
    found = hash_of()
    seconds = time.perf_counter() - started
    same = found == expected
    verdict = "as the original simulator" if same else f"DIFFERS from {expected[:_SHOWN]}"
    return f"{found[:_SHOWN]}, {verdict} ({seconds:.1f} s)", _OK if same else _WRONG


def _size(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


class Extra(NamedTuple):
    """The packages that `pip install 'topple[name]'` installs."""

    name: str
    found: dict[str, str]  # package -> version
    missing: list[str]


def extras() -> list[Extra]:
    """List the extras for users in the order in which they are declared."""
    wanted: dict[str, list[re.Match[str]]] = {}
    for line in requires("topple") or ():
        if (match := _REQUIREMENT.match(line)) is not None:
            wanted.setdefault(match["extra"], []).append(match)

    def packages(extra: str) -> Iterator[str]:
        for match in wanted[extra]:
            if match["name"] == "topple":  # an extra made of others
                for other in match["extras"].split(","):
                    yield from packages(other)
            else:
                yield match["name"]

    return [_installed(name, packages(name)) for name in wanted if name not in _DEVELOPMENT]


def _installed(extra: str, packages: Iterable[str]) -> Extra:
    found: dict[str, str] = {}
    missing: list[str] = []
    for name in packages:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            missing.append(name)
    return Extra(extra, found, missing)
