"""Compiling the engines for machines that are not here, by the Clang of the package ziglang."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

NATIVE = Path(__file__).resolve().parents[1]


def exact_flags() -> list[str]:
    """The flags that exactness rests on, as the build of the package has them."""
    found = re.search(r"set\(exact (.*)\)", (NATIVE / "engine.cmake").read_text())
    assert found is not None
    return found[1].split()


def compile_for(
    target: str, sources: Sequence[str], output: Path, options: Sequence[str] = ()
) -> None:
    """Compile and link sources, which are named relative to native/.

    Paths are relative to native/, too, so that no folder of this machine gets into the output.
    """
    command = [sys.executable, "-m", "ziglang", "c++", "-target", target, "-std=c++17", "-O3"]
    included = ["-Iinclude", "-Isrc"]
    output.parent.mkdir(parents=True, exist_ok=True)
    command += [*exact_flags(), *included, *options, *sources, "-o", str(output.resolve())]
    subprocess.run(command, check=True, cwd=NATIVE)
