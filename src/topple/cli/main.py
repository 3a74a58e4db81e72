"""`topple`: the door to all commands. Each is imported when it is called, not before."""

from __future__ import annotations

from importlib import import_module
from typing import Annotated, Any, NamedTuple

import typer
from typer.core import TyperCommand

from topple import __version__
from topple.cli.groups import OneLineErrors


class Mount(NamedTuple):
    """Where a command lives."""

    place: str  # "module:app", a typer.Typer without completion of its own
    summary: str  # for `topple --help`


LOOK, SCORE, LEARN, PLAY, KEEP = "Look and try", "Score", "Learn", "Play", "Keep house"

#: The commands, in the order they are listed, by what one wants to do.
PANELS = {
    LOOK: {
        "demo": Mount("topple.cli.demo:app", "Solve some puzzles and write a report to look at."),
        "tasks": Mount("topple.cli.tasks:app", "List PHYRE templates and tasks."),
        "show": Mount("topple.cli.show:app", "Draw a puzzle, an attempt or a solution."),
        "simulate": Mount("topple.cli.simulate:app", "Simulate a table of tasks and actions."),
        "sheet": Mount("topple.cli.sheet:app", "Draw all templates of a tier on one sheet."),
        "iphyre": Mount(
            "topple.cli.iphyre:app", "Play, draw, sample and analyse the I-PHYRE games."
        ),
    },
    SCORE: {
        "agents": Mount("topple.cli.agents:app", "List the agents that can be scored."),
        "evaluate": Mount("topple.cli.evaluate:app", "Run an agent on a benchmark and score it."),
        "report": Mount("topple.cli.phyre_report:app", "Write a report of finished runs."),
        "reproduce": Mount("topple.cli.reproduce:app", "Regenerate published tables and figures."),
        "analyse": Mount("topple.cli.phyre_analyse:app", "Analyse how hard PHYRE tasks are."),
        "llm-server": Mount(
            "topple.cli.llm_server:app", "Serve scripted models as a chat endpoint."
        ),
    },
    LEARN: {
        "train": Mount("topple.cli.train:app", "Train an agent and keep its weights."),
        "sweep": Mount(
            "topple.cli.iphyre_training:app", "Train agents of I-PHYRE, many seeds each."
        ),
    },
    PLAY: {
        "play": Mount("topple.cli.play:app", "Play, watch, study and make puzzles in the browser."),
        "study": Mount("topple.cli.study:app", "Run studies with people in the player."),
    },
    KEEP: {
        "cache": Mount("topple.cli.phyre_cache:app", "Build and check PHYRE's outcome cache."),
        "doctor": Mount("topple.cli.doctor:app", "Check this installation, and its GPU."),
    },
}
COMMANDS = {name: mount for panel in PANELS.values() for name, mount in panel.items()}


class LazyGroup(OneLineErrors):
    """A group that knows its commands by name and imports the one that is called."""

    def __init__(self, **attrs: Any) -> None:
        super().__init__(**attrs)
        # Stand-ins with a summary are enough for help texts and suggestions.
        self.commands = {
            name: TyperCommand(name, help=mount.summary, rich_help_panel=panel)
            for panel, mounts in PANELS.items()
            for name, mount in mounts.items()
        }

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """The command itself, which is about to run."""
        name, stand_in, rest = super().resolve_command(ctx, args)
        if name is None or stand_in is None:
            return name, stand_in, rest
        module, app = COMMANDS[name].place.split(":")
        command = typer.main.get_command(getattr(import_module(module), app))
        command.name = name
        return name, command, rest


_HELP = """PHYRE and I-PHYRE, faithful and fast: physics puzzles for machines and people.

Examples:
  topple demo

  topple play

  topple evaluate --agent rand --setup ball_within --tasks 50

Exit status: 0 fine, 1 a check failed, 2 wrong input, 130 stopped with Ctrl-C.
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
            "--version", callback=_print_version, is_eager=True, help="Print the version."
        ),
    ] = False,
) -> None: ...


def main() -> None:
    """The entry point of the command line."""
    app()
