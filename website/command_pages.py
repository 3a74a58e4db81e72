"""The page of the command line, made from the help texts of all commands."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from typing import Any

from typer.core import TyperArgument, TyperGroup, TyperOption

from pages import Page, table
from topple.cli.main import COMMANDS, load_command


def command_page() -> Page:
    """All commands, in the order of `topple --help`."""
    rows = [(f"[`topple {name}`](#topple-{name})", text) for name, text in COMMANDS.items()]
    parts = [
        "# The command line",
        "This is what `topple COMMAND --help` prints. [The guide](../guides/command_line.md) shows "
        "the commands in use.",
        table(("command", ""), rows),
    ]
    for name in COMMANDS:
        parts += _sections(f"topple {name}", load_command(name), 2)
    return Page("reference/cli.md", "\n\n".join(parts) + "\n")


def _sections(name: str, command: Any, level: int) -> Iterator[str]:
    yield f"{'#' * level} {name}"
    yield from _help(command.help or "")
    if isinstance(command, TyperGroup):
        for part, inner in command.commands.items():
            yield from _sections(f"{name} {part}", inner, level + 1)
        return
    usage = [_metavar(p) for p in command.params if isinstance(p, TyperArgument)]
    yield f"```console\n$ {' '.join([name, *usage, '[OPTIONS]'])}\n```"
    rows = [_row(parameter) for parameter in command.params if _shown(parameter)]
    if rows:
        yield table(("option", "", "default"), rows)


def _help(text: str) -> Iterator[str]:
    """Yield the paragraphs, and the lines after "Examples:" as a block of commands."""
    words, _, examples = inspect.cleandoc(text).partition("Examples:")
    yield from (" ".join(part.split()) for part in words.strip().split("\n\n") if part)
    lines = [line.strip() for line in examples.splitlines() if line.strip()]
    if lines:
        yield "```console\n" + "\n".join(f"$ {line}" for line in lines) + "\n```"


def _shown(parameter: Any) -> bool:
    return not getattr(parameter, "hidden", False) and parameter.name != "help"


def _row(parameter: TyperOption | TyperArgument) -> tuple[str, str, str]:
    names = [_metavar(parameter)] if isinstance(parameter, TyperArgument) else parameter.opts
    default = parameter.default
    shown = "" if default is None or default is False or callable(default) else f"`{default}`"
    return ", ".join(f"`{name}`" for name in names), parameter.help or "", shown


def _metavar(argument: Any) -> str:
    return str(argument.metavar or argument.name.upper())
