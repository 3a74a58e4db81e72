"""`topple`: the entry point of all commands. Each is imported only when it is called."""

from __future__ import annotations

from importlib import import_module
from typing import Annotated, Any, NamedTuple

import typer
from typer.core import TyperCommand

from topple import __version__
from topple.cli.groups import OneLineErrors


class Mount(NamedTuple):
    """Where a command is defined."""

    place: str  # "module:app", a typer.Typer without completion of its own
    summary: str  # its line in `topple --help`


#: The commands by purpose, in the order in which they are listed.
PANELS = {
    "Explore": {
        "demo": Mount("topple.cli.demo:app", "Solve some PHYRE tasks and write a report."),
        "tasks": Mount("topple.cli.tasks:app", "List PHYRE templates and tasks."),
        "show": Mount("topple.cli.show:app", "Draw a PHYRE task, an attempt or a solution."),
        "simulate": Mount("topple.cli.simulate:app", "Simulate many actions on many PHYRE tasks."),
        "sheet": Mount("topple.cli.sheet:app", "Draw all templates of a PHYRE tier."),
        "iphyre": Mount("topple.cli.iphyre:app", "List, play, draw and analyse I-PHYRE games."),
    },
    "Evaluate": {
        "agents": Mount("topple.cli.agents:app", "List the agents of both benchmarks."),
        "evaluate": Mount("topple.cli.evaluate:app", "Evaluate an agent and store a run record."),
        "report": Mount("topple.cli.report:app", "Write an HTML report of run records."),
        "reproduce": Mount("topple.cli.reproduce:app", "Reproduce published tables and figures."),
        "analyse": Mount("topple.cli.analyse:app", "Analyse difficulty of PHYRE tasks."),
        "llm-server": Mount(
            "topple.cli.llm_server:app", "Serve scripted models as a chat endpoint."
        ),
    },
    "Train": {
        "train": Mount("topple.cli.train:app", "Train an agent and save a checkpoint."),
        "sweep": Mount("topple.cli.sweep:app", "Train and evaluate I-PHYRE agents."),
    },
    "Play": {
        "play": Mount("topple.cli.play:app", "Open the player in the browser."),
        "study": Mount("topple.cli.study:app", "Manage studies with human participants."),
    },
    "Maintenance": {
        "cache": Mount("topple.cli.cache:app", "Build and check the PHYRE outcome cache."),
        "doctor": Mount("topple.cli.doctor:app", "Check this installation and its GPU."),
    },
}
COMMANDS = {name: mount for panel in PANELS.values() for name, mount in panel.items()}


class LazyGroup(OneLineErrors):
    """A group that knows its commands by name and imports only the one that is called."""

    def __init__(self, **attrs: Any) -> None:
        super().__init__(**attrs)
        # Placeholders with a summary suffice for help texts and suggestions.
        self.commands = {
            name: TyperCommand(name, help=mount.summary, rich_help_panel=panel)
            for panel, mounts in PANELS.items()
            for name, mount in mounts.items()
        }

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Return the command itself, which is about to run."""
        name, placeholder, rest = super().resolve_command(ctx, args)
        if name is None or placeholder is None:
            return name, placeholder, rest
        module, app = COMMANDS[name].place.split(":")
        command = typer.main.get_command(getattr(import_module(module), app))
        command.name = name
        return name, command, rest


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
