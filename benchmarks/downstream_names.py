"""Which names of `phyre` and `iphyre` does somebody's program use, and which has `topple.compat`?

Reads the Python files and notebooks of a folder without running them, and follows imports of
the two packages to the names that are used of them: modules, functions, classes and their
attributes. What comes out of a call has no name and is not followed.

    python benchmarks/downstream_names.py ~/code/some-project
    python benchmarks/downstream_names.py ~/code/some-project --json

The result says how many names, and how many uses of them, are found.
"""

from __future__ import annotations

import argparse
import ast
import importlib
import json
import types
import warnings
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

PACKAGES = ("phyre", "iphyre")


def sources(folder: Path) -> Iterator[tuple[Path, str]]:
    """The Python of a folder: its files, and the code of its notebooks."""
    for path in sorted(folder.rglob("*.py")):
        yield path, path.read_text(encoding="utf-8", errors="replace")
    for path in sorted(folder.rglob("*.ipynb")):
        if ".ipynb_checkpoints" in path.parts:
            continue
        try:
            cells = json.loads(path.read_text(encoding="utf-8")).get("cells", [])
        except (ValueError, AttributeError):
            continue
        code = ["".join(cell["source"]) for cell in cells if cell.get("cell_type") == "code"]
        lines = "\n".join(code).splitlines()
        # Commands of the notebook itself are not Python.
        yield (
            path,
            "\n".join("" if line.lstrip()[:1] in ("%", "!", "?") else line for line in lines),
        )


def used_names(code: str) -> Counter[str]:
    """Full names of the two packages that a program uses, and how often.

    Raises:
        SyntaxError: it is no program of this Python.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        tree = ast.parse(code)
    bound: dict[str, str] = {}  # local names of what was imported
    names: Counter[str] = Counter()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                if alias.name.split(".")[0] in PACKAGES:
                    names[alias.name] += 1
                    full = alias.name if alias.asname else alias.name.split(".")[0]
                    bound[alias.asname or full] = full
        elif isinstance(node, ast.ImportFrom) and not node.level:
            module = node.module or ""
            for alias in node.names if module.split(".")[0] in PACKAGES else ():
                full = f"{module}.{alias.name}"
                names[full] += 1
                bound[alias.asname or alias.name] = full
    inner = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and id(node) not in inner:
            parts: list[str] = []
            root: ast.expr = node
            while isinstance(root, ast.Attribute):
                parts.append(root.attr)
                root = root.value
            if isinstance(root, ast.Name) and root.id in bound:
                names[".".join([bound[root.id], *reversed(parts)])] += 1
    return names


def resolve(name: str) -> tuple[str, bool]:
    """The part of a name that names something, and whether ``topple.compat`` has it.

    Attributes of values are left off: what a number or a function has is not a name.
    """
    parts = name.split(".")
    thing: object = importlib.import_module(f"topple.compat.{parts[0]}")
    for depth, part in enumerate(parts[1:], 2):
        if not isinstance(thing, types.ModuleType | type):
            return ".".join(parts[: depth - 1]), True
        if part == "*":
            return ".".join(parts[:depth]), True
        if not hasattr(thing, part) and isinstance(thing, types.ModuleType):
            try:
                importlib.import_module(f"{thing.__name__}.{part}")
            except ImportError:
                return ".".join(parts[:depth]), False
        if not hasattr(thing, part):
            return ".".join(parts[:depth]), False
        thing = getattr(thing, part)
    return name, True


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path, help="Folder of the program, such as a clone.")
    parser.add_argument("--json", action="store_true", help="Print JSON in place of a table.")
    options = parser.parse_args()
    if not options.folder.is_dir():
        parser.error(f"{options.folder} is no folder")
    uses: Counter[str] = Counter()
    found: dict[str, bool] = {}
    unread = []
    for path, code in sources(options.folder):
        try:
            names = used_names(code)
        except (SyntaxError, ValueError):
            unread.append(str(path.relative_to(options.folder)))
            continue
        for name, count in names.items():
            short, there = resolve(name)
            uses[short] += count
            found[short] = there
    had = [name for name, there in found.items() if there]
    if options.json:
        missing = {name: uses[name] for name in sorted(found) if not found[name]}
        counts = {"names": len(found), "found": len(had), "missing": missing, "unread": unread}
        print(json.dumps(counts, indent=2))
        return
    for name in sorted(found, key=lambda name: (found[name], -uses[name], name)):
        print(f"{uses[name]:6d}  {'      ' if found[name] else 'MISSES'}  {name}")
    print(
        f"{len(had)} of {len(found)} names and {sum(uses[name] for name in had)} of "
        f"{sum(uses.values())} uses are in topple.compat"
    )
    for path_name in unread:
        print(f"not read, no Python of this version: {path_name}")


if __name__ == "__main__":
    main()
