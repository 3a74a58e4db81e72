"""What does the base install cost: seconds to import, MiB on disk, packages it brings?

Protocol: a fresh environment outside the checkout gets the wheel and what it needs, nothing else.
Times are the shortest of many fresh interpreters, as other work on the machine only adds to them,
less what an empty one takes; a first one warms the disk cache and writes bytecode. Sizes are those
of all files of a package, with bytecode.

    make release-check && python benchmarks/footprint.py dist/*.whl
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import platform
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from machine import processor

RESULTS = Path(__file__).parent / "results" / "footprint.csv"
COLUMNS = ("machine", "python", "what", "value", "unit")
RUNS = 25
STATEMENTS = {
    "import topple": "import topple",
    "topple.Simulator": "from topple import Simulator",
    "topple --help": "import sys; from topple.cli.main import app; app(['--help'])",
}
# Run by the fresh interpreter: the size of each installed package, in bytes.
SIZES = """
import json
from importlib.metadata import distributions
print(json.dumps({
    each.metadata["Name"]: sum(
        path.stat().st_size for path in map(each.locate_file, each.files or ()) if path.exists()
    )
    for each in distributions()
}))
"""


def seconds(python: Path, statement: str, cwd: Path) -> float:
    """What a statement takes in a fresh interpreter."""
    taken = []
    for _ in range(RUNS + 1):
        started = time.perf_counter()
        subprocess.run([python, "-c", statement], cwd=cwd, check=True, capture_output=True)
        taken.append(time.perf_counter() - started)
    return min(taken[1:])


def measure(wheel: Path) -> list[tuple[str, float, str]]:
    """All rows, for a wheel installed alone."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        subprocess.run([sys.executable, "-m", "venv", place / "venv"], check=True)
        python = place / "venv" / ("Scripts" if os.name == "nt" else "bin") / "python"
        install = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        subprocess.run([*install, str(wheel.resolve())], check=True, cwd=place)
        empty = seconds(python, "pass", place)
        rows = [
            (what, 1000 * (seconds(python, statement, place) - empty), "ms")
            for what, statement in STATEMENTS.items()
        ]
        found = subprocess.run([python, "-c", SIZES], check=True, cwd=place, capture_output=True)
    sizes: dict[str, int] = json.loads(found.stdout)
    for tool in ("pip", "setuptools"):
        sizes.pop(tool, None)
    own = sizes.pop("topple")
    rows += [
        ("wheel", wheel.stat().st_size / 2**20, "MiB"),
        ("topple installed", own / 2**20, "MiB"),
        ("with all it needs", (own + sum(sizes.values())) / 2**20, "MiB"),
        ("packages it needs", len(sizes), "packages"),
    ]
    largest = sorted(sizes.items(), key=lambda item: -item[1])[:5]
    print("largest:", ", ".join(f"{name} {size / 2**20:.0f} MiB" for name, size in largest))
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("wheel", type=Path, help="for the interpreter this runs in")
    wheel = parser.parse_args().wheel
    new = not RESULTS.exists()
    rows = measure(wheel)
    with RESULTS.open("a", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        if new:
            writer.writerow(COLUMNS)
        for what, value, unit in rows:
            place = (f"{processor()}, {os.cpu_count()} cores", platform.python_version())
            writer.writerow((*place, what, f"{value:.1f}", unit))
            print(f"{what}: {value:.1f} {unit}")


if __name__ == "__main__":
    main()
