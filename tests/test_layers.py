"""Imports point down: the layers of the package, and which file may use which library."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

SOURCE = Path(__file__).resolve().parents[1] / "src" / "topple"

# From the top down. A package may import only itself and what lies below its level: the two
# benchmarks never import each other, and runs, reports and media know neither of them.
LEVELS = (
    ("__main__",),
    ("cli",),
    ("player", "compat"),
    ("datasets",),
    ("llm",),
    ("envs",),
    ("phyre", "iphyre"),
    ("reports",),
    ("runs",),
    ("media",),
)
LEVEL = {name: level for level, names in enumerate(LEVELS) for name in names}

# Modules beside the packages, which know nothing of them, so that any layer may use them.
FOUNDATION = {"arrays", "edits", "files", "lazy", "paths", "progress", "pymunk_memory", "threads"}

# Where a library may be imported: a file or a folder.
ONLY_IN = {
    "topple._native": ("phyre/engine/native.py", "iphyre/engine/native.py"),
    "cupy": ("phyre/engine/cuda_device.py",),
    "pymunk": (
        "pymunk_memory.py",
        "iphyre/engine/pymunk_engine.py",
        "phyre/agents/chipmunk.py",
    ),
    "torch": (
        "phyre/agents/",
        "iphyre/agents/",
        "datasets/torch.py",
        "runs/attention.py",
        "runs/belief.py",
        "runs/checkpoint.py",
        "runs/device.py",
    ),
    "pyarrow": ("datasets/formats/",),
    "webdataset": ("datasets/formats/",),
    "h5py": ("datasets/formats/",),
    "minari": ("datasets/formats/",),
    "hickle": ("datasets/formats/",),
    "ray": ("runs/executors/ray.py",),
    "gymnasium": (
        "envs.py",
        "phyre/env.py",
        "phyre/vector_env.py",
        "iphyre/env.py",
        "iphyre/vector_env.py",
        "iphyre/agents/",
        "compat/iphyre/wrappers.py",
        "datasets/formats/minari.py",
    ),
    "typer": ("cli/",),
    "fastapi": ("player/app.py", "player/routes/", "player/service.py"),
    "sqlalchemy": ("player/",),
    "httpx": ("llm/endpoint.py",),
    "mcp": ("llm/mcp_server.py",),
    "inspect_ai": ("llm/inspect_tasks.py",),
    "verifiers": ("llm/verifiers_env.py",),
}


class Import(NamedTuple):
    """One imported name, in full."""

    name: str
    line: int


def module_name(path: str) -> str:
    """The dotted name of a file given relative to the package."""
    parts = ("topple", *Path(path).with_suffix("").parts)
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imports(tree: ast.Module, path: str) -> Iterator[Import]:
    """Everything a file imports, at any depth, relative imports resolved."""
    package = module_name(path).split(".")
    if not path.endswith("__init__.py"):
        package = package[:-1]
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield Import(alias.name, node.lineno)
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else []
            origin = ".".join([*base, *([node.module] if node.module else [])])
            for alias in node.names:
                yield Import(f"{origin}.{alias.name}", node.lineno)


def within(name: str, module: str) -> bool:
    return name == module or name.startswith(f"{module}.")


def layer_fault(path: str, name: str) -> str | None:
    """What is wrong with a file of the package importing a name of the package."""
    if not within(name, "topple"):
        return None
    here, there = path.split("/")[0].removesuffix(".py"), f"{name}.".split(".")[1]
    if there not in LEVEL or here == "__init__":
        return None  # foundations and _native, which have rules of their own
    if here in FOUNDATION:
        return f"{here} imports {there}, but lies below all layers"
    if here not in LEVEL:
        return f"{here} belongs to no layer"
    if here != there and LEVEL[there] <= LEVEL[here]:
        return f"{here} imports {there}, which does not lie below it"
    return None


def library_fault(path: str, name: str) -> str | None:
    """What is wrong with a file importing a library."""
    for library, places in ONLY_IN.items():
        if within(name, library) and not path.startswith(places):
            return f"{library} is imported outside {' and '.join(places)}"
    return None


def call_faults(tree: ast.Module, path: str) -> Iterator[str]:
    """Printing and reading arguments outside the command line."""
    if path.startswith("cli/"):
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and node.id == "print":
            yield f"{path}:{node.lineno}: print outside cli"
        if isinstance(node, ast.Attribute) and ast.unparse(node) == "sys.argv":
            yield f"{path}:{node.lineno}: sys.argv outside cli"


def faults(path: str, text: str) -> list[str]:
    """Everything a file does that its place forbids."""
    tree = ast.parse(text)
    found = list(call_faults(tree, path))
    for item in imports(tree, path):
        if item.name == "sys.argv" and not path.startswith("cli/"):
            found.append(f"{path}:{item.line}: sys.argv outside cli")
        for fault in (layer_fault(path, item.name), library_fault(path, item.name)):
            if fault:
                found.append(f"{path}:{item.line}: {fault}")
    return found


def sources() -> list[str]:
    return sorted(str(path.relative_to(SOURCE).as_posix()) for path in SOURCE.rglob("*.py"))


@pytest.mark.parametrize("path", sources())
def test_a_file_keeps_to_its_layer(path: str) -> None:
    assert faults(path, (SOURCE / path).read_text()) == []


def test_every_package_has_a_layer() -> None:
    packages = {path.split("/")[0] for path in sources() if "/" in path}
    assert packages <= LEVEL.keys()


FORBIDDEN = [
    ("phyre/scene/check.py", "import topple.cli.main"),
    ("phyre/task.py", "from topple.iphyre.game import Game"),
    ("iphyre/game.py", "from topple import phyre"),
    ("iphyre/game.py", "from ..phyre import task"),
    ("iphyre/__init__.py", "from ..phyre import task"),
    ("runs/sweep.py", "from topple.reports.html import page"),
    ("runs/sweep.py", "from topple.phyre.task import Task"),
    ("runs/sweep.py", "from topple.cli import main"),
    ("reports/html.py", "from topple.iphyre import tables"),
    ("media/files.py", "from topple.runs import config"),
    ("compat/phyre/vis.py", "from topple.cli import main"),
    ("paths.py", "from topple.phyre.scene import Scene"),
    ("phyre/env.py", "def late():\n    from topple.llm import chat"),
    ("phyre/task.py", "from topple import _native"),
    ("phyre/task.py", "from topple._native import simulate"),
    ("phyre/engine/world.py", "import topple._native"),
    ("iphyre/engine/batch.py", "from topple import _native"),
    ("iphyre/engine/batch.py", "import pymunk"),
    ("phyre/task.py", "import torch"),
    ("phyre/env.py", "from torch import nn"),
    ("runs/sweep.py", "import ray"),
    ("phyre/task.py", "import gymnasium as gym"),
    ("phyre/task.py", "import typer"),
    ("llm/chat.py", "import httpx"),
    ("cli/mcp.py", "from mcp.server import fastmcp"),
    ("cli/report.py", "import inspect_ai"),
    ("llm/session.py", "import verifiers"),
    ("cli/study.py", "import fastapi"),
    ("player/attempts.py", "from fastapi import HTTPException"),
    ("phyre/task.py", "print('hello')"),
    ("phyre/task.py", "import sys\nsys.argv[1]"),
    ("phyre/task.py", "from sys import argv"),
]


@pytest.mark.parametrize(("path", "text"), FORBIDDEN)
def test_the_checker_sees_a_violation(path: str, text: str) -> None:
    assert faults(path, text) != []


ALLOWED = [
    ("cli/main.py", "import sys\nimport typer\nfrom topple.player import server\nprint(sys.argv)"),
    ("compat/phyre/vis.py", "from topple.phyre import task"),
    ("phyre/agents/dqn.py", "import torch\nfrom topple.phyre.phases import Training"),
    ("phyre/benchmark.py", "from topple.runs.store import load\nfrom topple.reports import table"),
    ("runs/executors/ray.py", "import ray\nfrom topple.runs import agent"),
    ("phyre/engine/native.py", "from topple import _native\nfrom .packing import pack"),
    ("phyre/task.py", "from topple import paths\nfrom .tier import Tier\nimport sys"),
    ("phyre/task.py", "import torchlike\nfrom topple.phyre.scene import Scene"),
    ("__init__.py", "from topple.phyre import Task"),
]


@pytest.mark.parametrize(("path", "text"), ALLOWED)
def test_the_checker_allows_what_points_down(path: str, text: str) -> None:
    assert faults(path, text) == []
