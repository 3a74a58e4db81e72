"""Commands as plain functions, and groups of them that report errors in one line.

A parameter of a command becomes an option, and so does each field of a parameter that is a
dataclass. Their help stands in the section "Options:" of the docstring of the function or the
dataclass. A command returns what it prints, and then also has the option `--json`.
"""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from copy import copy
from dataclasses import fields, is_dataclass
from functools import wraps
from typing import Annotated, Any, TypeVar, get_args, get_type_hints

import typer
from typer.core import TyperGroup

from topple.cli.errors import INTERRUPTED, WRONG_INPUT, fail, user_errors
from topple.cli.output import Output

#: What the parser raises; typer takes it from click, installed or bundled.
_UsageError: Any = typer.BadParameter.__base__
_SECTION = re.compile(r"Options:\n((?:    .*\n?)+)\n?")
_ENTRY = re.compile(r"^    (\w+): (.*(?:\n     .*)*)", re.MULTILINE)
_EXAMPLE = re.compile(r"(?<!:)\n(?=  topple )")

#: A truth value that an option sets and none unsets.
Flag = Annotated[bool, "flag"]
Command = TypeVar("Command", bound=Callable[..., Output | None])


class HelpfulGroup(TyperGroup):
    """A group that prints its help when no command is named."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Read an empty command line as --help, unless it means something."""
        empty = [] if ctx.resilient_parsing or self.invoke_without_command else ["--help"]
        return super().parse_args(ctx, args or empty)


class App(typer.Typer):
    """A command, or a group of commands.

    Args:
        text: the help of a group.
    """

    def __init__(self, text: str = "") -> None:
        more: Any = {"help": _split_help(text)[0]} if text else {}
        super().__init__(cls=HelpfulGroup, add_completion=False, **more)

    @classmethod
    def of(cls, command: Callable[..., Output | None]) -> App:
        """A command that belongs to no group."""
        app = cls()
        app.command()(command)
        return app

    def command(self, *args: Any, **settings: Any) -> Callable[[Command], Command]:
        """Add a command; the arguments are those of typer."""
        return _adding(super().command(*args, **settings))

    def callback(self, *args: Any, **settings: Any) -> Callable[[Command], Command]:
        """Add what a group does by itself; the arguments are those of typer."""
        return _adding(super().callback(*args, **settings))


def _adding(register: Callable[[Any], Any]) -> Callable[[Command], Command]:
    def add(command: Command) -> Command:
        register(_with_options(command))
        return command

    return add


def _with_options(command: Callable[..., Output | None]) -> Callable[..., None]:
    """Return a function that takes the options of a command one by one and prints its output.

    The default of a parameter that is a dataclass, if any, holds the options' defaults.
    """
    groups: dict[str, Any] = {}
    options: list[inspect.Parameter] = []
    help_text, texts = _split_help(command.__doc__ or "")

    def add(name: str, annotation: Any, default: Any, texts: Mapping[str, str], panel: Any) -> None:
        required = default is inspect.Parameter.empty
        annotation = _documented(name, annotation, required, texts, panel)
        kind = inspect.Parameter.KEYWORD_ONLY
        options.append(inspect.Parameter(name, kind, default=default, annotation=annotation))

    # Not get_type_hints, which on Python 3.10 hides the option of a parameter that may be None.
    signature = inspect.signature(command, eval_str=True)
    for name, parameter in signature.parameters.items():
        group: Any = parameter.annotation
        if not is_dataclass(group):
            add(name, group, parameter.default, texts, None)
            continue
        groups[name] = group
        inner = get_type_hints(group, include_extras=True)
        defaults = group if parameter.default is parameter.empty else parameter.default
        own = _group_texts(group)
        for field in fields(group):
            default = getattr(defaults, field.name, parameter.empty)
            add(field.name, inner[field.name], default, own, getattr(group, "panel", None))
    if signature.return_annotation is not None:
        text = {"as_json": "Print the result as JSON."}
        add("as_json", Annotated[bool, typer.Option("--json")], False, text, None)

    @wraps(command)
    def run(**values: Any) -> None:
        as_json = values.pop("as_json", False)
        for name, group in groups.items():
            values[name] = group(**{field.name: values.pop(field.name) for field in fields(group)})
        with user_errors():
            output = command(**values)
        if output is not None:
            output.show(as_json)

    run.__doc__ = help_text
    run.__signature__ = inspect.Signature(options)  # type: ignore[attr-defined]
    run.__annotations__ = {option.name: option.annotation for option in options}
    return run


def _split_help(docstring: str) -> tuple[str, dict[str, str]]:
    """Split a docstring into the help of a command and the help of its options."""
    text = inspect.cleandoc(docstring)
    section = _SECTION.search(text)
    entries = _ENTRY.findall(section[1]) if section else ()
    # Without an empty line between them, terminals would get all examples in one line.
    text = _EXAMPLE.sub("\n\n", _SECTION.sub("", text))
    return text, {name: " ".join(words.split()) for name, words in entries}


def _group_texts(group: Any) -> dict[str, str]:
    """Return the help of the options of a dataclass and of those that it extends."""
    texts: dict[str, str] = {}
    for base in group.__mro__:
        texts |= _split_help(base.__doc__ or "")[1]
    return texts


def _documented(
    name: str, annotation: Any, required: bool, texts: Mapping[str, str], panel: str | None
) -> Any:
    """Return the annotation of an option with its help, if there is one of its own."""
    if name not in texts:
        return annotation
    kind, *details = get_args(annotation) if hasattr(annotation, "__metadata__") else (annotation,)
    if details == ["flag"]:
        details = [typer.Option(f"--{name.replace('_', '-')}")]
    option: Any = copy(details[0]) if details else typer.Argument() if required else typer.Option()
    option.help = texts[name]
    option.rich_help_panel = option.rich_help_panel or panel
    return Annotated[kind, option]


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
