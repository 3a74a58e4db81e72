"""Options that several commands take: one name, one meaning, one help text.

An option that takes several values has a plural name, reads them separated by commas, and also
answers to its singular. Options that go together are fields of a dataclass; see
:mod:`topple.cli.groups`.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Annotated, Any

import typer

from topple.cli import complete
from topple.phyre.engine.backend import BACKENDS, check_backend
from topple.phyre.fold import SEEDS, Setup
from topple.phyre.selection import Part
from topple.phyre.tier import Tier
from topple.runs.agent import Setting

# Output.


def out_folder(content: str) -> Any:
    """`--out` of a command that fills a folder."""
    return typer.Option("--out", help=f"Folder for {content}.", callback=free_folder)


def out_file(content: str, *endings: str) -> Any:
    """`--out` of a command that writes one file, with one of some endings if any are given."""

    def check(path: Path | None) -> Path | None:
        if path is not None and endings and path.suffix.lower() not in endings:
            raise typer.BadParameter(f"{path} must end in {', '.join(endings)}")
        return free_file(path)

    return typer.Option("--out", help=f"File for {content}.", callback=check)


def free_folder(path: Path | None) -> Path | None:
    """Refuse a path that cannot become a folder, before work is spent on it."""
    for place in (path, *path.parents) if path else ():
        if place.exists() and not place.is_dir():
            raise typer.BadParameter(f"{place} is a file; name a folder")
    return path


def free_file(path: Path | None) -> Path | None:
    """Refuse a path that cannot become a file."""
    if path is not None:
        free_folder(path.parent)
        if path.is_dir():
            raise typer.BadParameter(f"{path} is a folder; name a file in it")
    return path


_PIXELS: dict[str, Any] = {"min": 1, "max": 10_000}
Size = Annotated[int, typer.Option("--size", **_PIXELS, help="Width of the picture in pixels.")]
EachSize = Annotated[int, typer.Option("--size", **_PIXELS, help="Width of each puzzle in pixels.")]
Figure = Annotated[
    Path | None,
    typer.Option(
        "--figure", help="Also draw the results as a figure to this file.", callback=free_file
    ),
]

# Folders, devices and clusters.


def _known_backend(name: str) -> str:
    try:
        return check_backend(name)
    except ValueError as error:
        raise typer.BadParameter(str(error)) from None


_RUNS = "Folder of run records. The default is $TOPPLE_RUNS, or else `runs`"
Runs = Annotated[Path | None, typer.Option("--runs", help=f"{_RUNS}.", callback=free_folder)]
StoredRuns = Annotated[Path, typer.Option("--runs", help="Folder of run records.")]
RunsArgument = Annotated[
    list[Path], typer.Argument(help="Run records, or folders that contain run records.")
]
Cache = Annotated[
    Path | None,
    typer.Option(
        "--cache",
        help="Folder of simulated outcomes. The default is $TOPPLE_CACHE, or else the user's "
        "cache folder.",
        callback=free_folder,
    ),
]
Database = Annotated[
    str | None,
    typer.Option(
        "--database",
        help="SQLAlchemy URL of the player's database. The default is an SQLite file in "
        "$TOPPLE_DATA, or else in the user's data folder.",
    ),
]
Oracle = Annotated[
    Path, typer.Option("--oracle", help="File of plans written by `topple iphyre oracle`.")
]
Backend = Annotated[
    str,
    typer.Option(
        "--backend",
        help="Device to simulate on: cpu, cuda, or auto for a GPU if there is one.",
        callback=_known_backend,
        autocompletion=complete.one_of(BACKENDS),
    ),
]


@dataclass(frozen=True)
class Cluster:
    """The cluster that does the work, if any.

    Options:
        use_ray: Distribute the work over a Ray cluster.
        address: Address of a running Ray cluster, such as ray://head:10001.
    """

    use_ray: Annotated[bool, typer.Option("--ray")] = False
    address: str | None = None

    @property
    def remote(self) -> bool:
        """Whether a Ray cluster does the work."""
        return self.use_ray or self.address is not None


@dataclass(frozen=True)
class Compute(Cluster):
    """Where attempts are simulated, and where their outcomes are stored."""

    cache: Cache = None
    backend: Backend = "cpu"


#: The options of commands that use a GPU if there is one.
AUTO = Compute(backend="auto")

# Random numbers.

Seed = Annotated[int, typer.Option("--seed", min=0, help="Seed of the random number generator.")]
Seeds = Annotated[
    str,
    typer.Option(
        "--seeds", "--seed", help="Comma-separated random seeds, such as 0,1,2; one run for each."
    ),
]


def parse_numbers(text: str, what: str) -> list[int]:
    """Read comma-separated numbers.

    Args:
        text: such as ``0,1,2``.
        what: what they stand for, such as ``seeds``, for the error message.

    Raises:
        ValueError: A part is not a number.
    """
    try:
        return [int(part) for part in text.split(",")]
    except ValueError:
        raise ValueError(f"{text!r} is not a list of {what}, such as 0,1,2") from None


# Benchmarks and agents.


class Benchmark(Enum):
    """The benchmarks by the names that options use."""

    PHYRE = "phyre"
    IPHYRE = "iphyre"


BENCHMARK = typer.Option("--benchmark", help="Benchmark: PHYRE or I-PHYRE.")

_AGENT = typer.Option(
    "--agent",
    help="Name of an agent listed by `topple agents`, a configuration file such as "
    "configs/phyre/dqn.toml, or the class of your own agent as module:Class.",
    autocompletion=complete.one_of(complete.agents),
)
AgentName = Annotated[str, _AGENT]
AgentOrNobody = Annotated[str | None, _AGENT]


def agent_names(which: str) -> Any:
    """`--agents` of a command that takes some agents."""
    return typer.Option(
        "--agents",
        "--agent",
        help=f"Comma-separated {which}.",
        autocompletion=complete.by_commas(complete.agents),
    )


Settings = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        "-s",
        help="Setting of the agent as NAME=VALUE, such as actions=1000. Can be repeated.",
    ),
]
_WORDS: dict[str, Setting] = {"true": True, "false": False, "none": None}


def parse_settings(texts: list[str] | None) -> dict[str, Setting]:
    """Read settings given as NAME=VALUE, with values such as 1, 0.5, true, none or a word.

    Raises:
        ValueError: A text is not of this form.
    """
    return dict(_parse_setting(text) for text in texts or ())


def _parse_setting(text: str) -> tuple[str, Setting]:
    name, separator, value = text.partition("=")
    if not separator or not name.isidentifier():
        raise ValueError(f"{text!r} is not a setting; write NAME=VALUE, such as actions=1000")
    if value.lower() in _WORDS:
        return name, _WORDS[value.lower()]
    for kind in (int, float):
        try:
            return name, kind(value)
        except ValueError:
            continue
    return name, value


Smoke = Annotated[
    bool,
    typer.Option("--smoke", help="Use little data and few steps: at most a minute on a CPU."),
]

# PHYRE.

TIERS = [tier.value for tier in Tier]
TEMPLATES = [name for tier in Tier for name in tier.template_ids]
SETUPS = [setup.value for setup in Setup]
_TIER = typer.Option(
    "--tier",
    help="PHYRE tier: ball or two_balls.",
    autocompletion=complete.one_of(TIERS),
)
TierName = Annotated[str, _TIER]
TierOrAll = Annotated[str | None, _TIER]
SetupName = Annotated[
    str | None,
    typer.Option(
        "--setup",
        help="PHYRE evaluation setup, such as ball_within or two_balls_cross.",
        autocompletion=complete.one_of(SETUPS),
    ),
]
Setups = Annotated[
    str,
    typer.Option(
        "--setups",
        "--setup",
        help="Comma-separated PHYRE evaluation setups, such as ball_within,ball_cross.",
        autocompletion=complete.by_commas(SETUPS),
    ),
]
_FOLD: dict[str, Any] = {"min": SEEDS[0], "max": SEEDS[-1], "help": "PHYRE fold, from 0 to 9."}
FoldNumber = Annotated[int, typer.Option("--fold", **_FOLD)]
FoldOrNone = Annotated[int | None, typer.Option("--fold", **_FOLD)]
Folds = Annotated[
    str, typer.Option("--folds", "--fold", help="Comma-separated PHYRE folds, such as 0,1,2.")
]
ScoredPart = Annotated[
    Part,
    typer.Option(
        "--part",
        help="PHYRE tasks to evaluate on: test, after training on train and dev tasks; or dev, "
        "after training on train tasks.",
    ),
]
Templates = Annotated[
    str | None,
    typer.Option(
        "--templates",
        "--template",
        help="Comma-separated PHYRE template ids, such as 00001,00002.",
        autocompletion=complete.by_commas(TEMPLATES),
    ),
]
TemplatesArgument = Annotated[
    list[str] | None,
    typer.Argument(
        help="Tiers, template ids, or Python files that define templates. The default is both "
        "tiers.",
        autocompletion=complete.one_of(TIERS, TEMPLATES),
    ),
]
Actions = Annotated[
    int, typer.Option("--actions", min=10, help="Number of actions from the fixed list.")
]

# I-PHYRE.

GAMES_HELP = "Comma-separated I-PHYRE games or splits, such as seesaw,noisy, or `all` for all fifty"
complete_games = complete.by_commas(complete.splits, complete.games)
Games = Annotated[
    str | None,
    typer.Option(
        "--games",
        help=f"{GAMES_HELP}. The default is the forty published games.",
        autocompletion=complete_games,
    ),
]
GameName = Annotated[
    str,
    typer.Argument(
        help="Name of a game listed by `topple iphyre games`.",
        autocompletion=complete.one_of(complete.games),
    ),
]
SomeGames = Annotated[
    str | None,
    typer.Option("--games", "--split", help=f"{GAMES_HELP}.", autocompletion=complete_games),
]
Hertz = Annotated[int, typer.Option("--hz", help="I-PHYRE ticks per second: 10 or 60.")]
TrainingSplit = typer.Option(
    "--games",
    help="I-PHYRE split to train on, such as basic.",
    autocompletion=complete.one_of(complete.splits),
)
