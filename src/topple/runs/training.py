"""Long trainings: with progress, checkpoints and scores on dev tasks; and sweeps of them.

A training folder holds ``checkpoint.pt``, from which an interrupted training resumes, and
``progress.csv`` with a line per report.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from importlib import resources
from pathlib import Path
from typing import Any, NamedTuple

from topple.files import whole_file
from topple.runs.agent import Learner, Report, Setting, TrainingOptions
from topple.runs.benchmark import config_from_data, find_benchmark
from topple.runs.config import RunConfig
from topple.runs.executors import Executor
from topple.runs.record import RunRecord, write_record
from topple.runs.registry import create_learner
from topple.runs.runner import Runner, finished_record
from topple.runs.spec import find_spec

CHECKPOINT = "checkpoint.pt"
PROGRESS = "progress.csv"
INCLUDED = "included"  # in place of a path: the checkpoint that comes with the package
DEV_SCORES = 10  # dev tasks are scored so often, at even distances


class Progress(NamedTuple):
    """The state of a training."""

    report: Report
    dev_score: float | None  # a score on some dev tasks, now and then


def train_agent(
    agent: Learner[Any, Any],
    config: RunConfig[Any],
    runner: Runner,
    folder: Path,
    *,
    minutes: float | None = None,
    dev_scores: int = 0,
    tensorboard: Path | None = None,
) -> Iterator[Progress]:
    """Train an agent for a run, or resume a training that was interrupted.

    Args:
        agent: a fresh agent with the settings of the config.
        config: what it is trained for.
        runner: where outcomes come from.
        folder: the folder of this training.
        minutes: an approximate limit of the training time.
        dev_scores: how often dev tasks are scored; 0 for never. If the run learns from its dev
            tasks as well, as published test runs do, these scores show the fit, not the skill.
        tensorboard: a folder for further logs.
    """
    folder.mkdir(parents=True, exist_ok=True)
    benchmark = find_benchmark(config.benchmark)
    log = _ProgressLog(folder / PROGRESS)
    due = 1
    options = TrainingOptions(folder / CHECKPOINT, config.to_data(), minutes, tensorboard)
    for report in agent.learn(benchmark.training(config, runner), options):
        dev = None
        reached = 0 if report.preparing else report.done * dev_scores // report.planned
        if dev_scores and reached >= due:
            dev, due = benchmark.dev_score(agent, config, runner), reached + 1
        log.add(report, dev)
        yield Progress(report, dev)


def trained_config(agent: Learner[Any, Any], config: RunConfig[Any]) -> RunConfig[Any]:
    """The config with all settings as they were used, such as the updates really made."""
    return replace(config, settings=agent.settings)


def included_checkpoints(benchmark: str) -> dict[str, Path]:
    """The checkpoints that come with the package, by the names of their agents."""
    folder = resources.files(f"topple.{benchmark}").joinpath("checkpoints")
    with resources.as_file(folder) as path:
        return {each.stem: each for each in sorted(path.glob("*.pt"))}


def find_checkpoint(path: Path, benchmark: str, text: str) -> Path:
    """The checkpoint that a path, or the word `included`, stands for.

    Args:
        path: as a user gives it.
        benchmark: the benchmark of the agent.
        text: the agent's name or its TOML file.

    Raises:
        ValueError: No checkpoint of the agent comes with the package.
    """
    if str(path) != INCLUDED:
        return path
    agent = find_spec(text, benchmark).agent
    known = included_checkpoints(benchmark)
    if agent not in known:
        others = f"the package includes {', '.join(known)}" if known else "none is included"
        raise ValueError(
            f"no checkpoint of {agent!r} is included for {benchmark} ({others}); "
            "train one with `topple train`"
        )
    return known[agent]


def load_trained(
    path: Path, benchmark: str, text: str, settings: Mapping[str, Setting]
) -> tuple[Learner[Any, Any], RunConfig[Any]]:
    """Load an agent from a checkpoint, and the config of the run it was trained for.

    Args:
        path: the checkpoint.
        benchmark: the benchmark of the agent.
        text: the agent's name or its TOML file. An agent of another name than the trained one
            can use its weights, too: DQN-O those of DQN.
        settings: settings for acting. Those of training always come from the checkpoint; others
            come from the file, or are as in training if the agent is the same.
    """
    spec = find_spec(text, benchmark)
    data = create_learner(benchmark, spec.agent).load(path)
    try:
        trained = config_from_data(data)
    except (KeyError, TypeError, ValueError):
        raise ValueError(f"{path} does not say what it was trained for; train it again") from None
    if text == trained.agent:
        config = replace(trained, settings={**trained.settings, **settings})
    else:
        config = spec.config(trained.selection, settings, seed=trained.seed)
        config = replace(config, attempts=trained.attempts)
    agent = create_learner(benchmark, config.agent, config.settings)
    agent.load(path)
    return agent, trained_config(agent, config)


def train_and_score(
    config: RunConfig[Any],
    runner: Runner,
    folder: Path,
    report: Callable[[RunConfig[Any], Report], None] | None = None,
) -> list[RunRecord[Any, Any]]:
    """Train an agent, or resume its training, and score it in all its ways.

    Args:
        config: what it is trained for.
        runner: where outcomes come from.
        folder: the folder of trainings; each has a folder of its own in it.
        report: called as the training proceeds.
    """
    agent = create_learner(config.benchmark, config.agent, config.settings)
    for progress in train_agent(agent, config, runner, folder / config.name):
        if report is not None:
            report(config, progress.report)
    records = []
    for scored in find_benchmark(config.benchmark).scored_configs(config):
        trained = create_learner(scored.benchmark, scored.agent, scored.settings)
        trained.load(folder / config.name / CHECKPOINT)
        records.append(runner.run(scored, trained))
    return records


def sweep_learners(
    configs: Iterable[RunConfig[Any]],
    records: Path,
    trainings: Path,
    executor: Executor,
    runner: Runner,
    report: Callable[[RunConfig[Any], Report], None] | None = None,
) -> Iterator[RunRecord[Any, Any]]:
    """Yield the records of each config, from disk or when its training is finished.

    Args:
        configs: what to train, such as some agents with some seeds each.
        records: the folder of records.
        trainings: the folder of trainings; on a cluster, one that all machines see.
        executor: where to train; one agent is one item.
        runner: how each agent is run; it travels to the executor's workers.
        report: called as trainings proceed, if all is done in this process.
    """
    missing = []
    for config in configs:
        scored = find_benchmark(config.benchmark).scored_configs(config)
        found = [finished_record(each, records) for each in scored]
        if None in found:
            missing.append(config)
        else:
            yield from (record for record in found if record is not None)
    work = partial(train_and_score, runner=runner, folder=trainings, report=report)
    for _, made in executor.map(work, missing):
        for record in made:
            write_record(records, record)
            yield record


class _ProgressLog:
    """The file of reports; when a training resumes, later lines are written again."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._rows: list[list[str]] = []
        if path.exists():
            with path.open(newline="") as file:
                self._rows = [row for row in csv.reader(file) if row and row[0].isdigit()]

    def add(self, report: Report, dev: float | None) -> None:
        if report.preparing:
            return
        values = (report.rate, report.loss, report.learning_rate, report.reward, report.solved, dev)
        cells = ["" if value is None else f"{value:.6g}" for value in values]
        row = [str(report.done), str(report.planned), *cells]
        self._rows = [old for old in self._rows if int(old[0]) < report.done] + [row]
        header = [name for name in Report._fields if name != "preparing"] + ["dev_score"]
        with whole_file(self._path) as temporary, temporary.open("w", newline="") as file:
            csv.writer(file, lineterminator="\n").writerows([header, *self._rows])
