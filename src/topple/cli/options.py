"""Options that several commands take: one name, one meaning, one help text.

What takes several names takes them by commas and has a plural name; its singular will do.
"""

from __future__ import annotations

from enum import Enum
from pathlib import Path
from typing import Annotated, Any

import typer

from topple.cli import complete
from topple.phyre.engine.backend import check_backend
from topple.phyre.fold import SEEDS
from topple.runs.config import Part

# Output.

Json = Annotated[bool, typer.Option("--json", help="Print JSON for machines.")]


def out_folder(content: str) -> Any:
    """`--out` of a command that fills a folder."""
    return typer.Option("--out", help=f"Folder for {content}.", callback=free_folder)


def out_file(content: str) -> Any:
    """`--out` of a command that writes one file."""
    return typer.Option("--out", help=f"File for {content}.", callback=free_file)


def free_folder(path: Path | None) -> Path | None:
    """Refuse what can be no folder, before work is spent on it."""
    for place in (path, *path.parents) if path else ():
        if place.exists() and not place.is_dir():
            raise typer.BadParameter(f"{place} is a file; name a folder")
    return path


def free_file(path: Path | None) -> Path | None:
    """Refuse what can be no file."""
    if path is not None:
        free_folder(path.parent)
        if path.is_dir():
            raise typer.BadParameter(f"{path} is a folder; name a file in it")
    return path


Size = Annotated[int, typer.Option("--size", min=1, help="Width in pixels.")]
EachSize = Annotated[int, typer.Option("--size", min=1, help="Width in pixels of each puzzle.")]
Figure = Annotated[
    Path | None,
    typer.Option("--figure", help="Also draw the results to this file.", callback=free_file),
]

# Where things are kept and work is done.


def _known_backend(name: str) -> str:
    try:
        return check_backend(name)
    except ValueError as error:
        raise typer.BadParameter(str(error)) from None


_RUNS = "Folder of run records; `runs` by default."
Runs = Annotated[Path | None, typer.Option("--runs", help=_RUNS, callback=free_folder)]
ManyRuns = Annotated[
    list[Path] | None, typer.Option("--runs", help=f"{_RUNS[:-1]}; may be repeated.")
]
RunsArgument = Annotated[list[Path], typer.Argument(help="Run records, or folders of them.")]
Cache = Annotated[
    Path | None, typer.Option("--cache", help="Folder of caches.", callback=free_folder)
]
Database = Annotated[
    str | None,
    typer.Option(
        "--database",
        help="The player's, as an SQLAlchemy URL; by default an SQLite file in the data folder.",
    ),
]
Oracle = Annotated[Path, typer.Option("--oracle", help="Folder written by `topple iphyre oracle`.")]
UseRay = Annotated[bool, typer.Option("--ray", help="Work on a Ray cluster.")]
Address = Annotated[str | None, typer.Option("--address", help="Of an existing Ray cluster.")]
Backend = Annotated[
    str,
    typer.Option(
        "--backend",
        help="Simulate on: cpu, cuda, or auto for a GPU if any.",
        callback=_known_backend,
        autocompletion=complete.one_of(complete.backends),
    ),
]

# Chance.

Seed = Annotated[int, typer.Option("--seed", min=0, help="Of all random choices.")]
Seeds = Annotated[
    str, typer.Option("--seeds", "--seed", help="Of all random choices, one run each; by commas.")
]

# Benchmarks and agents.


class Benchmark(Enum):
    """Which puzzles."""

    PHYRE = "phyre"
    IPHYRE = "iphyre"


BENCHMARK = typer.Option("--benchmark", help="Whose puzzles.")

_AGENT = typer.Option(
    "--agent",
    help="A name `topple agents` lists, a file like configs/phyre/dqn.toml, or 'module:Class' of "
    "your own.",
    autocompletion=complete.one_of(complete.agents),
)
AgentName = Annotated[str, _AGENT]
AgentOrNobody = Annotated[str | None, _AGENT]


def agent_names(which: str) -> Any:
    """`--agents` of a command that takes some agents."""
    return typer.Option(
        "--agents",
        "--agent",
        help=f"{which}; by commas.",
        autocompletion=complete.by_commas(complete.agents),
    )


Settings = Annotated[
    list[str] | None,
    typer.Option("--set", "-s", help="A setting of the agents, NAME=VALUE; may be repeated."),
]
Smoke = Annotated[
    bool, typer.Option("--smoke", help="Little data, few steps: at most a minute on a CPU.")
]
KeepAttempts = Annotated[
    bool, typer.Option("--keep-attempts", help="Keep every attempt in the records.")
]

# PHYRE.

_TIER = typer.Option(
    "--tier",
    help="PHYRE: ball or two_balls.",
    autocompletion=complete.one_of(complete.tiers),
)
TierName = Annotated[str, _TIER]
TierOrAll = Annotated[str | None, _TIER]
SetupName = Annotated[
    str | None,
    typer.Option(
        "--setup",
        help="PHYRE: tier and split, such as ball_within.",
        autocompletion=complete.one_of(complete.setups),
    ),
]
Setups = Annotated[
    str,
    typer.Option(
        "--setups",
        "--setup",
        help="PHYRE: tiers and splits, such as ball_within; by commas.",
        autocompletion=complete.by_commas(complete.setups),
    ),
]
_FOLD: dict[str, Any] = {"min": SEEDS[0], "max": SEEDS[-1], "help": "PHYRE: 0 to 9."}
FoldNumber = Annotated[int, typer.Option("--fold", **_FOLD)]
FoldOrNone = Annotated[int | None, typer.Option("--fold", **_FOLD)]
Folds = Annotated[str, typer.Option("--folds", "--fold", help="PHYRE: 0 to 9; by commas.")]
ScoredPart = Annotated[
    Part,
    typer.Option(
        "--part", help="PHYRE: tasks to score on. test learns from train and dev, dev from train."
    ),
]
Templates = Annotated[
    str | None,
    typer.Option(
        "--templates",
        "--template",
        help="PHYRE: template ids, by commas.",
        autocompletion=complete.by_commas(complete.templates),
    ),
]
TemplatesArgument = Annotated[
    list[str] | None,
    typer.Argument(
        help="Tiers, template ids, or Python files with templates of your own.",
        autocompletion=complete.one_of(complete.tiers, complete.templates),
    ),
]
Actions = Annotated[
    int, typer.Option("--actions", min=10, help="How many actions of the fixed list.")
]

# I-PHYRE.

GAMES_HELP = "I-PHYRE: games or splits by commas, or `all`"
complete_games = complete.by_commas(complete.splits, complete.games)
Games = Annotated[
    str | None,
    typer.Option(
        "--games", help=f"{GAMES_HELP}; the forty if left out.", autocompletion=complete_games
    ),
]
GameName = Annotated[
    str, typer.Argument(help="A game by name.", autocompletion=complete.one_of(complete.games))
]
Hertz = Annotated[int, typer.Option("--hz", help="I-PHYRE: 10 or 60 ticks a second.")]
TrainingSplit = typer.Option(
    "--games",
    help="I-PHYRE: the split to train on, such as basic.",
    autocompletion=complete.one_of(complete.splits),
)
