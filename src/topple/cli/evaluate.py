"""`topple evaluate`: run an agent on a fold of PHYRE or on games of I-PHYRE, and score it."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from topple import paths
from topple.cli import llm_options
from topple.cli.from_player import keep_people, show_people
from topple.cli.iphyre_options import chosen_games
from topple.cli.llm_options import LLM, LlmRun, llm_label, llm_settings
from topple.cli.messages import resumable, user_errors
from topple.cli.options import (
    GAMES_HELP,
    Address,
    AgentOrNobody,
    Backend,
    Cache,
    Database,
    Folds,
    Hertz,
    Json,
    Runs,
    ScoredPart,
    Seed,
    Settings,
    SetupName,
    UseRay,
    complete_games,
)
from topple.cli.phyre_lab import laboratory, parse_numbers, run_all
from topple.cli.phyre_progress import progress_bar
from topple.cli.run_tables import show_game_runs, show_runs
from topple.phyre.auccess import MAX_ATTEMPTS
from topple.phyre.fold import Setup
from topple.runs.config import Part, RunConfig, Setting
from topple.runs.game_config import GameRunConfig
from topple.runs.game_file import game_agent_config
from topple.runs.game_run import game_agent_of, run_games, sweep_games
from topple.runs.game_store import write_game_record
from topple.runs.game_training import load_trained_game_agent
from topple.runs.row_file import agent_config
from topple.runs.store import write_record
from topple.runs.training import load_trained

app = typer.Typer(add_completion=False)

_WORDS: dict[str, Setting] = {"true": True, "false": False, "none": None}


@app.command()
def evaluate(
    agent: AgentOrNobody = None,
    from_player: Annotated[
        str | None,
        typer.Option(
            help="Id of a study in the player whose participants are scored instead of an agent."
        ),
    ] = None,
    database: Database = None,
    setup: SetupName = None,
    folds: Folds = "0",
    part: ScoredPart = Part.TEST,
    tasks: Annotated[
        str | None,
        typer.Option(
            help="Comma-separated PHYRE task ids, or the number of tasks to spread evenly over "
            "the fold. The default is all tasks."
        ),
    ] = None,
    games: Annotated[
        str | None,
        typer.Option("--games", "--split", help=f"{GAMES_HELP}.", autocompletion=complete_games),
    ] = None,
    hz: Hertz = 10,
    attempts: Annotated[
        int | None,
        typer.Option(
            min=1, help="Number of attempts allowed on each task (default 100) or game (default 1)."
        ),
    ] = None,
    setting: Settings = None,
    checkpoint: Annotated[
        Path | None,
        typer.Option(
            help="Checkpoint written by `topple train`. PHYRE agents are evaluated on the fold "
            "they "
            "were trained for, I-PHYRE agents on --games."
        ),
    ] = None,
    seed: Seed = 0,
    label: Annotated[str, typer.Option(help="Label of the run in tables and reports.")] = "",
    base_url: llm_options.BaseUrl = None,
    model: llm_options.Model = None,
    key_variable: llm_options.KeyVariable = llm_options.KEY_VARIABLE,
    images: llm_options.Images = False,
    keyframes: llm_options.Keyframes = None,
    tools: llm_options.Tools = False,
    simulations: llm_options.Simulations = None,
    grid: llm_options.GridText = None,
    strategy: llm_options.StrategyName = None,
    every: llm_options.Every = None,
    preset: llm_options.Preset = None,
    temperature: llm_options.Temperature = None,
    max_tokens: llm_options.MaxTokens = None,
    concurrency: llm_options.Concurrency = 1,
    rpm: llm_options.RequestRate = None,
    tpm: llm_options.TokenRate = None,
    timeout: llm_options.Timeout = 120.0,
    retries: llm_options.Retries = 5,
    prices: llm_options.Prices = None,
    resume: llm_options.Resume = True,
    runs: Runs = None,
    cache: Cache = None,
    use_ray: UseRay = False,
    address: Address = None,
    backend: Backend = "cpu",
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
            show_people(keep_people(from_player, database, folder), as_json)
            return
        assert agent is not None  # one of the two is given
        if database is not None:
            raise ValueError("--database goes with --from-player; leave it out")
        settings = dict(parse_setting(text) for text in setting or ())
        names = None if games is None else tuple(game.name for game in chosen_games(games))
        lab_of = partial(laboratory, cache, use_ray, address, backend)
        if checkpoint is not None:
            if setup is not None:
                raise ValueError("a checkpoint knows its setup; leave out --setup")
            if names is not None:
                player, learned = load_trained_game_agent(checkpoint, agent, settings)
                learned = replace(
                    learned, games=names, plays=attempts or 1, label=label or learned.label
                )
                played = run_games(learned, lambda _: player)
                write_game_record(folder, played)
                show_game_runs([played], as_json)
                return
            learner, trained = load_trained(checkpoint, agent, settings)
            trained = replace(
                trained,
                tasks=parse_tasks(tasks),
                attempts=attempts or MAX_ATTEMPTS,
                label=label or trained.label,
            )
            with lab_of() as (lab, bar):
                bar.name(f"{trained.label} {trained.setup.value} {trained.fold}")
                record = lab.run(trained, learner)
            write_record(folder, record)
            show_runs([record], as_json)
            return
        if (setup is None) == (names is None):
            raise ValueError("give either --setup, for PHYRE, or --games, for I-PHYRE")
        llm = None
        asked = llm_settings(
            {
                "model": model,
                "images": images,
                "keyframes": keyframes,
                "tools": tools,
                "simulations": simulations,
                "grid": grid,
                "strategy": strategy,
                "every": every,
                "preset": preset,
                "temperature": temperature,
                "max_tokens": max_tokens,
            }
        )
        if agent == LLM:
            settings = {**asked, **settings}
            settings.setdefault("model", "default")
            label = label or llm_label(settings)
            llm = LlmRun(
                base_url=base_url,
                key_variable=key_variable,
                concurrency=concurrency,
                requests_per_minute=rpm,
                tokens_per_minute=tpm,
                timeout=timeout,
                retries=retries,
                prices=prices,
                resume=resume,
                runs=folder,
            )
        else:
            ways = {"base_url": base_url, "prices": prices, "rpm": rpm, "tpm": tpm}
            for name in (*(name for name, value in ways.items() if value is not None), *asked):
                option = f"--{name.replace('_', '-')}"
                raise ValueError(f"{option} is for --agent {LLM}, not {agent!r}")
        if setup is not None:
            numbers = parse_numbers(folds, "folds")
            first = RunConfig(
                agent,
                Setup.parse(setup),
                numbers[0],
                settings,
                part,
                seed,
                attempts or MAX_ATTEMPTS,
                label,
                parse_tasks(tasks),
            )
            configs = [agent_config(agent, replace(first, fold=fold)) for fold in numbers]
            with lab_of() as (lab, bar):
                if llm is not None:
                    lab.make = llm.phyre(bar.report)
                records = run_all(configs, lab, bar, folder, keep_attempts=True, anew=not resume)
            show_runs(records, as_json, llm)
            return
        assert names is not None  # one of the two is given
        if tasks is not None:
            raise ValueError("--tasks is for PHYRE; name games with --games")
        game_config = GameRunConfig(
            agent, names, settings, hz=hz, seed=seed, plays=attempts or 1, label=label
        )
        game_config = game_agent_config(agent, game_config)
        with progress_bar() as bar:
            bar.name(game_config.label)
            make = game_agent_of if llm is None else llm.iphyre(bar.report)
            plays = list(sweep_games([game_config], folder, make=make, anew=not resume))
        show_game_runs(plays, as_json, llm)


def parse_tasks(text: str | None) -> int | tuple[str, ...] | None:
    """A number of tasks, or ids by commas."""
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
