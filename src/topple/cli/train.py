"""`topple train`: train an agent of PHYRE on a fold, with checkpoints."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from topple import paths
from topple.cli.evaluate import parse_setting
from topple.cli.messages import Json, resumable, show_json, user_errors
from topple.cli.phyre_lab import Address, Cache, OnBackend, UseRay, laboratory
from topple.experiments.config import Part, RunConfig
from topple.experiments.row_file import agent_config
from topple.experiments.training import (
    CHECKPOINT,
    DEV_SCORES,
    create_learner,
    train_agent,
    trained_config,
)
from topple.phyre.fold import Setup

app = typer.Typer(add_completion=False)

_TRAINING = "training"  # folder among the runs
_SMOKE_SCORES = 3  # on dev tasks, in a short training


@app.command()
def train(
    agent: Annotated[
        str, typer.Option(help="dqn, dqn-o, a file like configs/phyre/dqn.toml, or module:Class.")
    ],
    setup: Annotated[str, typer.Option(help="Tier and split, such as ball_within.")],
    fold: Annotated[int, typer.Option(help="0 to 9.")] = 0,
    part: Annotated[
        Part, typer.Option(help="What it is for: test learns from train and dev, dev from train.")
    ] = Part.TEST,
    setting: Annotated[
        list[str] | None, typer.Option("--set", "-s", help="A setting of the agent, NAME=VALUE.")
    ] = None,
    smoke: Annotated[
        bool, typer.Option("--smoke", help="A small network and little data: a minute on a CPU.")
    ] = False,
    minutes: Annotated[
        float | None, typer.Option(min=0.01, help="Of updates at most; fewer are made if needed.")
    ] = None,
    dev_scores: Annotated[
        int | None, typer.Option(min=0, help="How often dev tasks are scored on the way.")
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Of all random choices.")] = 0,
    out: Annotated[
        Path | None, typer.Option(help="Folder of the training; one among the runs by default.")
    ] = None,
    cache: Cache = None,
    use_ray: UseRay = False,
    address: Address = None,
    backend: OnBackend = "auto",
    as_json: Json = False,
) -> None:
    """Train an agent that learns for long, and keep its weights.

    Stopped, the same command goes on where it was. Score the weights with `topple evaluate`.

    Examples:
      topple train --agent dqn --setup ball_within --fold 0 --smoke

      topple train --agent configs/phyre/dqn.toml --setup ball_cross -s actions=10000
    """
    with user_errors(), resumable():
        given = dict(parse_setting(text) for text in setting or ())
        config = agent_config(agent, RunConfig("", Setup.parse(setup), fold, {}, part, seed))
        small = create_learner(config.agent, {}).smoke if smoke else {}
        config = replace(config, settings={**config.settings, **small, **given})
        learner = create_learner(config.agent, config.settings)
        folder = out or paths.runs_folder() / _TRAINING / config.name
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
