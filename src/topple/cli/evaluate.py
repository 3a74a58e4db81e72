"""`topple evaluate`: evaluate an agent on a fold of PHYRE or on games of I-PHYRE."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any

import typer

from topple import paths
from topple.cli.errors import resumable
from topple.cli.llm import LLM, LlmOptions, LlmRun, llm_label
from topple.cli.options import (
    AgentOrNobody,
    Compute,
    Database,
    Folds,
    Runs,
    ScoredPart,
    Seed,
    Settings,
    SetupName,
    SomeGames,
    parse_numbers,
    parse_settings,
)
from topple.cli.output import Output
from topple.cli.run_tables import runs_output
from topple.cli.runner import open_runner, run_all
from topple.cli.select_tasks import parse_tasks
from topple.cli.study import open_store, write_participants
from topple.iphyre.rules import AT_10_HZ, AT_60_HZ
from topple.iphyre.selection import GameSelection
from topple.iphyre.split import chosen_games
from topple.llm.presets import preset_attempts
from topple.phyre.fold import Setup
from topple.phyre.selection import Part, TaskSelection
from topple.runs.agent import Learner, Setting
from topple.runs.config import RunConfig
from topple.runs.record import RunRecord, write_record
from topple.runs.spec import find_spec
from topple.runs.training import find_checkpoint, load_trained


@dataclass(frozen=True)
class Scored:
    """Options that select the tasks or games to evaluate on.

    Options:
        tasks: Comma-separated PHYRE task ids, or the number of tasks to spread evenly over the
            fold. The default is all tasks.
        puzzles: File of PHYRE puzzles of your own, such as `topple tasks scramble` writes. With
            --setup and --folds, the agent trains on one fold; otherwise it does not train.
        hz: I-PHYRE ticks per second: 10 or 60.
        attempts: Number of attempts allowed on each task (default 100) or game (default 1).
    """

    setup: SetupName = None
    folds: Folds = "0"
    part: ScoredPart = Part.TEST
    tasks: str | None = None
    puzzles: Path | None = None
    games: SomeGames = None
    hz: int | None = None
    attempts: Annotated[int | None, typer.Option(min=1)] = None

    @property
    def benchmark(self) -> str:
        """The benchmark of the tasks or games."""
        return "phyre" if self.games is None else "iphyre"

    def selections(self) -> list[TaskSelection] | list[GameSelection]:
        """Return the tasks or games of each run.

        Raises:
            ValueError: Neither benchmark is chosen, or both are.
        """
        if self.puzzles is not None:
            return [TaskSelection.of_file(self.puzzles, *self._trained_fold("--puzzles"))]
        if (self.setup is None) == (self.games is None):
            raise ValueError("give either --setup, for PHYRE, or --games, for I-PHYRE")
        if self.setup is not None:
            setup, tasks = Setup.parse(self.setup), parse_tasks(self.tasks)
            folds = parse_numbers(self.folds, "folds")
            return [TaskSelection(setup, fold, self.part, tasks) for fold in folds]
        if self.tasks is not None:
            raise ValueError("--tasks is for PHYRE; name games with --games")
        return [GameSelection(self.game_names(), hz=self.hz or AT_10_HZ.hz)]

    def _trained_fold(self, option: str) -> tuple[Setup | None, int]:
        """Return the fold to train on where another option selects the tasks.

        Raises:
            ValueError: Other tasks or games are chosen as well.
        """
        if self.tasks is not None or self.games is not None or self.part is not Part.TEST:
            raise ValueError(f"{option} selects the tasks; leave out --tasks, --games, --part")
        setup = None if self.setup is None else Setup.parse(self.setup)
        return setup, parse_numbers(self.folds, "folds")[0]

    def of_study(
        self, study: str, database: str | None
    ) -> tuple[list[TaskSelection] | list[GameSelection], int]:
        """Return the puzzles of a study in the player, and its participants' number of attempts."""
        setup, fold = self._trained_fold("--tasks-of-study")
        with open_store(database) as store:
            from topple.player.study_records import study_selections

            chosen, attempts = study_selections(store, study, setup, fold, self.hz or AT_60_HZ.hz)
            return chosen, self.attempts or attempts

    def game_names(self) -> tuple[str, ...]:
        """Return the names of the chosen games."""
        return tuple(game.name for game in chosen_games(self.games))

    def of_checkpoint(self, trained: RunConfig[Any]) -> RunConfig[Any]:
        """Return the run that evaluates a trained agent: on its fold, or on any games."""
        selection = trained.selection
        if self.puzzles is not None:
            selection = TaskSelection.of_file(self.puzzles, selection.setup, selection.fold)
        elif isinstance(selection, TaskSelection):
            selection = replace(selection, tasks=parse_tasks(self.tasks))
        else:
            hz = self.hz or selection.hz
            selection = replace(selection, games=self.game_names(), hz=hz)
        return replace(trained, selection=selection, attempts=self.attempts or 0)


