"""Training of I-PHYRE agents that takes long, and sweeps of it over agents and seeds.

A training folder holds ``checkpoint.pt``, from which training goes on after it was stopped.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path

from topple.iphyre.phases import GameLearner, GameReport
from topple.runs.registry import create_game_agent
from topple.runs.config import Setting
from topple.runs.executors import Executor
from topple.runs.game_config import GameRunConfig
from topple.runs.game_file import game_agent_config, load_game_agent_file
from topple.runs.game_run import generators, run_games
from topple.runs.game_store import GameRunRecord, read_game_record, write_game_record
from topple.runs.learner import CHECKPOINT, no_training
from topple.runs.record_files import CONFIG

EXPLORE = "explore"  # the setting of learners that can draw their plays from the policy
DRAWN = " explore"  # what labels of such runs end in
PASSES = 5  # over all games where plays are drawn, as the released evaluation does


def create_game_learner(name: str, settings: Mapping[str, Setting]) -> GameLearner:
    """A fresh agent of I-PHYRE that can be trained on its own.

    Raises:
        LookupError: There is no such agent.
        ValueError: It has no training of its own, or no such setting.
    """
    agent = create_game_agent(name, settings)
    if not isinstance(agent, GameLearner):
        raise no_training(name)
    return agent


def train_game_agent(
    agent: GameLearner, config: GameRunConfig, folder: Path, tensorboard: Path | None = None
) -> Iterator[GameReport]:
    """Train an agent for a run, or go on with training that was stopped.

    Args:
        agent: fresh, with the settings of the config.
        config: what it is trained for.
        folder: of this training.
        tensorboard: a folder for further logs.
    """
    folder.mkdir(parents=True, exist_ok=True)
    rng, _ = generators(config)
    yield from agent.learn(
        config.trained_on.games,
        config.rules,
        rng,
        folder / CHECKPOINT,
        run=config.to_data(),
        tensorboard=tensorboard,
    )


def load_trained_game_agent(
    path: Path, text: str, settings: Mapping[str, Setting]
) -> tuple[GameLearner, GameRunConfig]:
    """An agent with the weights of a checkpoint, and the run it was trained for.

    Args:
        path: the checkpoint.
        text: the agent by name or by its file.
        settings: for playing; those of training always come from the checkpoint.
    """
    name = load_game_agent_file(Path(text)).agent if text.endswith(".toml") else text
    agent = create_game_learner(name, settings)
    data = agent.load(path)
    try:
        trained = GameRunConfig.from_data(data)
    except (KeyError, TypeError):
        raise ValueError(f"{path} does not say what it was trained for; train it again") from None
    label = game_agent_config(text, replace(trained, label="")).label
    label = trained.label if text == trained.agent else label
    return agent, replace(trained, settings=agent.settings, label=label)


def scored_configs(config: GameRunConfig) -> list[GameRunConfig]:
    """How a trained agent is scored: by its best actions, and by drawing them if it can."""
    if EXPLORE not in create_game_learner(config.agent, config.settings).settings:
        return [config]
    drawn = {**config.settings, EXPLORE: True}
    return [config, replace(config, settings=drawn, plays=PASSES, label=f"{config.label}{DRAWN}")]


def train_and_score(
    config: GameRunConfig,
    folder: Path,
    report: Callable[[GameRunConfig, GameReport], None] | None = None,
) -> list[GameRunRecord]:
    """Train an agent, or go on with it, and let it play in all its ways.

    Args:
        config: what it is trained for.
        folder: of trainings; each has its own folder in it.
        report: called as training gets on.
    """
    agent = create_game_learner(config.agent, config.settings)
    for point in train_game_agent(agent, config, folder / config.name):
        if report is not None:
            report(config, point)
    made = partial(_trained, folder / config.name / CHECKPOINT)
    return [run_games(each, made) for each in scored_configs(config)]


def _trained(checkpoint: Path, config: GameRunConfig) -> GameLearner:
    agent = create_game_learner(config.agent, config.settings)
    agent.load(checkpoint)
    return agent


def sweep_learners(
    configs: Iterable[GameRunConfig],
    records: Path,
    trainings: Path,
    executor: Executor,
    report: Callable[[GameRunConfig, GameReport], None] | None = None,
) -> Iterator[GameRunRecord]:
    """Yield the records of each config, from disk or as its training is finished.

    Args:
        configs: what to train, such as some agents with some seeds each.
        records: folder of records.
        trainings: folder of trainings; on a cluster, one that all machines see.
        executor: where to train; one agent is one item.
        report: called as training gets on; only where all is done in this process.
    """
    missing = []
    for config in configs:
        found = [_finished(records, each) for each in scored_configs(config)]
        done = [record for record in found if record is not None]
        if len(done) < len(found):
            missing.append(config)
        else:
            yield from done
    work = partial(train_and_score, folder=trainings, report=report)
    for _, made in executor.map(work, missing):
        for record in made:
            write_game_record(records, record)
            yield record


def _finished(folder: Path, config: GameRunConfig) -> GameRunRecord | None:
    path = folder / config.name
    record = read_game_record(path) if (path / CONFIG).exists() else None
    return record if record is not None and record.config == config else None
