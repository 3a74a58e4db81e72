"""The optional dependencies and which of them are installed, read from the package metadata."""

from __future__ import annotations

import re
from importlib.metadata import PackageNotFoundError, requires, version
from typing import NamedTuple

_DEVELOPMENT = {"bench", "dev", "docs"}  # needed only to work on Topple itself
_REQUIREMENT = re.compile(
    r"(?P<name>[\w.-]+)(\[(?P<extras>[\w,-]+)\])?.*extra == ['\"](?P<extra>\w+)"
)


class Extra(NamedTuple):
    """The packages that `pip install 'topple[name]'` installs."""

    name: str
    found: dict[str, str]  # package -> version
    missing: list[str]


def extras() -> list[Extra]:
    """List the extras for users in the order in which they are declared."""
    wanted: dict[str, list[str]] = {}
    for line in requires("topple") or ():
        if (match := _REQUIREMENT.match(line)) is None:
            continue
        packages = wanted.setdefault(match["extra"], [])
        if match["name"] == "topple":  # an extra made of others
            packages += [name for other in match["extras"].split(",") for name in wanted[other]]
        else:
            packages.append(match["name"])
    return [_look(name, packages) for name, packages in wanted.items() if name not in _DEVELOPMENT]


def _look(extra: str, packages: list[str]) -> Extra:
    found, missing = {}, []
    for name in packages:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            missing.append(name)
    return Extra(extra, found, missing)
