"""`topple train`: train an agent on a fold of PHYRE or on a split of I-PHYRE."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any

import typer

from topple import paths
from topple.cli.errors import resumable
from topple.cli.options import (
    AUTO,
    AgentName,
    Compute,
    FoldNumber,
    ScoredPart,
    Seed,
    Settings,
    SetupName,
    Smoke,
    TrainingSplit,
    out_folder,
    parse_settings,
)
from topple.cli.output import Output
from topple.cli.progress import Bar
from topple.cli.runner import open_runner
from topple.iphyre import ALL, split_named
from topple.iphyre.selection import GameSelection
from topple.phyre.fold import Setup
from topple.phyre.selection import Part, TaskSelection
from topple.runs.agent import Report, Setting
from topple.runs.config import RunConfig
from topple.runs.registry import create_learner
from topple.runs.spec import find_spec
from topple.runs.training import CHECKPOINT, DEV_SCORES, Progress, train_agent, trained_config

TRAININGS = "training"  # in the folder of runs


_SMOKE_SCORES = 3  # evaluations on dev tasks in a short training


@dataclass(frozen=True)
class Trained:
    """Options that select the tasks or games to train on."""

    setup: SetupName = None
    games: Annotated[str | None, TrainingSplit] = None
    fold: FoldNumber = 0
    part: ScoredPart = Part.TEST

    def selection(self) -> TaskSelection | GameSelection:
        """Return the tasks or games.

        Raises:
            ValueError: Neither benchmark is chosen, or both are.
        """
        if self.setup is not None and self.games is None:
            return TaskSelection(Setup.parse(self.setup), self.fold, self.part)
        if self.games is not None and self.setup is None:
            return GameSelection(tuple(game.name for game in ALL), split_named(self.games))
        raise ValueError("give either --setup, for PHYRE, or --games, for I-PHYRE")


def learner_config(
    agent: str,
    selection: TaskSelection | GameSelection,
    seed: int,
    given: Mapping[str, Setting],
    smoke: bool,
) -> RunConfig[Any]:
    """Return the config of a training.

    Raises:
        ValueError: The agent has no training of its own, or no such setting.
    """
    spec = find_spec(agent, selection.benchmark)
    small = create_learner(selection.benchmark, spec.agent).smoke if smoke else {}
    config = spec.config(selection, {**small, **given}, seed=seed)
    create_learner(config.benchmark, config.agent, config.settings)  # so that errors show at once
    return replace(config, variant="smoke") if smoke else config


def describe(config: RunConfig[Any], report: Report) -> str:
    """Describe the state of a training for its progress bar."""
    if report.preparing:
        return f"{config.title} {config.seed}: preparing data"
    if report.loss is not None:
        return f"{config.title} {config.seed}: loss {report.loss:.4f}"
    reward, solved = report.reward or 0.0, report.solved or 0.0
    return f"{config.title} {config.seed}: reward {reward:.0f}, {solved:.0%} solved"


@resumable()
def train(
    *,
    agent: AgentName,
    trained: Trained,
    setting: Settings = None,
    smoke: Smoke = False,
    minutes: Annotated[float | None, typer.Option(min=0.01)] = None,
    dev_scores: Annotated[int | None, typer.Option(min=0)] = None,
    seed: Seed = 0,
    out: Annotated[
        Path | None,
        out_folder(
            "the checkpoint and the training curve. The default is a folder under `runs/training`"
        ),
    ] = None,
    tensorboard: Path | None = None,
    compute: Compute = AUTO,
) -> Output:
    """Train an agent on a PHYRE fold or an I-PHYRE split and save a checkpoint.

    An interrupted training resumes where it stopped. `topple evaluate` evaluates the checkpoint.

    Options:
        minutes: Maximum minutes of PHYRE training.
        dev_scores: Number of PHYRE evaluations on dev tasks during training.
        tensorboard: Folder for TensorBoard logs of I-PHYRE training; requires the package
            tensorboard.

    Examples:
      topple train --agent dqn --setup ball_within --fold 0 --smoke
      topple train --agent configs/phyre/dqn.toml --setup ball_cross -s actions=10000
      topple train --agent configs/iphyre/ppo-i-tuned.toml --games basic
    """
    given = parse_settings(setting)
    selection = trained.selection()
    games = isinstance(selection, GameSelection)
    if games and (minutes is not None or dev_scores is not None):
        raise ValueError("--minutes and --dev-scores are for PHYRE; leave them out")
    if tensorboard is not None and not games:
        raise ValueError("--tensorboard is for I-PHYRE; leave it out")
    config = learner_config(agent, selection, seed, given, smoke)
    learner = create_learner(config.benchmark, config.agent, config.settings)
    folder = out or paths.runs_folder() / TRAININGS / config.name
    if dev_scores is None:
        dev_scores = 0 if games else _SMOKE_SCORES if smoke else DEV_SCORES
    with open_runner(compute) as (runner, bar):
        training = train_agent(
            learner,
            config,
            runner,
            folder,
            minutes=minutes,
            dev_scores=dev_scores,
            tensorboard=tensorboard,
        )
        report, score = _follow(training, config, bar)
    if report is None and (history := getattr(learner, "history", None)):
        report = history[-1]  # the training was finished before
    checkpoint = folder / CHECKPOINT
    reported = {} if report is None else report._asdict()
    more = " --games all" if games else ""
    return Output(
        {
            "config": trained_config(learner, config).to_data(),
            "checkpoint": str(checkpoint),
            "dev_score": score,
            "training": {name: each for name, each in reported.items() if each is not None},
        },
        f"{checkpoint}",
        f"next: topple evaluate --agent {agent} --checkpoint {checkpoint}{more}",
    )


def _follow(
    training: Iterable[Progress], config: RunConfig[Any], bar: Bar
) -> tuple[Report | None, float | None]:
    """Show a training as it proceeds; return its last report and its last score on dev tasks."""
    report: Report | None = None
    score: float | None = None
    # Agents that are evaluated on test tasks also learn from the dev tasks.
    learned = " (learned)" if getattr(config.selection, "part", None) is Part.TEST else ""
    bar.start("outcomes")
    for report, dev_score in training:
        bar.describe(describe(config, report))
        bar.report(report.done, report.planned)
        if dev_score is not None:
            score = dev_score
            bar.note(
                f"update {report.done:,}: loss {report.loss or 0:.4f}, "
                f"{report.rate:,.1f} updates/s, dev AUCCESS {score:.4f}{learned}"
            )
    return report, score
