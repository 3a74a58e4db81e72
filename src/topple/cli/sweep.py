"""`topple sweep`: train agents with several seeds, and score each."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from topple import paths
from topple.cli import complete
from topple.cli.evaluate import parse_setting
from topple.cli.messages import progress, resumable, user_errors
from topple.cli.options import (
    Cluster,
    Json,
    Runs,
    Seeds,
    Settings,
    Smoke,
    TrainingSplit,
    free_folder,
    option_groups,
)
from topple.cli.phyre_lab import executor_of, parse_numbers
from topple.cli.run_tables import show_runs
from topple.cli.train import TRAININGS, Trained, describe, learner_config
from topple.runs.agent import Report
from topple.runs.benchmark import find_benchmark
from topple.runs.config import RunConfig
from topple.runs.runner import Runner
from topple.runs.training import sweep_learners

app = typer.Typer(add_completion=False)


@app.command()
@option_groups
def sweep(
    *,
    agents: Annotated[
        list[str],
        typer.Argument(
            help="Agents of I-PHYRE, or files like configs/iphyre/ppo-i.toml.",
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
    cluster: Cluster,
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
        remote = cluster.use_ray or cluster.address is not None
        found = []
        with executor_of(cluster) as executor, progress("sweep", 1) as bar:
            task = bar.task_ids[0]

            def report(config: RunConfig[Any], point: Report) -> None:
                text = describe(config, point)
                bar.update(task, description=text, completed=point.done, total=point.planned)

            if remote:
                total = sum(len(benchmark.scored_configs(config)) for config in configs)
                bar.update(task, total=total)
            for record in sweep_learners(
                configs, records, folder, executor, runner, None if remote else report
            ):
                found.append(record)
                name = f"{record.config.title} {record.config.seed}"
                bar.console.print(f"{name}: {benchmark.headline(record)}")
                if remote:
                    bar.advance(task)
    show_runs(found, as_json)
