"""Training that takes long: with progress, a checkpoint, and scores on dev tasks on the way.

A training folder holds ``checkpoint.pt``, from which training goes on after it was stopped, and
``progress.csv``, a line per report.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from topple.runs.agent import Learner, Report
from topple.runs.registry import create_agent
from topple.runs.config import Part, RunConfig, Setting
from topple.runs.learner import CHECKPOINT, no_training
from topple.runs.row_file import agent_config, load_row
from topple.runs.run import Laboratory
from topple.files import whole_file
from topple.phyre.auccess import auccess

PROGRESS = "progress.csv"
DEV_TASKS = 100  # scored on the way
DEV_SCORES = 10  # on the way, at even distances


class Progress(NamedTuple):
    """Where training stands."""

    report: Report
    dev: float | None  # AUCCESS on some dev tasks, now and then


def create_learner(name: str, settings: Mapping[str, Setting]) -> Learner:
    """A fresh agent that can be trained on its own.

    Raises:
        LookupError: There is no such agent.
        ValueError: It has no training of its own, or no such setting.
    """
    agent = create_agent(name, settings)
    if not isinstance(agent, Learner):
        raise no_training(name)
    return agent


def train_agent(
    agent: Learner,
    config: RunConfig,
    laboratory: Laboratory,
    folder: Path,
    *,
    minutes: float | None = None,
    dev_scores: int = DEV_SCORES,
) -> Iterator[Progress]:
    """Train an agent for a run, or go on with training that was stopped.

    Args:
        agent: fresh, with the settings of the config.
        config: what it is trained for. For ``Part.TEST`` it learns from dev tasks, too, as
            published; scores on dev tasks then tell how well it fits, not how well it does.
        laboratory: where outcomes come from.
        folder: of this training.
        minutes: at most about so long.
        dev_scores: how often dev tasks are scored; 0: never.
    """
    folder.mkdir(parents=True, exist_ok=True)
    lines = _Lines(folder / PROGRESS)
    due = 1
    for report in agent.learn(
        laboratory.training(config), folder / CHECKPOINT, run=config.to_data(), minutes=minutes
    ):
        dev = None
        reached = report.done * dev_scores // report.planned
        if dev_scores and reached >= due:
            dev, due = dev_score(agent, config, laboratory), reached + 1
        lines.add(report, dev)
        yield Progress(report, dev)


def dev_score(agent: Learner, config: RunConfig, laboratory: Laboratory) -> float:
    """AUCCESS on some of the fold's dev tasks, with the weights of the moment."""
    testing = laboratory.testing(replace(config, part=Part.DEV, tasks=DEV_TASKS))
    agent.act(testing)
    return auccess(testing.log.first_solved())


def trained_config(agent: Learner, config: RunConfig) -> RunConfig:
    """The config with all settings as they were used, such as the updates really made."""
    return replace(config, settings=agent.settings)


def load_trained(
    path: Path, text: str, settings: Mapping[str, Setting]
) -> tuple[Learner, RunConfig]:
    """An agent with the weights of a checkpoint, and the run it was trained for.

    Args:
        path: the checkpoint.
        text: the agent by name or by the file of its row. One of another name than the trained
            one can use its weights, too: DQN-O those of DQN.
        settings: for acting; those of training always come from the checkpoint. Others come
            from the file, if there is one, or are as in training, if the agent is the same.
    """
    name = load_row(Path(text)).agent if text.endswith(".toml") else text
    data = create_learner(name, {}).load(path)
    try:
        trained = RunConfig.from_data(data)
    except (KeyError, TypeError):
        raise ValueError(f"{path} does not say what it was trained for; train it again") from None
    if text != trained.agent:
        trained = replace(trained, agent=text, settings={}, label=text)
    config = agent_config(text, replace(trained, settings={**trained.settings, **settings}))
    agent = create_learner(config.agent, config.settings)
    agent.load(path)
    return agent, trained_config(agent, config)


class _Lines:
    """The file of reports; of training that goes on, later lines are written again."""

    _HEADER = ("updates", "planned", "loss", "updates_per_second", "learning_rate", "dev_auccess")

    def __init__(self, path: Path) -> None:
        self._path = path
        self._rows: list[list[str]] = []
        if path.exists():
            with path.open(newline="") as file:
                self._rows = [row for row in csv.reader(file) if row and row[0].isdigit()]

    def add(self, report: Report, dev: float | None) -> None:
        row = [
            str(report.done),
            str(report.planned),
            f"{report.loss:.5f}",
            f"{report.rate:.2f}",
            f"{report.learning_rate:.3e}",
            "" if dev is None else f"{dev:.4f}",
        ]
        self._rows = [old for old in self._rows if int(old[0]) < report.done] + [row]
        with whole_file(self._path) as temporary, temporary.open("w", newline="") as file:
            csv.writer(file, lineterminator="\n").writerows([self._HEADER, *self._rows])