@resumable()
def evaluate(
    *,
    agent: AgentOrNobody = None,
    scored: Scored,
    from_player: str | None = None,
    tasks_of_study: str | None = None,
    database: Database = None,
    from_export: Path | None = None,
    setting: Settings = None,
    checkpoint: Path | None = None,
    seed: Seed = 0,
    label: str = "",
    llm: LlmOptions,
    runs: Runs = None,
    compute: Compute,
) -> Output:
    """Evaluate an agent on PHYRE tasks or I-PHYRE games and store a run record.

    Finished runs are read from the folder of run records instead of being
    repeated; `topple report` shows them.

    Options:
        from_player: Id of a study in the player whose participants are scored instead of an agent.
        tasks_of_study: Id of a study in the player whose puzzles and attempts the agent gets. With
            --setup and --folds, a PHYRE agent trains on the other tasks of one fold; otherwise it
            does not train. Games run at 60 ticks per second unless --hz says otherwise.
        from_export: File of attempts that the page without a server has exported. They are
            simulated again and scored instead of an agent; the number of attempts and their times
            are marked as the client's word.
        checkpoint: Checkpoint written by `topple train`, or the word `included` for the one that
            comes with the package; `topple agents` lists these. PHYRE agents are evaluated on the
            fold they were trained for, I-PHYRE agents on --games.
        label: Label of the run in tables and reports.

    Examples:
      topple evaluate --agent mem --setup ball_within --folds 0,1 -s actions=1000
      topple evaluate --agent random --games basic,noisy
      topple evaluate --agent llm --base-url http://127.0.0.1:8000 --model M --setup ball_cross
      topple evaluate --agent dqn --checkpoint runs/training/NAME/checkpoint.pt
      topple evaluate --agent ppo-i --checkpoint runs/training/NAME/checkpoint.pt --games all
      topple evaluate --agent fusion-attention --checkpoint included --games all
      topple evaluate --from-player k3w9abcdefgh
      topple evaluate --from-export topple-attempts.json
      topple evaluate --agent rand --tasks-of-study k3w9abcdefgh
      topple evaluate --agent rand --puzzles puzzles/puzzles.json
    """
    folder = runs or paths.runs_folder()
    if sum(given is not None for given in (agent, from_player, from_export)) != 1:
        raise ValueError("give either --agent, --from-player or --from-export")
    if database is not None and from_player is None and tasks_of_study is None:
        raise ValueError("--database needs --from-player or --tasks-of-study; leave it out")
    if from_export is not None:
        return runs_output(_score_export(from_export, folder))
    if agent is None:
        return runs_output(write_participants(from_player or "", database, folder))
    settings = parse_settings(setting)
    if checkpoint is not None and tasks_of_study is not None:
        raise ValueError("a checkpoint is evaluated on its own fold or on --games")
    if checkpoint is not None:
        trained = _load(agent, checkpoint, settings, scored, label)
        return runs_output([_evaluate_trained(*trained, compute, folder)])
    run = None
    if agent == LLM:
        run = LlmRun(llm, folder)
        settings = {"model": "default", **llm.settings(), **settings}
        label = label or llm_label(settings)
    else:
        llm.refuse(agent)
    # 0 is the default of the benchmark.
    attempts = scored.attempts or preset_attempts(scored.benchmark, settings.get("preset"))
    if tasks_of_study is None:
        selections = scored.selections()
    else:
        selections, attempts = scored.of_study(tasks_of_study, database)
    configs = [
        find_spec(agent, selection.benchmark).config(
            selection, settings, seed=seed, attempts=attempts, label=label
        )
        for selection in selections
    ]
    with open_runner(compute) as (runner, bar):
        if run is not None:
            runner.make = run.make(bar.report)
        rerun = run is not None and not llm.resume
        records = run_all(configs, runner, bar, folder, keep_attempts=True, rerun=rerun)
    return runs_output(records, run)


def _score_export(path: Path, folder: Path) -> list[RunRecord[Any, Any]]:
    """Write a run record of each tier and of I-PHYRE for the attempts in a file."""
    from topple.player.export_records import export_records

    records = export_records(path)
    for record in records:
        write_record(folder, record)
        client = record.protocol["client"]
        if client["differing_outcomes"]:
            typer.echo(
                f"{client['differing_outcomes']} outcomes in {path} are not those of these "
                "attempts; the simulated ones are scored",
                err=True,
            )
    return records


def _load(
    agent: str, checkpoint: Path, settings: Mapping[str, Setting], scored: Scored, label: str
) -> tuple[RunConfig[Any], Learner[Any, Any]]:
    """Load a trained agent, with the run that evaluates it."""
    if scored.setup is not None:
        raise ValueError("the checkpoint names its own setup; leave out --setup")
    checkpoint = find_checkpoint(checkpoint, scored.benchmark, agent)
    learner, trained = load_trained(checkpoint, scored.benchmark, agent, settings)
    config = scored.of_checkpoint(trained)
    return replace(config, label=label, variant="") if label else config, learner


def _evaluate_trained(
    config: RunConfig[Any], learner: Learner[Any, Any], compute: Compute, folder: Path
) -> RunRecord[Any, Any]:
    with open_runner(compute) as (runner, bar):
        bar.start(f"{config.title} {config.selection.place}")
        record = runner.run(config, learner)
    write_record(folder, record)
    return record
