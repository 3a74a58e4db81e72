"""Training of I-PHYRE agents: what `topple train --games` does, and `topple sweep`."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer
from rich.progress import Progress

from topple import paths
from topple.cli import complete
from topple.cli.evaluate import parse_setting
from topple.cli.messages import progress, resumable, show_json, user_errors
from topple.cli.options import (
    Address,
    Json,
    Runs,
    Seeds,
    Settings,
    Smoke,
    TrainingSplit,
    UseRay,
    free_folder,
)
from topple.cli.phyre_lab import executor_of, parse_numbers
from topple.cli.run_tables import show_game_runs
from topple.iphyre.games import ALL
from topple.iphyre.phases import GameReport
from topple.iphyre.split import Split, split_named
from topple.runs.config import Setting
from topple.runs.game_config import GameRunConfig
from topple.runs.game_file import game_agent_config
from topple.runs.game_training import (
    create_game_learner,
    scored_configs,
    sweep_learners,
    train_game_agent,
)
from topple.runs.learner import CHECKPOINT

TRAININGS = "training"  # folder among the runs

app = typer.Typer(add_completion=False)


def learner_config(
    agent: str, split: Split, seed: int, given: Mapping[str, Setting], smoke: bool
) -> GameRunConfig:
    """The config of a training, to be scored on all fifty games."""
    names = tuple(game.name for game in ALL)
    config = game_agent_config(agent, GameRunConfig(agent, names, {}, split, seed=seed))
    small = create_game_learner(config.agent, {}).smoke if smoke else {}
    settings = {**config.settings, **small, **given}
    create_game_learner(config.agent, settings)  # so that mistakes show before work begins
    label = f"{config.label} smoke" if smoke else config.label
    return replace(config, settings=settings, label=label)


def train_on_games(
    agent: str,
    games: str,
    seed: int,
    given: Mapping[str, Setting],
    smoke: bool,
    out: Path | None,
    tensorboard: Path | None,
    as_json: bool,
) -> None:
    """Train an agent of I-PHYRE on a split, with a progress bar, and tell what to do next."""
    config = learner_config(agent, split_named(games), seed, given, smoke)
    learner = create_game_learner(config.agent, config.settings)
    folder = out or paths.runs_folder() / TRAININGS / config.name
    point: GameReport | None = None
    with progress(config.label, 1) as bar:
        for point in train_game_agent(learner, config, folder, tensorboard):
            _show(bar, config, point)
    if point is None and learner.history:
        point = learner.history[-1]  # it was finished before
    checkpoint = folder / CHECKPOINT
    if as_json:
        data = replace(config, settings=learner.settings).to_data()
        training: dict[str, float] = {}
        if point is not None:
            training["steps"] = point.done
            if point.loss is None:
                training |= {"reward": point.reward, "solved": point.solved}
            else:
                training["loss"] = point.loss
        show_json({"config": data, "checkpoint": str(checkpoint), **training})
    else:
        typer.echo(
            f"{checkpoint}\nnext: topple evaluate --agent {agent} --checkpoint {checkpoint} "
            "--games all"
        )


def _show(bar: Progress, config: GameRunConfig, point: GameReport) -> None:
    told = f"{point.reward:.0f}, {point.solved:.0%} solved"
    if point.loss is not None:
        # What is learned from has to be made first, at times; the bar begins anew after it.
        told = "preparing games" if math.isnan(point.loss) else f"loss {point.loss:.4f}"
    bar.update(
        bar.task_ids[0],
        description=f"{config.label} {config.seed}: {told}",
        completed=point.done,
        total=point.planned,
    )


@app.command()
def sweep(
    agents: Annotated[
        list[str],
        typer.Argument(
            help="I-PHYRE agents, or configuration files such as configs/iphyre/ppo-i.toml.",
            autocompletion=complete.one_of(complete.agents),
        ),
    ],
    seeds: Seeds = "0",
    games: Annotated[str, TrainingSplit] = "basic",
    setting: Settings = None,
    smoke: Smoke = False,
    runs: Runs = None,
    trainings: Annotated[
        Path | None,
        typer.Option(
            help="Folder for checkpoints. The default is a folder under `runs/training`.",
            callback=free_folder,
        ),
    ] = None,
    use_ray: UseRay = False,
    address: Address = None,
    as_json: Json = False,
) -> None:
    """Train I-PHYRE agents with several seeds and evaluate each on all fifty games.

    Every agent is evaluated with its best actions and, if it has a stochastic policy, also with
    five episodes of sampled actions, as in the released evaluation. An interrupted sweep resumes
    where it stopped.

    Examples:
      topple sweep configs/iphyre/*.toml --seeds 0,1,2 --runs results/iphyre

      topple sweep ppo-i a2c-i --smoke --ray

      topple sweep fusion-global fusion-object --seeds 0,1,2
    """
    with user_errors(), resumable():
        given = dict(parse_setting(text) for text in setting or ())
        split = split_named(games)
        configs = [
            learner_config(agent, split, seed, given, smoke)
            for seed in parse_numbers(seeds, "seeds")
            for agent in agents
        ]
        records = runs or paths.runs_folder()
        folder = trainings or paths.runs_folder() / TRAININGS
        far = use_ray or address is not None
        found = []
        with executor_of(use_ray, address) as executor, progress("sweep", 1) as bar:
            report = None if far else lambda config, point: _show(bar, config, point)
            if far:
                total = sum(len(scored_configs(config)) for config in configs)
                bar.update(bar.task_ids[0], total=total)
            for record in sweep_learners(configs, records, folder.absolute(), executor, report):
                found.append(record)
                bar.console.print(
                    f"{record.config.label} {record.config.seed}: {record.average.reward:.1f}"
                )
                if far:
                    bar.advance(bar.task_ids[0])
    show_game_runs(found, as_json)
