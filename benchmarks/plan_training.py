r"""Train a classifier of plans and let it play, on a machine that has little more than PyTorch.

One command plays plans on games put together for training, on all cores, fits the classifier, on a
GPU if there is one, and plays the forty games and the ten unseen ones with one play of each and
with five. Run records for `topple report` and a summary are written as results come. It needs what
`dqn_fold.py` needs.

    python benchmarks/plan_training.py --agent configs/iphyre_models/fusion-attention-large.toml \
        --out OUT --work WORK
    python benchmarks/plan_training.py --agent configs/iphyre_models/fusion-attention-felt.toml \
        --set scrambled=100 --set variants=2 --set n_epochs=1 --out OUT --work WORK
"""

from __future__ import annotations

import argparse
import json
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

from dqn_fold import device_name
from machine import say
from settings import read_setting, varied_settings
from topple.files import write_whole
from topple.iphyre.games import ALL
from topple.iphyre.selection import GameSelection
from topple.iphyre.split import PUBLISHED_SPLITS
from topple.paths import cache_folder
from topple.runs.device import AUTO
from topple.runs.record import write_record
from topple.runs.registry import create_learner
from topple.runs.runner import Runner
from topple.runs.spec import find_spec
from topple.runs.training import CHECKPOINT, load_trained, train_agent

PLAYS = (1, 5)  # of each game, as agents and as people had
SAID_SECONDS = 10.0  # between two lines on progress


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--agent", required=True, help="TOML file of the agent to train.")
    parser.add_argument("--seed", type=int, default=0, help="Seed of weights and batches.")
    parser.add_argument("--out", type=Path, required=True, help="Folder for results.")
    parser.add_argument("--work", type=Path, required=True, help="Folder for the checkpoint.")
    parser.add_argument(
        "--set", action="append", default=[], metavar="NAME=VALUE", help="Use this setting instead."
    )
    parser.add_argument(
        "--vary", action="append", default=[], metavar="NAME=A,B", help="Play with these values."
    )
    parser.add_argument(
        "--minutes",
        type=float,
        help="Make as many epochs as fit into the rest of so many minutes, whatever n_epochs says.",
    )
    parser.add_argument("--hz", type=int, help="Ticks per second of plays, if not as in training.")
    arguments = parser.parse_args()
    spec = find_spec(arguments.agent, "iphyre")
    given = {"device": AUTO, **dict(map(read_setting, arguments.set))}
    agent = create_learner("iphyre", spec.agent, {**spec.settings, **given})
    hz = arguments.hz or agent.settings["hz"]
    names = tuple(game.name for game in ALL)
    config = spec.config(GameSelection(names, hz=hz), given, seed=arguments.seed)
    runner = Runner(cache_folder())
    start, last = time.monotonic(), 0.0
    for report, _ in train_agent(agent, config, runner, arguments.work, minutes=arguments.minutes):
        if time.monotonic() - last > SAID_SECONDS or report.done == report.planned:
            last = time.monotonic()
            what = "games" if report.preparing else f"updates, loss {report.loss or 0:.4f},"
            say(f"{report.done:,} of {report.planned:,} {what} {report.rate:.1f}/s")
    summary: dict[str, Any] = {
        "settings": agent.settings,
        "seed": arguments.seed,
        "device": device_name(agent.settings["device"]),
        "seconds_training": time.monotonic() - start,
        "scores": [],
    }
    arguments.out.mkdir(parents=True, exist_ok=True)
    for tried in [*varied_settings(arguments.vary)] or [{}]:
        settings = {**spec.settings, "device": "cpu", **tried}
        player, trained = load_trained(arguments.work / CHECKPOINT, "iphyre", spec.agent, settings)
        variant = ", ".join(
            filter(None, [spec.variant, *(f"{name} {value}" for name, value in tried.items())])
        )
        for plays in PLAYS:
            scored = replace(
                trained,
                label=spec.label,
                variant=variant,
                selection=config.selection,
                attempts=plays,
            )
            record = runner.run(scored, player)
            write_record(arguments.out / "records", record)
            means = record.results.averages
            rewards = {split.value: mean.reward for split, mean in means.items()}
            forty = sum(means[split].reward for split in PUBLISHED_SPLITS) / len(PUBLISHED_SPLITS)
            say(f"{scored.title}, {hz} Hz, plays of each game: {plays}, reward {forty:.1f}")
            say(", ".join(f"{split} {reward:.1f}" for split, reward in rewards.items()))
            summary["scores"].append(
                {"title": scored.title, "plays": plays, "hz": hz, "forty": forty, **rewards}
            )
            write_whole(arguments.out / "summary.json", json.dumps(summary, indent=1) + "\n")


if __name__ == "__main__":
    main()
