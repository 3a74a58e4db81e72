"""All commands of `topple`, with their options, as the parser sees them."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any, NamedTuple

import typer
from typer.main import get_command

from topple.cli.main import app

UsageError: Any = typer.BadParameter.__base__


class Leaf(NamedTuple):
    """A command that does something."""

    path: str  # such as "study list"
    command: Any

    @property
    def options(self) -> list[Any]:
        return [each for each in self.command.params if each.param_type_name == "option"]

    @property
    def names(self) -> set[str]:
        return {name for each in self.options for name in (*each.opts, *each.secondary_opts)} | {
            "--help"
        }

    @property
    def examples(self) -> list[str]:
        return examples_in(self.command.help or "")


class Group(NamedTuple):
    """A command that has others."""

    path: str
    command: Any


@cache
def tree() -> tuple[tuple[Leaf, ...], tuple[Group, ...]]:
    """All commands that do something, and those that hold them."""
    leaves: list[Leaf] = []
    groups: list[Group] = []

    def walk(path: str, command: Any, context: Any) -> None:
        if not hasattr(command, "commands"):
            leaves.append(Leaf(path, command))
            return
        if command.invoke_without_command:  # it does something by itself
            leaves.append(Leaf(path, command))
        else:
            groups.append(Group(path, command))
        for name in list(command.commands):
            _, child, _ = command.resolve_command(context, [name])
            inner = child.make_context(name, [], parent=context, resilient_parsing=True)
            walk(f"{path} {name}".strip(), child, inner)

    root = get_command(app)
    walk("", root, root.make_context("topple", [], resilient_parsing=True))
    return tuple(leaves), tuple(groups)


def leaf_of(words: Sequence[str]) -> Leaf | None:
    """The command that some words call, if they get that far."""
    leaves = {each.path: each for each in tree()[0]}
    paths = (" ".join(words[:count]) for count in (2, 1))
    return next((leaves[path] for path in paths if path in leaves), None)


def examples_in(text: str) -> list[str]:
    """The example commands of a help text."""
    return [line.strip() for line in text.splitlines() if line.startswith("  topple ")]


def parse(line: str) -> Any:
    """Read a command line the way `topple` does, without running it; returns the context."""
    words = list(_words(line))
    assert words[0] == "topple", line
    assert not words[1].startswith("-"), "options of `topple` itself act while they are read"
    command: Any = get_command(app)
    name, rest, context = "topple", words[1:], None
    while True:
        context = command.make_context(name, list(rest), parent=context)
        if not hasattr(command, "commands"):
            return context
        rest = [*context._protected_args, *context.args]
        if not rest and command.invoke_without_command:
            return context
        name, command, rest = command.resolve_command(context, rest)


def _words(line: str) -> Iterator[str]:
    """The words of the first command of a line, without what a shell does with its output."""
    for word in shlex.split(line, comments=True):
        if re.fullmatch(r"[|&;]+|\d?>.*|<", word):
            return
        yield word
