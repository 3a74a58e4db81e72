"""Build what would be released, and try it where nothing else is installed.

`make release-check` builds the sdist, a wheel from the sdist, looks into both, installs the wheel
in a fresh environment outside the checkout, and runs tests/smoke.py there. With `--python` it does
so for other interpreters, too. What was installed there is written down as a software bill of
materials (CycloneDX) beside the sdist.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from collections.abc import Iterable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
DIST = ROOT / "dist"
MIB = 2**20
SDIST_LIMIT = 10 * MIB
WHEEL_LIMIT = 10 * MIB

#: What a wheel has to have, beside the code; and what it must not.
WANTED = (
    "topple/py.typed",
    "topple/_native/__init__.pyi",
    "topple/native/include/topple/phyre/world.h",
    "topple/native/cuda/attempts.cu",
    "topple/wasm/topple.wasm.gz",
    "topple/player/static/index.html",
    "topple/phyre/published.json",
    "topple/phyre/cache/manifest.json",
    "topple/phyre/cache/ball.solutions",
    "topple/phyre/cache/two_balls.solutions",
    "topple/iphyre/checkpoints/fusion-attention.pt",
)
UNWANTED = ("test", "__pycache__", ".pyc", "benchmarks", "conftest", ".cmake", ".a")


def run(*command: str | Path, cwd: Path = ROOT) -> None:
    """Run a command that has to succeed, undisturbed by the checkout's environment."""
    hidden = ("PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV")
    environment = {name: value for name, value in os.environ.items() if name not in hidden}
    environment["TOPPLE_WASM"] = "1"  # what is released has the engines for pages
    subprocess.run([str(word) for word in command], cwd=cwd, env=environment, check=True)


def build_sdist() -> Path:
    """The source archive, with what a build and the tests need."""
    run(sys.executable, "-m", "build", "--sdist", "--outdir", DIST)
    sdist = max(DIST.glob("topple-*.tar.gz"), key=lambda path: path.stat().st_mtime)
    with tarfile.open(sdist) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    for name in (
        "CMakeLists.txt",
        "native/engine.cmake",
        "LICENSE",
        "tests/smoke.py",
        "README.md",
    ):
        assert name in names, f"{sdist.name} has no {name}"
    assert sdist.stat().st_size < SDIST_LIMIT, f"{sdist.name} has {sdist.stat().st_size:,} bytes"
    return sdist


def check_wheel(wheel: Path) -> str:
    """What a wheel holds; returns a line about it."""
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        unpacked = sum(entry.file_size for entry in archive.infolist())
    for name in WANTED:
        assert name in names, f"{wheel.name} has no {name}"
    for name in names:
        parts = name.split("/")
        found = [bad for bad in UNWANTED for part in parts if part.startswith(bad)]
        found += [bad for bad in UNWANTED if bad.startswith(".") and name.endswith(bad)]
        assert not found, f"{wheel.name} has {name}"
    assert any(name.startswith("topple/_native.") and name[-4:] != ".pyi" for name in names)
    size = wheel.stat().st_size
    assert size < WHEEL_LIMIT, f"{wheel.name} has {size:,} bytes"
    return f"{wheel.name}: {size / MIB:.2f} MiB, {unpacked / MIB:.2f} unpacked, {len(names)} files"


def try_with(python: str, sdist: Path) -> str:
    """Build a wheel with an interpreter, install it alone, and run the smoke test."""
    with tempfile.TemporaryDirectory(prefix="topple-release-") as folder:
        place = Path(folder)
        run(python, "-m", "venv", place / "venv")
        own = place / "venv" / ("Scripts" if os.name == "nt" else "bin") / "python"
        run(own, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", place, sdist)
        [built] = place.glob("*.whl")
        wheel = built.replace(DIST / built.name)
        told = check_wheel(wheel)
        run(own, "-m", "pip", "install", "--quiet", wheel)
        run(own, "-m", "pip", "check")
        run(own, ROOT / "tests" / "smoke.py", cwd=place)
        write_bill(own, DIST / f"{sdist.name.removesuffix('.tar.gz')}.cdx.json")
    return told


def write_bill(python: Path, path: Path) -> None:
    """Write the packages of an environment, with versions and licences, as CycloneDX."""
    words = ["--output-reproducible", "--pyproject", str(ROOT / "pyproject.toml")]
    run(sys.executable, "-m", "cyclonedx_py", "environment", *words, "-o", path, python)
    bill = json.loads(path.read_text())
    names = {component["name"] for component in bill["components"]}
    assert {"numpy", "gymnasium", "typer"} <= names, f"{path.name} lists only {sorted(names)}"
    assert bill["metadata"]["component"]["name"] == "topple"


def main(words: Iterable[str] | None = None) -> None:
    """Build and try; the exit status is not 0 if anything is amiss."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--python", action="append", help="an interpreter; may be repeated")
    chosen = parser.parse_args(words)
    sdist = build_sdist()
    lines = [f"{sdist.name}: {sdist.stat().st_size / MIB:.2f} MiB"]
    lines += [try_with(python, sdist) for python in chosen.python or [sys.executable]]
    print("\n".join(lines))


if __name__ == "__main__":
    main()
