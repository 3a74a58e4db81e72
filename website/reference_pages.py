"""The reference: a page per room of the package, from its docstrings."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path

import topple
from pages import Page, table
from rooms import OTHER_ROOMS, ROOMS, Room

PACKAGE = Path(topple.__file__).parent
INDEX = "reference/index.md"


def reference_nav() -> list[str]:
    """The pages, for the nav."""
    return [
        INDEX,
        "reference/topple.md",
        *(f"reference/{name}.md" for name in [*ROOMS, *OTHER_ROOMS]),
    ]


def reference_pages() -> list[Page]:
    """A page for the package itself and one for each room."""
    rooms = [_page(name, room) for name, room in ROOMS.items()]
    return [_front(), *rooms]


def reference_index() -> str:
    """What is in each room, for the page that introduces the reference."""
    rows = [("[`topple`](topple.md)", "The names that are most used, in one place.")]
    for name in (*ROOMS, *OTHER_ROOMS):
        rows.append((f"[`topple.{name}`]({name}.md)", _summary(f"topple.{name}")))
    return table(("room", "what is in it"), rows)


def _front() -> Page:
    names = [name for name in _exported("topple") if not name.startswith("_")]
    homes = {name: _home("topple", name) for name in names}
    rows = [
        (f"[`{name}`][{home}.{name}]", _summary_of_name(home, name)) for name, home in homes.items()
    ]
    text = f"""# topple

{ast.get_docstring(_tree("topple"))}

{table(("name", ""), rows)}
"""
    return Page("reference/topple.md", text)


def _page(name: str, room: Room) -> Page:
    package = f"topple.{name}"
    parts = [f"# {room.title}\n\n`{package}`. {_summary(package)}"]
    rows = [(f"[`{module}`](#{module})", _summary(module)) for module in room.full_names(name)]
    parts.append(table(("module", ""), rows))
    if passed_on := _exported(package):
        links = ", ".join(f"[`{each}`][{_home(package, each)}.{each}]" for each in passed_on)
        parts.append(f"To be imported from `{package}` itself: {links}.")
    for module in room.full_names(name):
        parts.append(f"## `{module}` {{ #{module} }}\n\n::: {module}")
    return Page(f"reference/{name}.md", "\n\n".join(parts) + "\n")


def _exported(module: str) -> list[str]:
    """What a module lists in `__all__`."""
    for node in _tree(module).body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
            return [str(name) for name in ast.literal_eval(node.value)]
    return []


def _home(module: str, name: str) -> str:
    """Where a name that a module passes on is defined."""
    for node in ast.walk(_tree(module)):
        if isinstance(node, ast.ImportFrom) and name in (alias.name for alias in node.names):
            return _home(str(node.module), name)
    return module


@cache
def _tree(module: str) -> ast.Module:
    path = PACKAGE.joinpath(*module.split(".")[1:])
    file = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
    return ast.parse(file.read_text(encoding="utf-8"))


def _summary(module: str) -> str:
    return _first_sentence(ast.get_docstring(_tree(module)) or "")


def _summary_of_name(module: str, name: str) -> str:
    for node in _tree(module).body:
        if isinstance(node, (ast.ClassDef, ast.FunctionDef)) and node.name == name:
            return _first_sentence(ast.get_docstring(node) or "")
    return ""


def _first_sentence(docstring: str) -> str:
    return " ".join(docstring.split("\n\n")[0].split())
