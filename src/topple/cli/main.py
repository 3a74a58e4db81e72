"""`topple`: the entry point of all commands. Each is imported only when it is called."""

from __future__ import annotations

from importlib import import_module
from typing import Annotated, Any

import typer
from typer.core import TyperCommand

from topple import __version__
from topple.cli.groups import App, OneLineErrors

#: The summary of each command by purpose. The module of its name has a function of that name, or
#: several commands in `app`.
PANELS = {
    "Explore": {
        "demo": "Solve some PHYRE tasks and write a report.",
        "tasks": "List PHYRE templates and tasks.",
        "show": "Draw a PHYRE task, an attempt or a solution.",
        "simulate": "Simulate many actions on many PHYRE tasks.",
        "sheet": "Draw all templates of a PHYRE tier.",
        "iphyre": "List, play, draw and analyse I-PHYRE games.",
    },
    "Evaluate": {
        "agents": "List the agents of both benchmarks.",
        "evaluate": "Evaluate an agent and store a run record.",
        "report": "Write an HTML report of run records.",
        "reproduce": "Reproduce published tables and figures.",
        "analyse": "Analyse difficulty and solvability of PHYRE tasks, and people.",
        "llm-server": "Serve scripted models as a chat endpoint.",
        "mcp": "Serve puzzles to an assistant (Model Context Protocol).",
    },
    "Train": {
        "dataset": "Build and check data sets of attempts.",
        "train": "Train an agent and save a checkpoint.",
        "sweep": "Train and evaluate I-PHYRE agents.",
    },
    "Play": {
        "play": "Open the player in the browser.",
        "study": "Manage studies with human participants.",
    },
    "Maintenance": {
        "cache": "Build and check the PHYRE outcome cache.",
        "doctor": "Check this installation and its GPU.",
    },
}
COMMANDS = {name: summary for panel in PANELS.values() for name, summary in panel.items()}


def load_command(name: str) -> Any:
    """Import a command."""
    word = name.replace("-", "_")
    module = import_module(f"topple.cli.{word}")
    command = typer.main.get_command(getattr(module, "app", None) or App.of(vars(module)[word]))
    command.name = name
    return command


class LazyGroup(OneLineErrors):
    """A group that knows its commands by name and imports only the one that is called."""

    def __init__(self, **attrs: Any) -> None:
        super().__init__(**attrs)
        # Placeholders with a summary suffice for help texts and suggestions.
        self.commands = {
            name: TyperCommand(name, help=summary, rich_help_panel=panel)
            for panel, summaries in PANELS.items()
            for name, summary in summaries.items()
        }

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Return the command itself, which is about to run."""
        name, placeholder, rest = super().resolve_command(ctx, args)
        return name, placeholder if name is None else load_command(name), rest


_HELP = """The physics-puzzle benchmarks PHYRE and I-PHYRE, faithful and fast.

Examples:
  topple demo

  topple play

  topple evaluate --agent rand --setup ball_within --tasks 50

Exit status: 0 for success, 1 if a check failed, 2 for wrong input, 130 after Ctrl-C.
"""

app = typer.Typer(
    cls=LazyGroup,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    help=_HELP,
)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"topple {__version__}")
        raise typer.Exit()


@app.callback(help=_HELP)
def _options(
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_print_version, is_eager=True, help="Print the version and exit."
        ),
    ] = False,
) -> None: ...


def main() -> None:
    """Run the command line."""
    app()
