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

from topple.files import whole_file
from topple.phyre.engine.backend import check_backend
from topple.phyre.fold import Setup, Split
from topple.phyre.published import published_auccess
from topple.phyre.selection import Part
from topple.runs.agent import Setting
from topple.runs.config import RunConfig
from topple.runs.learner import CHECKPOINT
from topple.runs.row_file import load_row
from topple.runs.runner import Runner
from topple.runs.store import write_record
from topple.runs.table2 import Row
from topple.runs.training import (
    PROGRESS,
    create_learner,
    load_trained,
    train_agent,
    trained_config,
)

CONFIGS = Path(__file__).resolve().parents[1] / "configs" / "phyre"


def say(text: str) -> None:
    print(f"[{time.strftime('%H:%M:%S')}] {text}", flush=True)


def simulation_progress() -> Any:
    """Says now and then how far the simulation of outcomes is."""
    last = 0.0

    def report(done: int, total: int) -> None:
        nonlocal last
        if time.monotonic() - last > 10 or done == total:
            last = time.monotonic()
            say(f"simulated {done:,} of {total:,} missing outcomes")

    return report


def device_name(device: str) -> str:
    if device == "cuda":
        return str(torch.cuda.get_device_name())
    return platform.processor() or platform.machine()


def overrides(arguments: argparse.Namespace) -> dict[str, Setting]:
    """Settings given on the command line, which go before those of the config file."""
    given: dict[str, Setting] = {
        name: getattr(arguments, name)
        for name in ("actions", "updates", "rank", "share", "batch", "width", "image_size")
        if getattr(arguments, name) is not None
    }
    if arguments.compile:
        given["compile"] = True
    return given


def score(
    lab: Runner,
    row: Row,
    config: RunConfig,
    checkpoint: Path,
    out: Path,
    given: dict[str, Setting],
) -> dict[str, Any]:
    """Let a trained agent act, keep the record, and sum it up."""
    settings = {**row.settings[config.setup], **given}
    agent, trained = load_trained(checkpoint, row.agent, settings)
    scored = replace(trained, label=config.label, tasks=config.tasks)
    start = time.monotonic()
    record = lab.run(scored, agent)
    seconds = time.monotonic() - start
    write_record(out / "records", record, attempts=False)
    published = None
    if config.part is Part.TEST:
        published = published_auccess(config.label, config.setup, config.fold)
    say(
        f"{config.label} {given} {config.setup.value} fold {config.fold} {config.part.value}: "
        f"AUCCESS {record.auccess:.4f} (published {published}), solved within 1, 10, 100 attempts: "
        f"{record.curve[0]:.3f} {record.curve[9]:.3f} {record.curve[99]:.3f}, {seconds:.0f} s"
    )
    return {
        "label": config.label,
        "given": given,
        "auccess": record.auccess,
        "published": published,
        "solved_at": {k: float(record.curve[k - 1]) for k in (1, 10, 100)},
        "seconds_acting": seconds,
        "record": scored.name,
    }


def variants(
    rows: list[Row], setup: Setup, arguments: argparse.Namespace
) -> Iterator[tuple[Row, dict[str, Setting]]]:
    """Who acts with the trained weights: every row as it is, then with settings to be tried."""
    for row in rows:
        if row is not rows[0] and setup.split is Split.WITHIN_TEMPLATE and not arguments.vary:
            continue  # best without updates there, and then the same as the first
        if not arguments.vary:
            yield row, {}
        for text in arguments.vary:
            name, _, values = text.partition("=")
            for value in values.split(","):
                yield row, {name: float(value) if "." in value else int(value)}


def run_setup(
    setup: Setup, lab: Runner, out: Path, rows: list[Row], arguments: argparse.Namespace
) -> None:
    """Train once, score every agent that can use the weights, write a summary."""
    first = rows[0]
    given = overrides(arguments)
    config = RunConfig(
        first.agent,
        setup,
        arguments.fold,
        {**first.settings[setup], **given},
        Part(arguments.part),
        arguments.seed,
        label=first.label,
        tasks=arguments.tasks,
    )
    name = first.label.lower().replace(" ", "-")
    name += f"_{setup.value}_{config.part.value}_{config.fold}_{config.seed}"
    folder = (arguments.work or out) / name
    agent = create_learner(config.agent, config.settings)
    start = time.monotonic()
    say(f"training {first.label} on {setup.value} fold {config.fold}: {agent.settings}")
    last, begun = 0.0, 0.0
    updates = 0
    for progress in train_agent(
        agent, config, lab, folder, minutes=arguments.minutes, dev_scores=arguments.dev_scores
    ):
        report = progress.report
        begun = begun or time.monotonic()
        updates = report.done
        if progress.dev is not None or time.monotonic() - last > 10:
            last = time.monotonic()
            dev = "" if progress.dev is None else f", dev AUCCESS {progress.dev:.4f}"
            say(
                f"update {report.done:,} of {report.planned:,}, loss {report.loss:.4f}, "
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
    for row, tried in variants(rows, setup, arguments):
        # Reports take one test result of a label.
        mark = "".join(f" ({name} {value})" for name, value in tried.items())
        label = row.label + (mark if config.part is Part.TEST else "")
        named = replace(config, label=label)
        summary["scores"].append(
            score(lab, row, named, folder / CHECKPOINT, out, {**given, **tried})
        )
        with whole_file(file) as temporary:
            temporary.write_text(json.dumps(summary, indent=1, sort_keys=True) + "\n")
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
        help="act with these values of a setting instead, such as rank=10,100,1000",
    )
    parser.add_argument("--tasks", type=int, help="score only so many tasks")
    for name in ("actions", "updates", "rank", "share", "batch", "width", "image-size"):
        parser.add_argument(f"--{name}", type=int, help="instead of the config's")
    parser.add_argument("--compile", action="store_true", help="train through torch.compile")
    arguments = parser.parse_args()
    rows = [load_row(path) for path in arguments.configs]
    lab = Runner(
        arguments.cache, progress=simulation_progress(), backend=check_backend(arguments.backend)
    )
    for name in arguments.setups.split(","):
        run_setup(Setup.parse(name), lab, arguments.out, rows, arguments)


if __name__ == "__main__":
    main()
