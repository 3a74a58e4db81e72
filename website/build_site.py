"""Build the site for any static host: `make site`.

    python website/build_site.py --out build/site

The player is at its root and the documentation in docs/. Agents to watch are the best run of each
agent of I-PHYRE in results/, and runs of RAND, MEM and IMAGINE on PHYRE that are made here.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from topple.phyre.fold import Setup
from topple.phyre.selection import TaskSelection
from topple.player.site import write_site
from topple.player.site_data import Content
from topple.runs import RunConfig, Runner, write_record
from topple.runs.record import read_data, record_paths

ROOT = Path(__file__).resolve().parents[1]
MODULE = ROOT / "build" / "wasm" / "topple.wasm.gz"
SETUPS = (Setup.BALL_WITHIN_TEMPLATE, Setup.TWO_BALLS_WITHIN_TEMPLATE)
TASKS = 50  # of a fold that agents are watched on: two of every template
AGENTS = {"rand": "RAND", "mem": "MEM"}
IMAGINED = 25  # tasks with one ball that the agent that imagines is watched on


def best_records(folder: Path) -> list[Path]:
    """The record with the highest reward of each agent and variant."""
    best: dict[tuple[str, str], tuple[float, Path]] = {}
    for path in sorted(record_paths(folder)):
        data: dict[str, Any] = read_data(path)
        key = data["config"]["agent"], data["config"]["variant"]
        reward = float(data["metrics"]["average"]["reward"])
        best[key] = max(best.get(key, (reward, path)), (reward, path))
    return [path for _, path in best.values()]


def gather_runs(folder: Path) -> None:
    """Put the records of all agents to watch into a folder."""
    folder.mkdir(parents=True)
    for path in best_records(ROOT / "results" / "iphyre"):
        shutil.copyfile(path, folder / path.name)
    runner = Runner(folder / "cache")
    for setup in SETUPS:
        for agent, label in AGENTS.items():
            config = RunConfig(agent, TaskSelection(setup, 0, tasks=TASKS), label=label)
            write_record(folder, runner.run(config))
    some = TaskSelection(SETUPS[0], 0, tasks=IMAGINED)
    write_record(folder, runner.run(RunConfig("imagine", some, label="IMAGINE")))


def build_docs(folder: Path) -> None:
    """Build the documentation, with puzzles to play that use the engine of the site."""
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "-d", str(folder)]
    surroundings = {"NO_MKDOCS_2_WARNING": "1", "TOPPLE_SITE": "1"}
    subprocess.run(command, cwd=ROOT, env={**os.environ, **surroundings}, check=True)


def main() -> None:
    """Build the site and print how large it is."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, default=Path("build/site"), help="folder to write to")
    folder: Path = parser.parse_args().out
    with tempfile.TemporaryDirectory() as scratch:
        runs = Path(scratch) / "runs"
        gather_runs(runs)
        write_site(folder, MODULE, Content(runs=(runs,)))
    player = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
    build_docs(folder.resolve() / "docs")
    print(f"{folder}: {player / 1e6:.1f} MB of player, and the documentation in {folder / 'docs'}")
    print(f"Try it with `python -m http.server -d {folder}`.")


if __name__ == "__main__":
    main()
