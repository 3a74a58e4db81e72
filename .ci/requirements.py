"""Print what the package needs beside itself, for `pip install --require-hashes -c lock.txt`.

pip checks no hash of a folder, so it cannot be asked for `.[dev]` together with hashes. The words
are extras; what an extra says of the package's other extras is followed.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from packaging.requirements import Requirement

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).resolve().parents[1]


def requirements(project: dict[str, Any], extras: Iterable[str]) -> Iterator[str]:
    """Yield what a project and some of its extras need of this Python, without markers."""
    groups = [project["dependencies"], *(project["optional-dependencies"][each] for each in extras)]
    for each in map(Requirement, (line for group in groups for line in group)):
        if each.marker and not each.marker.evaluate():
            continue
        if each.name == project["name"]:
            yield from requirements(project, sorted(each.extras))
        else:
            each.marker = None
            yield str(each)


if __name__ == "__main__":
    pyproject = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    print(*sorted(set(requirements(pyproject["project"], sys.argv[1:]))), sep="\n")
