"""`topple evaluate`: run an agent on a fold of PHYRE or on games of I-PHYRE, and score it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any

import typer

from topple import paths
from topple.cli.from_player import keep_people
from topple.cli.iphyre_options import chosen_games
from topple.cli.llm_options import LLM, LlmOptions
from topple.cli.messages import resumable, user_errors
from topple.cli.options import (
    GAMES_HELP,
    AgentOrNobody,
    Compute,
    Database,
    Folds,
    Hertz,
    Json,
    Runs,
    ScoredPart,
    Seed,
    Settings,
    SetupName,
    complete_games,
    option_groups,
)
from topple.cli.phyre_lab import open_runner, parse_numbers, run_all
from topple.cli.run_tables import show_runs
from topple.iphyre.selection import GameSelection
from topple.phyre.fold import Setup
from topple.phyre.selection import Part, TaskSelection
from topple.runs.agent import Setting
from topple.runs.config import RunConfig
from topple.runs.record import RunRecord, write_record
from topple.runs.spec import find_spec
from topple.runs.training import load_trained

app = typer.Typer(add_completion=False)

_WORDS: dict[str, Setting] = {"true": True, "false": False, "none": None}


@dataclass(frozen=True)
class Scored:
    """The options that say what an agent is scored on."""

    setup: SetupName = None
    folds: Folds = "0"
    part: ScoredPart = Part.TEST
    tasks: Annotated[
        str | None,
        typer.Option(
            help="Comma-separated PHYRE task ids, or the number of tasks to spread evenly over "
            "the fold. The default is all tasks."
        ),
    ] = None
    games: Annotated[
        str | None,
        typer.Option("--games", "--split", help=f"{GAMES_HELP}.", autocompletion=complete_games),
    ] = None
    hz: Hertz = 10
    attempts: Annotated[
        int | None,
        typer.Option(
            min=1, help="Number of attempts allowed on each task (default 100) or game (default 1)."
        ),
    ] = None

    def selections(self) -> list[TaskSelection] | list[GameSelection]:
        """What each run is scored on.

        Raises:
            ValueError: Neither benchmark is chosen, or both are.
        """
        if (self.setup is None) == (self.games is None):
            raise ValueError("give either --setup, for PHYRE, or --games, for I-PHYRE")
        if self.setup is not None:
            setup, tasks = Setup.parse(self.setup), parse_tasks(self.tasks)
            folds = parse_numbers(self.folds, "folds")
            return [TaskSelection(setup, fold, self.part, tasks) for fold in folds]
        if self.tasks is not None:
            raise ValueError("--tasks is for PHYRE; name games with --games")
        return [GameSelection(self.game_names(), hz=self.hz)]

    def game_names(self) -> tuple[str, ...]:
        """The names of the chosen games."""
        return tuple(game.name for game in chosen_games(self.games))

    def of_checkpoint(self, trained: RunConfig[Any]) -> RunConfig[Any]:
        """The run that scores a trained agent: the trained fold, or any games."""
        selection = trained.selection
        if isinstance(selection, TaskSelection):
            selection = replace(selection, tasks=parse_tasks(self.tasks))
        else:
            selection = replace(selection, games=self.game_names())
        return replace(trained, selection=selection, attempts=self.attempts or 0)


@app.command()
@option_groups
def evaluate(
    *,
    agent: AgentOrNobody = None,
    scored: Scored,
    from_player: Annotated[
        str | None,
        typer.Option(
            help="Id of a study in the player whose participants are scored instead of an agent."
        ),
    ] = None,
    database: Database = None,
    setting: Settings = None,
    checkpoint: Annotated[
        Path | None,
        typer.Option(
            help="Checkpoint written by `topple train`. PHYRE agents are evaluated on the fold "
            "they were trained for, I-PHYRE agents on --games."
        ),
    ] = None,
    seed: Seed = 0,
    label: Annotated[str, typer.Option(help="Label of the run in tables and reports.")] = "",
    llm: LlmOptions,
    runs: Runs = None,
    compute: Compute,
    as_json: Json = False,
) -> None:
    """Evaluate an agent on PHYRE tasks or I-PHYRE games and store a run record.

    Finished runs are read from the folder of run records, not repeated; `topple report` shows them.

    Examples:
      topple evaluate --agent mem --setup ball_within --folds 0,1 -s actions=1000

      topple evaluate --agent random --games basic,noisy

      topple evaluate --agent llm --base-url http://127.0.0.1:8000 --model M --setup ball_cross

      topple evaluate --agent dqn --checkpoint runs/training/NAME/checkpoint.pt

      topple evaluate --agent ppo-i --checkpoint runs/training/NAME/checkpoint.pt --games all

      topple evaluate --from-player k3w9abcdefgh
    """
    with user_errors(), resumable():
        folder = runs or paths.runs_folder()
        if (agent is None) == (from_player is None):
            raise ValueError("give either --agent or --from-player")
        if from_player is not None:
            show_runs(keep_people(from_player, database, folder), as_json)
            return
        assert agent is not None  # one of the two is given
        if database is not None:
            raise ValueError("--database goes with --from-player; leave it out")
        settings = dict(parse_setting(text) for text in setting or ())
        if checkpoint is not None:
            record = _score_checkpoint(agent, checkpoint, settings, scored, compute, label)
            write_record(folder, record)
            show_runs([record], as_json)
            return
        if agent == LLM:
            settings = {**llm.settings(), **settings}
            settings.setdefault("model", "default")
            label = label or llm.label(settings)
        else:
            llm.refuse(agent)
        run = llm.start(folder) if agent == LLM else None
        configs = [
            find_spec(agent, selection.benchmark).config(
                selection, settings, seed=seed, attempts=scored.attempts or 0, label=label
            )
            for selection in scored.selections()
        ]
        with open_runner(compute) as (runner, bar):
            if run is not None:
                runner.make = run.make(bar.report)
            rerun = run is not None and not run.resume
            records = run_all(configs, runner, bar, folder, keep_attempts=True, rerun=rerun)
        show_runs(records, as_json, run)


def _score_checkpoint(
    agent: str,
    checkpoint: Path,
    settings: Mapping[str, Setting],
    scored: Scored,
    compute: Compute,
    label: str,
) -> RunRecord[Any, Any]:
    """Score an agent that was trained before."""
    if scored.setup is not None:
        raise ValueError("a checkpoint knows its setup; leave out --setup")
    benchmark = "phyre" if scored.games is None else "iphyre"
    learner, trained = load_trained(checkpoint, benchmark, agent, settings)
    config = scored.of_checkpoint(trained)
    if label:
        config = replace(config, label=label, variant="")
    with open_runner(compute) as (runner, bar):
        bar.name(f"{config.title} {config.selection.place}")
        return runner.run(config, learner)


def parse_tasks(text: str | None) -> int | tuple[str, ...] | None:
    """A number of tasks, or comma-separated ids."""
    if text is None:
        return None
    return int(text) if text.isdigit() else tuple(word.strip() for word in text.split(","))


def parse_setting(text: str) -> tuple[str, Setting]:
    """A setting from NAME=VALUE; the value is a number or a truth value if it looks like one."""
    name, separator, value = text.partition("=")
    if not separator or not name.isidentifier():
        raise ValueError(f"{text!r} is no setting; write NAME=VALUE, such as actions=1000")
    if value.lower() in _WORDS:
        return name, _WORDS[value.lower()]
    for kind in (int, float):
        try:
            return name, kind(value)
        except ValueError:
            continue
    return name, value
