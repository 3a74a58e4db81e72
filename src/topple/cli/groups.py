"""Command groups that print help when called without a command, and errors in one line."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from typing import Any

import typer
from typer.core import TyperGroup

from topple.cli.errors import INTERRUPTED, WRONG_INPUT, fail

#: What the parser raises; typer takes it from click, installed or bundled.
_UsageError: Any = typer.BadParameter.__base__


class HelpfulGroup(TyperGroup):
    """A group that prints its help when no command is named."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Read an empty command line as --help."""
        return super().parse_args(ctx, args or ([] if ctx.resilient_parsing else ["--help"]))


class OneLineErrors(HelpfulGroup):
    """The outermost group, which reports usage errors in one line."""

    def main(
        self,
        args: Sequence[str] | None = None,
        prog_name: str | None = None,
        complete_var: str | None = None,
        standalone_mode: bool = True,
        windows_expand_args: bool = True,
        **extra: Any,
    ) -> Any:
        """Run a command; the exit status is 2 after a usage error and 130 after Ctrl-C."""
        try:
            status = super().main(
                args, prog_name, complete_var, False, windows_expand_args, **extra
            )
        except _UsageError as error:
            status = WRONG_INPUT
            fail(_message(error, sys.argv[1:] if args is None else args))
        except typer.Abort:
            status = INTERRUPTED
        if not standalone_mode:
            return status
        sys.exit(status if isinstance(status, int) else 0)


def _message(error: Any, words: Sequence[str]) -> str:
    """Say what is wrong and which help page to read."""
    text = str(error.format_message()).rstrip(".").replace("Value error, ", "")
    text = text[:1].lower() + text[1:]
    given = _given(getattr(getattr(error, "param", None), "opts", ()), words)
    if given is not None and given not in text:
        text = text.replace("invalid value", f"invalid value {given!r}", 1)
    return text if error.ctx is None else f"{text}; see `{error.ctx.command_path} --help`"


def _given(names: Iterable[str], words: Sequence[str]) -> str | None:
    """Find the value of an option among the words of a command."""
    for name in names:
        for word, following in zip(words, [*words[1:], ""], strict=True):
            if word == name or word.startswith(f"{name}="):
                return following if word == name else word[len(name) + 1 :]
    return None
