r"""Train DQN on a fold and score it, on a machine that has little more than PyTorch.

One command trains a setup's network, scores DQN with it and, across templates, DQN-O, and
writes run records for `topple report` and a summary with wall times. It needs NumPy, SciPy,
Pillow and PyTorch beside the compiled package; no command line libraries. Stopped, the same
command goes on where it was.

    python benchmarks/dqn_fold.py --setups ball_within --cache CACHE --out OUT \
        --actions 10000 --minutes 5

CACHE is a folder of caches. Outcomes it does not hold are simulated first, on a GPU if there is
one and on all cores otherwise.
"""

from __future__ import annotations

import argparse
import json
import platform
import shutil
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import torch

from machine import say
from settings import varied_settings
from topple.files import write_whole
from topple.phyre.engine.backend import check_backend
from topple.phyre.fold import Setup
from topple.phyre.published import published_auccess
from topple.phyre.results import PhyreConfig
from topple.phyre.selection import Part, TaskSelection
from topple.runs.agent import Setting
from topple.runs.record import write_record
from topple.runs.registry import create_learner
from topple.runs.runner import Runner
from topple.runs.spec import AgentSpec, find_spec
from topple.runs.training import (
    CHECKPOINT,
    PROGRESS,
    load_trained,
    train_agent,
    trained_config,
)

CONFIGS = Path(__file__).resolve().parents[1] / "configs" / "phyre"


def simulation_progress() -> Any:
    """Says now and then how far the simulation of outcomes is."""
    last = 0.0

    def report(done: int, total: int) -> None:
        nonlocal last
        if time.monotonic() - last > 10 or done == total:
            last = time.monotonic()
            say(f"simulated {done:,} of {total:,} missing outcomes")

    return report


#: Settings that may be given on the command line.
OVERRIDES = (
    "actions",
    "updates",
    "rank_size",
    "attempts_per_task",
    "batch_size",
    "width",
    "image_size",
)


def device_name(device: str) -> str:
    if device == "cuda":
        return str(torch.cuda.get_device_name())
    return platform.processor() or platform.machine()


def overrides(arguments: argparse.Namespace) -> dict[str, Setting]:
    """Settings given on the command line, which go before those of the config file."""
    given: dict[str, Setting] = {
        name: getattr(arguments, name) for name in OVERRIDES if getattr(arguments, name) is not None
    }
    if arguments.compile:
        given["compile"] = True
    return given


def score(
    runner: Runner,
    spec: AgentSpec,
    config: PhyreConfig,
    checkpoint: Path,
    out: Path,
    given: dict[str, Setting],
) -> dict[str, Any]:
    """Let a trained agent act, keep the record, and sum it up."""
    selection = config.selection
    settings = {**spec.settings, **spec.groups.get(selection.group, {}), **given}
    agent, trained = load_trained(checkpoint, "phyre", spec.agent, settings)
    scored = replace(trained, label=spec.label, variant=config.variant, selection=selection)
    start = time.monotonic()
    record = runner.run(scored, agent)
    seconds = time.monotonic() - start
    write_record(out / "records", record, attempts=False)
    published = None
    comparable = spec.published and selection.part is Part.TEST
    if comparable and selection.setup and selection.fold is not None:
        published = published_auccess(spec.label, selection.setup, selection.fold)
    results = record.results
    say(
        f"{scored.title} {given} {selection.place}: AUCCESS {results.auccess:.4f} (published "
        f"{published}), solved within 1, 10, 100 attempts: {results.curve[0]:.3f} "
        f"{results.curve[9]:.3f} {results.curve[99]:.3f}, {seconds:.0f} s"
    )
    return {
        "label": scored.title,
        "given": given,
        "auccess": results.auccess,
        "published": published,
        "solved_at": {k: float(results.curve[k - 1]) for k in (1, 10, 100)},
        "seconds_acting": seconds,
        "record": scored.name,
    }


def variants(
    specs: list[AgentSpec], setup: Setup, arguments: argparse.Namespace
) -> Iterator[tuple[AgentSpec, dict[str, Setting]]]:
    """The agents that act with the trained weights: as they are, then with varied settings."""
    for spec in specs:
        online = spec.groups.get(setup.value, {}).get("online_updates")
        if online == 0 and not arguments.vary:
            continue  # best without updates there, and then the same as the first
        if not arguments.vary:
            yield spec, {}
        yield from ((spec, varied) for varied in varied_settings(arguments.vary))


