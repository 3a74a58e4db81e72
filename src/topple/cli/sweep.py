"""`topple sweep`: train agents with several seeds and evaluate each."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from topple import paths
from topple.cli import complete
from topple.cli.errors import resumable
from topple.cli.options import (
    Cluster,
    Runs,
    Seeds,
    Settings,
    Smoke,
    TrainingSplit,
    free_folder,
    parse_numbers,
    parse_settings,
)
from topple.cli.output import Output
from topple.cli.progress import progress_bar
from topple.cli.run_tables import runs_output
from topple.cli.runner import executor_of
from topple.cli.train import TRAININGS, Trained, describe, learner_config
from topple.runs.agent import Report
from topple.runs.benchmark import find_benchmark
from topple.runs.config import RunConfig
from topple.runs.runner import Runner
from topple.runs.training import sweep_learners


@resumable()
def sweep(
    *,
    agents: Annotated[list[str], typer.Argument(autocompletion=complete.one_of(complete.agents))],
    seeds: Seeds = "0",
    games: Annotated[str, TrainingSplit] = "basic",
    setting: Settings = None,
    smoke: Smoke = False,
    runs: Runs = None,
    trainings: Annotated[Path | None, typer.Option(callback=free_folder)] = None,
    cluster: Cluster,
) -> Output:
    """Train I-PHYRE agents with several seeds and evaluate each on all fifty games.

    Every agent is evaluated with its best actions and, if it has a stochastic
    policy, also with five episodes of sampled actions, as in the released
    evaluation. An interrupted sweep resumes where it stopped.

    Options:
        agents: I-PHYRE agents, or configuration files such as configs/iphyre/ppo-i.toml.
        trainings: Folder for checkpoints. The default is a folder under `runs/training`.

    Examples:
      topple sweep configs/iphyre/*.toml --seeds 0,1,2 --runs results/iphyre
      topple sweep ppo-i a2c-i --smoke --ray
      topple sweep fusion-global fusion-object --seeds 0,1,2
    """
    given = parse_settings(setting)
    selection = Trained(games=games).selection()
    configs = [
        learner_config(agent, selection, seed, given, smoke)
        for seed in parse_numbers(seeds, "seeds")
        for agent in agents
    ]
    benchmark = find_benchmark(selection.benchmark)
    records = runs or paths.runs_folder()
    folder = (trainings or paths.runs_folder() / TRAININGS).absolute()
    runner = Runner(paths.cache_folder())
    found = []
    with executor_of(cluster) as executor, progress_bar("sweep", 1) as bar:

        def report(config: RunConfig[Any], point: Report) -> None:
            bar.describe(describe(config, point))
            bar.report(point.done, point.planned)

        if cluster.remote:
            total = sum(len(benchmark.scored_configs(config)) for config in configs)
            bar.start("sweep", total)
        for record in sweep_learners(
            configs, records, folder, executor, runner, None if cluster.remote else report
        ):
            found.append(record)
            name = f"{record.config.title} {record.config.seed}"
            bar.note(f"{name}: {benchmark.headline(record)}")
            if cluster.remote:
                bar.advance()
    return runs_output(found)
