"""`topple train`: train an agent of PHYRE on a fold, or of I-PHYRE on games, with checkpoints."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from topple import paths
from topple.cli.evaluate import parse_setting
from topple.cli.iphyre_training import TRAININGS, train_on_games
from topple.cli.messages import resumable, show_json, user_errors
from topple.cli.options import (
    Address,
    AgentName,
    Backend,
    Cache,
    FoldNumber,
    Json,
    ScoredPart,
    Seed,
    Settings,
    SetupName,
    Smoke,
    TrainingSplit,
    UseRay,
    out_folder,
)
from topple.cli.phyre_lab import laboratory
from topple.phyre.fold import Setup
from topple.runs.config import Part, RunConfig
from topple.runs.learner import CHECKPOINT
from topple.runs.row_file import agent_config
from topple.runs.training import (
    DEV_SCORES,
    create_learner,
    train_agent,
    trained_config,
)

app = typer.Typer(add_completion=False)

_SMOKE_SCORES = 3  # on dev tasks, in a short training


@app.command()
def train(
    agent: AgentName,
    setup: SetupName = None,
    games: Annotated[str | None, TrainingSplit] = None,
    fold: FoldNumber = 0,
    part: ScoredPart = Part.TEST,
    setting: Settings = None,
    smoke: Smoke = False,
    minutes: Annotated[
        float | None, typer.Option(min=0.01, help="Maximum minutes of PHYRE training.")
    ] = None,
    dev_scores: Annotated[
        int | None,
        typer.Option(min=0, help="Number of PHYRE evaluations on dev tasks during training."),
    ] = None,
    seed: Seed = 0,
    out: Annotated[
        Path | None,
        out_folder(
            "the checkpoint and the training curve. The default is a folder under `runs/training`"
        ),
    ] = None,
    tensorboard: Annotated[
        Path | None,
        typer.Option(
            help="Folder for TensorBoard logs of I-PHYRE training; requires the package "
            "tensorboard."
        ),
    ] = None,
    cache: Cache = None,
    use_ray: UseRay = False,
    address: Address = None,
    backend: Backend = "auto",
    as_json: Json = False,
) -> None:
    """Train an agent on a PHYRE fold or an I-PHYRE split and save a checkpoint.

    An interrupted training resumes where it stopped. `topple evaluate` evaluates the checkpoint.

    Examples:
      topple train --agent dqn --setup ball_within --fold 0 --smoke

      topple train --agent configs/phyre/dqn.toml --setup ball_cross -s actions=10000

      topple train --agent configs/iphyre/ppo-i-tuned.toml --games basic
    """
    with user_errors(), resumable():
        given = dict(parse_setting(text) for text in setting or ())
        if games is not None:
            if setup is not None:
                raise ValueError("give --setup, for PHYRE, or --games, for I-PHYRE, not both")
            if minutes is not None or dev_scores is not None:
                raise ValueError("--minutes and --dev-scores are for PHYRE; leave them out")
            train_on_games(agent, games, seed, given, smoke, out, tensorboard, as_json)
            return
        if setup is None:
            raise ValueError("give either --setup, for PHYRE, or --games, for I-PHYRE")
        if tensorboard is not None:
            raise ValueError("--tensorboard is for I-PHYRE; leave it out")
        config = agent_config(agent, RunConfig("", Setup.parse(setup), fold, {}, part, seed))
        small = create_learner(config.agent, {}).smoke if smoke else {}
        config = replace(config, settings={**config.settings, **small, **given})
        learner = create_learner(config.agent, config.settings)
        folder = out or paths.runs_folder() / TRAININGS / config.name
        scores = dev_scores if dev_scores is not None else _SMOKE_SCORES if smoke else DEV_SCORES
        seen = " (learned)" if part is Part.TEST else ""
        dev: float | None = None
        with laboratory(cache, use_ray, address, backend) as (lab, bar):
            bar.name("outcomes")
            for progress in train_agent(
                learner, config, lab, folder, minutes=minutes, dev_scores=scores
            ):
                report = progress.report
                bar.describe(f"{config.label} loss {report.loss:.4f}")
                bar.report(report.done, report.planned)
                if progress.dev is not None:
                    dev = progress.dev
                    bar.note(
                        f"update {report.done:,}: loss {report.loss:.4f}, "
                        f"{report.rate:,.1f} updates/s, dev AUCCESS {dev:.4f}{seen}"
                    )
    checkpoint = folder / CHECKPOINT
    if as_json:
        data = trained_config(learner, config).to_data()
        show_json({"config": data, "checkpoint": str(checkpoint), "dev_auccess": dev})
    else:
        typer.echo(f"{checkpoint}\nnext: topple evaluate --agent {agent} --checkpoint {checkpoint}")