def run_setup(
    setup: Setup,
    runner: Runner,
    out: Path,
    specs: list[AgentSpec],
    arguments: argparse.Namespace,
) -> None:
    """Train once, score every agent that can use the weights, write a summary."""
    first = specs[0]
    given = overrides(arguments)
    selection = TaskSelection(setup, arguments.fold, Part(arguments.part), arguments.tasks)
    config = first.config(selection, given, seed=arguments.seed)
    name = f"{first.label.lower().replace(' ', '-')}_{selection.place}_{config.seed}"
    folder = (arguments.work or out) / name
    agent = create_learner("phyre", config.agent, config.settings)
    start = time.monotonic()
    say(f"training {config.title} on {selection.place}: {agent.settings}")
    last, begun = 0.0, 0.0
    updates = 0
    for progress in train_agent(
        agent, config, runner, folder, minutes=arguments.minutes, dev_scores=arguments.dev_scores
    ):
        report = progress.report
        begun = begun or time.monotonic()
        updates = report.done
        if progress.dev_score is not None or time.monotonic() - last > 10:
            last = time.monotonic()
            dev = "" if progress.dev_score is None else f", dev AUCCESS {progress.dev_score:.4f}"
            say(
                f"update {report.done:,} of {report.planned:,}, loss {report.loss or 0:.4f}, "
                f"{report.rate:.1f}/s{dev}"
            )
    seconds = time.monotonic() - start
    failure = getattr(agent, "graph_failure", None)
    if failure:
        say(f"no CUDA graph: {failure}")
    settings = trained_config(agent, config).settings
    summary: dict[str, Any] = {
        "config": replace(config, settings=settings).to_data(),
        "device": device_name(str(settings["device"])),
        "torch": torch.__version__,
        "graph_failure": failure,
        "updates": settings["updates"],
        "seconds_training": seconds,
        "seconds_updates": time.monotonic() - begun if updates else 0.0,
        "scores": [],
    }
    file = out / f"{name}.json"
    if folder.parent != out and (folder / PROGRESS).exists():
        out.mkdir(parents=True, exist_ok=True)
        shutil.copy(folder / PROGRESS, out / f"{name}.csv")
    if not updates and file.exists():
        summary = json.loads(file.read_text())  # nothing was left to train
    for spec, tried in variants(specs, setup, arguments):
        # Reports take one test result of an agent and variant.
        varied = ", ".join(f"{name} {value}" for name, value in tried.items())
        is_test = selection.part is Part.TEST
        variant = (is_test and varied) or arguments.variant or spec.variant
        named = replace(config, variant=variant)
        summary["scores"].append(
            score(runner, spec, named, folder / CHECKPOINT, out, {**given, **tried})
        )
        write_whole(file, json.dumps(summary, indent=1, sort_keys=True) + "\n")
    say(f"done: {file}")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--setups", default="ball_within", help="by commas, such as two_balls_cross"
    )
    parser.add_argument("--fold", type=int, default=0)
    parser.add_argument("--part", default="test", choices=[part.value for part in Part])
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--cache", type=Path, required=True, help="folder of caches")
    parser.add_argument("--out", type=Path, required=True, help="folder for results")
    parser.add_argument("--work", type=Path, help="folder for checkpoints, if not in --out")
    parser.add_argument(
        "--configs",
        type=Path,
        nargs="+",
        default=[CONFIGS / "dqn.toml", CONFIGS / "dqn-o.toml"],
        help="the first is trained; the others act with its weights, too",
    )
    parser.add_argument("--backend", default="auto", help="simulate on: cpu, cuda or auto")
    parser.add_argument("--minutes", type=float, help="of each training, about; fewer updates")
    parser.add_argument("--dev-scores", type=int, default=0, help="on the way")
    parser.add_argument(
        "--vary",
        action="append",
        default=[],
        metavar="NAME=A,B",
        help="act with these values of a setting instead, such as rank_size=10,100,1000",
    )
    parser.add_argument("--variant", help="name of this run in tables, such as Baseline")
    parser.add_argument("--tasks", type=int, help="score only so many tasks")
    for name in OVERRIDES:
        option = f"--{name.replace('_', '-')}"
        parser.add_argument(option, type=int, help="value of this setting instead of the file's")
    parser.add_argument("--compile", action="store_true", help="train through torch.compile")
    arguments = parser.parse_args()
    specs = [find_spec(str(path), "phyre") for path in arguments.configs]
    runner = Runner(
        arguments.cache, progress=simulation_progress(), backend=check_backend(arguments.backend)
    )
    for name in arguments.setups.split(","):
        run_setup(Setup.parse(name), runner, arguments.out, specs, arguments)


if __name__ == "__main__":
    main()
