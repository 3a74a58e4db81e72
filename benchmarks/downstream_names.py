"""Which names of `phyre` and `iphyre` does somebody's program use, and which has `topple.compat`?

Reads the Python files and notebooks of a folder without running them, and follows imports of
the two packages to the names that are used of them: modules, functions, classes and their
attributes, and what is used of an object that was made of a class and given a name, such as
`demo.space` after `demo = IPHYRE("hole")`. What comes out of other calls is not followed.

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
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call):
            made = dotted(node.value.func)
            root, _, rest = made.partition(".")
            full = ".".join(filter(None, (bound.get(root, ""), rest)))
            if root in bound and is_class(full):
                bound.update((dotted(target), f"{full}()") for target in node.targets)
    inner = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and id(node) not in inner:
            name = dotted(node)
            # The longest start of it that has a meaning: `self.demo` comes before `self`.
            for cut in range(name.count(".") + 1):
                head = name.rsplit(".", cut)[0]
                if head in bound and head != name:
                    names[bound[head] + name[len(head) :]] += 1
                    break
    return names


def dotted(node: ast.expr) -> str:
    """A name with its attributes; empty for anything else."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute) and (value := dotted(node.value)):
        return f"{value}.{node.attr}"
    return ""


def is_class(name: str) -> bool:
    """Whether a name of the two packages is a class of ``topple.compat``."""
    *modules, last = name.split(".")
    try:
        module = importlib.import_module(".".join(("topple", "compat", *modules)))
    except ImportError:
        return False
    return isinstance(getattr(module, last, None), type)


def resolve(name: str) -> tuple[str, bool]:
    """The part of a name that names something, and whether ``topple.compat`` has it.

    Attributes of values are left off: what a number or a function has is not a name. Brackets
    stand for an object of a class, which is made without arguments.
    """
    parts = name.split(".")
    thing: object = importlib.import_module(f"topple.compat.{parts[0]}")
    followed = True
    for depth, part in enumerate(parts[1:], 2):
        if not followed:
            return ".".join(parts[: depth - 1]), True
        if part == "*":
            return ".".join(parts[:depth]), True
        if isinstance(thing, types.ModuleType) and not hasattr(thing, part.removesuffix("()")):
            try:
                importlib.import_module(f"{thing.__name__}.{part}")
            except ImportError:
                return ".".join(parts[:depth]), False
        word = part.removesuffix("()")
        if not hasattr(thing, word):
            return ".".join(parts[:depth]), False
        thing = getattr(thing, word)
        followed = isinstance(thing, types.ModuleType | type)
        if word != part and isinstance(thing, type):
            try:
                thing = thing()
            except TypeError:
                followed = False  # nobody knows its arguments
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
