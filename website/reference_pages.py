"""The reference: a page for each package of Topple, made from its docstrings."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path
from typing import Any

import topple
from packages import OTHER_PACKAGES, PACKAGES, Package
from pages import Page, table

SOURCE = Path(topple.__file__).parent
INDEX = "reference/index.md"


def reference_nav() -> list[Any]:
    """The pages in the order of the nav; packages inside a package form a section with it."""
    nav: list[Any] = [INDEX, "reference/topple.md"]
    for name, package in PACKAGES.items():
        inner = [part for part in PACKAGES if part.startswith(f"{name}.")]
        if inner:
            nav.append({package.title: [_uri(name), *map(_uri, inner)]})
        elif "." not in name:
            nav.append(_uri(name))
    return [*nav, *map(_uri, OTHER_PACKAGES)]


def reference_pages() -> list[Page]:
    """A page for the names of `topple` itself and one for each package."""
    return [_front(), *(_page(name, package) for name, package in PACKAGES.items())]


def reference_index() -> str:
    """A table of the packages for the page that introduces the reference."""
    rows = [("[`topple`](topple.md)", "The names that are used most, in one place.")]
    for name in (*PACKAGES, *OTHER_PACKAGES):
        address = _uri(name).removeprefix("reference/")
        rows.append((f"[`topple.{name}`]({address})", _summary(f"topple.{name}")))
    return table(("package", "contents"), rows)


def _uri(name: str) -> str:
    inner = any(part.startswith(f"{name}.") for part in PACKAGES)
    return f"reference/{name.replace('.', '/')}{'/index' * inner}.md"


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


def _page(name: str, package: Package) -> Page:
    full_name = f"topple.{name}"
    parts = [f"# {package.title}\n\n`{full_name}`: {_summary(full_name)}"]
    modules = package.full_names(name)
    if modules == [full_name]:
        return Page(_uri(name), "\n\n".join([*parts, f"::: {full_name}"]) + "\n")
    rows = [(f"[`{module}`](#{module})", _summary(module)) for module in modules]
    parts.append(table(("module", ""), rows))
    if exported := _exported(full_name):
        links = ", ".join(f"[`{each}`][{_home(full_name, each)}.{each}]" for each in exported)
        parts.append(f"`{full_name}` itself exports {links}.")
    parts += [f"## `{module}` {{ #{module} }}\n\n::: {module}" for module in modules]
    return Page(_uri(name), "\n\n".join(parts) + "\n")


def _exported(module: str) -> list[str]:
    """The names a module lists in `__all__`."""
    for node in _tree(module).body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
            return [str(name) for name in ast.literal_eval(node.value)]
    return []


def _home(module: str, name: str) -> str:
    """The module that defines a name which another module exports."""
    for node in ast.walk(_tree(module)):
        if isinstance(node, ast.ImportFrom) and name in (alias.name for alias in node.names):
            return _home(str(node.module), name)
    return module


@cache
def _tree(module: str) -> ast.Module:
    path = SOURCE.joinpath(*module.split(".")[1:])
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
