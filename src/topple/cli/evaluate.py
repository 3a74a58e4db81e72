"""`topple evaluate`: run an agent on a fold of PHYRE or on games of I-PHYRE, and score it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from topple import paths
from topple.agents.registry import AGENTS, GAME_AGENTS
from topple.cli.iphyre_options import chosen_games
from topple.cli.messages import Cell, Json, resumable, show, show_json, user_errors
from topple.cli.phyre_lab import (
    Address,
    Cache,
    OnBackend,
    Runs,
    UseRay,
    laboratory,
    parse_folds,
    run_all,
)
from topple.experiments.config import Part, RunConfig, Setting
from topple.experiments.game_config import GameRunConfig
from topple.experiments.game_file import game_agent_config
from topple.experiments.game_run import run_games, sweep_games
from topple.experiments.game_store import GameRunRecord, write_game_record
from topple.experiments.game_training import load_trained_game_agent
from topple.experiments.row_file import agent_config
from topple.experiments.store import RunRecord, write_record
from topple.experiments.training import load_trained
from topple.phyre.auccess import MAX_ATTEMPTS
from topple.phyre.fold import Setup

app = typer.Typer(add_completion=False)

_CURVE = (1, 10, 100)  # attempts at which the share of solved tasks is told
_WORDS: dict[str, Setting] = {"true": True, "false": False, "none": None}


@app.command()
def evaluate(
    agent: Annotated[
        str,
        typer.Option(
            help=f"PHYRE: {', '.join(AGENTS)}, or a file like configs/phyre/dqn.toml; "
            f"I-PHYRE: {', '.join(GAME_AGENTS)}; or 'module:Class' of your own."
        ),
    ],
    setup: Annotated[str | None, typer.Option(help="PHYRE: tier and split.")] = None,
    folds: Annotated[str, typer.Option("--fold", help="PHYRE: folds, with commas.")] = "0",
    part: Annotated[Part, typer.Option(help="PHYRE: which tasks are scored.")] = Part.TEST,
    tasks: Annotated[
        int | None, typer.Option(min=1, help="PHYRE: only so many tasks, spread evenly.")
    ] = None,
    games: Annotated[
        str | None, typer.Option(help="I-PHYRE: games or splits by commas, or `all`.")
    ] = None,
    hz: Annotated[int, typer.Option(help="I-PHYRE: 10 or 60 ticks a second.")] = 10,
    attempts: Annotated[
        int | None,
        typer.Option(min=1, help="On each task or game; 100 by default, or 1 for games."),
    ] = None,
    setting: Annotated[
        list[str] | None, typer.Option("--set", "-s", help="A setting of the agent, NAME=VALUE.")
    ] = None,
    checkpoint: Annotated[
        Path | None,
        typer.Option(
            help="Weights of `topple train`, for the fold they were trained for; with --games, "
            "for any games of I-PHYRE."
        ),
    ] = None,
    seed: Annotated[int, typer.Option(help="Of the agent's random choices.")] = 0,
    label: Annotated[str, typer.Option(help="A name for the results.")] = "",
    runs: Runs = None,
    cache: Cache = None,
    use_ray: UseRay = False,
    address: Address = None,
    backend: OnBackend = "cpu",
    as_json: Json = False,
) -> None:
    """Train an agent, let it act on test tasks or games, and keep the run as a record.

    Finished runs are not run again. Records go to the folder of runs, for `topple report`.

    Examples:
      topple evaluate --agent mem --setup ball_within --fold 0,1 -s actions=1000

      topple evaluate --agent random --games basic,noisy

      topple evaluate --agent dqn --checkpoint runs/training/NAME/checkpoint.pt

      topple evaluate --agent ppo-i --checkpoint runs/training/NAME/checkpoint.pt --games all
    """
    with user_errors(), resumable():
        if checkpoint is not None:
            if setup is not None:
                raise ValueError("a checkpoint knows its setup; leave out --setup")
            given = dict(parse_setting(text) for text in setting or ())
            if games is not None:
                names = tuple(game.name for game in chosen_games(games))
                player, trained_on = load_trained_game_agent(checkpoint, agent, given)
                played = replace(trained_on, games=names, plays=attempts or 1)
                played = replace(played, label=label or played.label)
                game_record = run_games(played, player)
                write_game_record(runs or paths.runs_folder(), game_record)
                show_game_runs([game_record], as_json)
                return
            learner, trained = load_trained(checkpoint, agent, given)
            trained = replace(trained, tasks=tasks, attempts=attempts or MAX_ATTEMPTS)
            with laboratory(cache, use_ray, address, backend) as (lab, bar):
                bar.name(f"{trained.label} {trained.setup.value} {trained.fold}")
                record = lab.run(replace(trained, label=label or trained.label), learner)
            write_record(runs or paths.runs_folder(), record)
            show_runs([record], as_json)
            return
        if (setup is None) == (games is None):
            raise ValueError("give either --setup, for PHYRE, or --games, for I-PHYRE")
        settings = dict(parse_setting(text) for text in setting or ())
        if setup is not None:
            wanted = Setup.parse(setup)
            configs = [
                agent_config(
                    agent,
                    RunConfig(
                        agent,
                        wanted,
                        fold,
                        settings,
                        part,
                        seed,
                        attempts or MAX_ATTEMPTS,
                        label,
                        tasks,
                    ),
                )
                for fold in parse_folds(folds)
            ]
            with laboratory(cache, use_ray, address, backend) as (lab, bar):
                records = run_all(configs, lab, bar, runs, keep_attempts=True)
            show_runs(records, as_json)
        else:
            names = tuple(game.name for game in chosen_games(games))
            config = game_agent_config(
                agent,
                GameRunConfig(
                    agent, names, settings, hz=hz, seed=seed, plays=attempts or 1, label=label
                ),
            )
            show_game_runs(sweep_games([config], runs or paths.runs_folder()), as_json)


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


def show_runs(records: Iterable[RunRecord], as_json: bool) -> None:
    """Print what runs of PHYRE scored."""
    columns = ("agent", "setup", "fold", "tasks", "AUCCESS", *(f"solved@{k}" for k in _CURVE))
    rows: list[list[Cell]] = [
        [
            record.config.label,
            record.config.setup.value,
            record.config.fold,
            len(record.tasks),
            record.auccess,
            *(float(record.curve[k - 1]) for k in _CURVE),
        ]
        for record in records
    ]
    show("PHYRE", columns, rows, as_json)


def show_game_runs(records: Iterable[GameRunRecord], as_json: bool) -> None:
    """Print what runs of I-PHYRE scored, split by split."""
    if as_json:
        show_json(
            [
                {
                    "agent": record.config.label,
                    **record.average._asdict(),
                    "splits": {key.value: mean._asdict() for key, mean in record.averages.items()},
                    "scores": {game: score._asdict() for game, score in record.scores.items()},
                }
                for record in records
            ]
        )
        return
    rows: list[list[Cell]] = []
    for record in records:
        means = {split.value: mean for split, mean in record.averages.items()}
        for name, mean in {**means, "all": record.average}.items():
            config = record.config
            where: list[Cell] = [config.label, config.seed, name, mean.games, config.plays]
            rows.append([*where, mean.reward, mean.success_rate])
    columns = ("agent", "seed", "split", "games", "best of", "reward", "solved")
    show("I-PHYRE", columns, rows)
