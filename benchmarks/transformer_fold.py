r"""Pretrain, train and score the transformer within a time, on a machine with a GPU.

One command pretrains a network per tier on free puzzles, trains it further on one fold of each
setup, and scores it in three ways: best first (`offline`), with failures felt (`felt`), and
learning from its attempts (`online`). A pretrained network has seen no task of any fold, so with
`--folds` it is also scored by itself, on so many folds of both setups at once. Records for
`topple report` and a summary are written as results come. It needs what `dqn_fold.py` needs.
Stopped, the same command goes on where it was; what is finished is not done again.

Several folds can have their puzzles from one supply, which is made once for each tier; no fold
learns from a puzzle with a body of a task that it keeps back:

    python benchmarks/transformer_fold.py --minutes 28 --cache CACHE --out OUT --setups ball_cross \
        --fold 0,1,2,3 --share-puzzles 60000 --pretrain 0 --set pretrained=pretrained/checkpoint.pt

    python benchmarks/transformer_fold.py --minutes 28 --cache CACHE --out OUT

The time is shared by all that is still to be done: a stage that ends early leaves its rest to the
others. With `--set updates=5000` trainings take as long as they take. On two cores, everything can
be tried with tiny numbers:

    python benchmarks/transformer_fold.py --minutes 2 --cache CACHE --out OUT --setups ball_cross \
        --tasks 20 --set width=32 --set layers=2 --set heads=4 --set batch_size=64 \
        --set actions=1000 --set puzzle_actions=16 --set rank_size=500 --set watched=2
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from typing import Any

import torch

from dqn_fold import device_name, simulation_progress
from machine import say
from settings import read_setting, varied_settings
from topple.files import write_whole
from topple.phyre.agents.puzzle_supply import SharedParts
from topple.phyre.agents.transformer import Transformer
from topple.phyre.benchmark import PHYRE
from topple.phyre.engine.backend import check_backend
from topple.phyre.fold import Setup
from topple.phyre.phases import Testing, Training
from topple.phyre.published import published_auccess
from topple.phyre.results import PhyreConfig
from topple.phyre.scramble import LIST_LENGTH
from topple.phyre.selection import Part, TaskSelection
from topple.phyre.task import TaskId, tier_tasks
from topple.phyre.tier import Tier
from topple.runs.agent import Setting, Traits
from topple.runs.record import record_path, write_record
from topple.runs.registry import create_learner
from topple.runs.runner import Runner
from topple.runs.spec import find_spec
from topple.runs.training import CHECKPOINT, load_trained, train_agent

ENDLESS = 10_000_000  # puzzles and updates; time ends a training
SETUPS = list(Setup)[:4]  # those with published scores
CONFIGS = Path(__file__).resolve().parents[1] / "configs" / "phyre"
#: How the trained network is scored; each is a row of tables.
WAYS = {
    "offline": CONFIGS / "transformer.toml",
    "felt": CONFIGS / "transformer-felt.toml",
    "online": CONFIGS / "transformer-o.toml",
}
#: What is left out, changed or added, on the way to a network of its own.
ABLATIONS: dict[str, dict[str, Setting]] = {
    "full": {},
    "relations": {"relations": True},
    "blended": {"blended": ENDLESS},
    "no-scrambling": {"scrambled": 0, "task_share": 1.0},
    "no-auxiliary": {"auxiliary_weight": 0.0, "watched": 0},
}
#: How a variant says what a network was trained on, where that is not everything.
WORDS = {"full": "", "pretrained": "free puzzles alone"}
LEAST_MINUTES = 0.05  # of a training


@dataclass(frozen=True)
class Stage:
    """A training, with what is scored after it."""

    name: str
    setup: Setup
    fold: int
    settings: dict[str, Setting]
    weight: float  # share of the time, relative to the others
    pretrains: bool = False


def stages(arguments: argparse.Namespace, given: dict[str, Setting]) -> Iterator[Stage]:
    """What there is to do, in order."""
    setups = [Setup.parse(name) for name in arguments.setups.split(",")]
    folds = [int(fold) for fold in arguments.fold.split(",")]
    puzzles: dict[str, Setting] = {"scrambled": ENDLESS}
    if arguments.share_puzzles:
        puzzles["shared_puzzles"] = True
    for tier in Tier:
        of_tier = [setup for setup in setups if setup.tier is tier]
        if not of_tier:
            continue
        start: dict[str, Setting] = {}
        if arguments.pretrain:
            name = f"pretrained_{tier.value}"
            free: dict[str, Setting] = {"free": ENDLESS, "scrambled": 0, "task_share": 0.0}
            weight = arguments.pretrain * len(of_tier)
            yield Stage(name, of_tier[0], folds[0], {**free, **given}, weight, pretrains=True)
            start = {"pretrained": str((arguments.work or arguments.out) / name / CHECKPOINT)}
        for setup, fold in product(of_tier, folds):
            for word in arguments.ablations.split(","):
                settings = {**puzzles, **start, **given, **ABLATIONS[word]}
                for kind in ("scrambled", "blended"):
                    if arguments.share_puzzles and settings.get(kind) == ENDLESS:
                        settings[kind] = arguments.share_puzzles
                yield Stage(f"{word}_{setup.value}_{fold}", setup, fold, settings, 1.0)


def train(
    stage: Stage,
    minutes: float,
    runner: Runner,
    shared: dict[Tier, SharedParts],
    arguments: argparse.Namespace,
) -> float:
    """Train for about some minutes, or for given updates; returns the seconds that it took."""
    folder = (arguments.work or arguments.out) / stage.name
    config = config_of(stage, arguments)
    agent = create_learner("phyre", config.agent, config.settings)
    assert isinstance(agent, Transformer)
    if agent.shared_puzzles:
        tier = stage.setup.tier
        if tier not in shared:
            cache = PHYRE.action_cache(tier, runner)
            shared[tier] = SharedParts(cache.solutions(tier_tasks(tier), LIST_LENGTH))
        agent.shared = shared[tier]
    limit = None if "updates" in stage.settings else minutes
    say(f"{stage.name}: training" + ("" if limit is None else f" for {limit:.1f} minutes"))
    start = last = time.monotonic()
    for progress in train_agent(agent, config, runner, folder, minutes=limit):
        report = progress.report
        if report.preparing:
            if time.monotonic() - last > 15:
                last = time.monotonic()
                say(f"{stage.name}: {report.done:,} puzzles, {report.rate:.0f}/s")
            continue
        if time.monotonic() - last > 15 or report.done == report.planned:
            last = time.monotonic()
            say(
                f"{stage.name}: update {report.done:,} of {report.planned:,}, "
                f"loss {report.loss or 0:.4f}, {report.rate:.1f}/s"
            )
    return time.monotonic() - start


def config_of(stage: Stage, arguments: argparse.Namespace) -> PhyreConfig:
    """The run that a stage trains for."""
    selection = TaskSelection(stage.setup, stage.fold, Part(arguments.part), arguments.tasks)
    settings: dict[str, Setting] = {"updates": ENDLESS, **stage.settings}
    return find_spec(str(WAYS["offline"]), "phyre").config(selection, settings, seed=arguments.seed)


class Remembering:
    """An agent that does on a task what it did before, when another fold has the same task.

    Args:
        agent: an agent that learns nothing from one task for another.
    """

    def __init__(self, agent: Any) -> None:
        self._agent = agent
        self._done: dict[TaskId, Testing] = {}

    @property
    def traits(self) -> Traits:
        """Those of the agent."""
        traits: Traits = self._agent.traits
        return traits

    def train(self, training: Training) -> None:
        """Train the agent."""
        self._agent.train(training)

    def act(self, testing: Testing) -> None:
        """Act on each task, or add what was done on it before."""
        for task in testing.tasks:
            if task.id not in self._done:
                self._done[task.id] = testing.part(task)
                self._agent.act(self._done[task.id])
            testing.join(self._done[task.id])


def score(
    stage: Stage,
    way: str,
    varied: dict[str, Setting],
    given: dict[str, Setting],
    runner: Runner,
    arguments: argparse.Namespace,
) -> dict[str, Any]:
    """Let the trained agent act in one of the ways, and keep the records."""
    spec = find_spec(str(WAYS[way]), "phyre")
    checkpoint = (arguments.work or arguments.out) / stage.name / CHECKPOINT
    own = config_of(stage, arguments).selection
    acting = {**spec.settings, **spec.groups.get(own.group, {})}
    acting |= {name: value for name, value in given.items() if name in ("rank_size", "device")}
    acting |= varied
    learner, trained = load_trained(checkpoint, "phyre", spec.agent, acting)
    word = stage.name.split("_")[0]
    words = [f"{name} {value}" for name, value in varied.items()]
    variant = ", ".join(filter(None, [spec.variant, WORDS.get(word, word), *words]))
    selections = [own]
    if stage.pretrains:
        selections = [
            TaskSelection(setup, fold, own.part, arguments.tasks)
            for setup in SETUPS
            if setup.tier is stage.setup.tier
            for fold in range(arguments.folds)
        ]
    agent = Remembering(learner) if stage.pretrains else learner
    start = time.monotonic()
    found: dict[str, Any] = {"way": way, "folds": []}
    for selection in selections:
        config = replace(trained, label=spec.label, variant=variant, selection=selection)
        record = runner.run(config, agent)
        write_record(arguments.out / "records", record, attempts=False)
        curve = record.results.curve
        found["protocol"] = dict(record.protocol)
        found["folds"].append(
            {
                "place": selection.place,
                "auccess": record.results.auccess,
                "solved_at": {k: float(curve[k - 1]) for k in (1, 10, 100)},
                "record": record_path(arguments.out / "records", config).name,
            }
        )
        published = None
        if selection.part is Part.TEST and selection.setup and selection.fold is not None:
            label = "DQN-O" if way == "online" else "DQN"
            published = published_auccess(label, selection.setup, selection.fold)
        say(
            f"{', '.join([stage.name, way, *words])}, {selection.place}: "
            f"AUCCESS {record.results.auccess:.4f} (published DQN: {published}), "
            "solved within 1, 10, 100 attempts: "
            f"{curve[0]:.3f} {curve[9]:.3f} {curve[99]:.3f}, {time.monotonic() - start:.0f} s"
        )
    found["seconds_acting"] = time.monotonic() - start
    return found


def run_stage(
    stage: Stage,
    minutes: float,
    summary: dict[str, Any],
    given: dict[str, Setting],
    runner: Runner,
    shared: dict[Tier, SharedParts],
    arguments: argparse.Namespace,
) -> None:
    """Train and score, writing the summary after every step."""
    done = summary.setdefault(stage.name, {"scores": {}})
    if "seconds" not in done:
        done["seconds"] = train(stage, minutes, runner, shared, arguments)
        write_summary(summary, arguments)
    ways = [way for way in arguments.ways.split(",") if not (stage.pretrains and way == "online")]
    for way in ways if not stage.pretrains or arguments.folds else ():
        for varied in ({}, *varied_settings(arguments.vary)):
            name = ", ".join([way, *(f"{key}={value}" for key, value in varied.items())])
            if name not in done["scores"]:
                done["scores"][name] = score(stage, way, varied, given, runner, arguments)
                write_summary(summary, arguments)


def write_summary(summary: dict[str, Any], arguments: argparse.Namespace) -> None:
    device = "cuda" if torch.cuda.is_available() else "cpu"
    data = {"device": device_name(device), "torch": torch.__version__, "stages": summary}
    write_whole(arguments.out / "summary.json", json.dumps(data, indent=1) + "\n")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    every = ",".join(setup.value for setup in SETUPS)
    parser.add_argument("--setups", default=every, help="comma-separated, such as ball_cross")
    parser.add_argument("--fold", default="0", help="comma-separated folds to train on")
    parser.add_argument("--part", default="test", choices=["dev", "test"])
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--minutes", type=float, default=28.0, help="for everything, about")
    parser.add_argument(
        "--pretrain", type=float, default=0.5, help="its time, relative to a setup's; 0: none"
    )
    parser.add_argument("--acting", type=float, default=0.3, help="share of the time for scoring")
    parser.add_argument(
        "--ablations", default="full", help=f"comma-separated: {', '.join(ABLATIONS)}"
    )
    parser.add_argument("--ways", default=",".join(WAYS), help="comma-separated ways of scoring")
    parser.add_argument(
        "--folds", type=int, default=0, help="folds on which a pretrained network is scored"
    )
    parser.add_argument(
        "--share-puzzles",
        type=int,
        metavar="COUNT",
        help="Make puzzles once for all folds of a tier, so many of each kind for each fold.",
    )
    parser.add_argument("--tasks", type=int, help="score only so many tasks")
    parser.add_argument("--cache", type=Path, required=True, help="folder of caches")
    parser.add_argument("--out", type=Path, required=True, help="folder for results")
    parser.add_argument("--work", type=Path, help="folder for checkpoints, if not in --out")
    parser.add_argument("--backend", default="auto", help="simulate on: cpu, cuda or auto")
    parser.add_argument(
        "--vary",
        action="append",
        default=[],
        metavar="NAME=A,B",
        help="Score with these values of a setting, too, such as online_updates=10,20.",
    )
    parser.add_argument("--set", action="append", metavar="NAME=VALUE", help="of the agent")
    arguments = parser.parse_args()
    given = dict(map(read_setting, arguments.set or ()))
    runner = Runner(
        arguments.cache, progress=simulation_progress(), backend=check_backend(arguments.backend)
    )
    file = arguments.out / "summary.json"
    summary = json.loads(file.read_text())["stages"] if file.exists() else {}
    left = list(stages(arguments, given))
    shared: dict[Tier, SharedParts] = {}
    end = time.monotonic() + 60 * arguments.minutes
    while left:
        weight = sum(stage.weight for stage in left if "seconds" not in summary.get(stage.name, {}))
        stage = left.pop(0)
        minutes = max(0.0, end - time.monotonic()) / 60 * (1 - arguments.acting)
        share = max(LEAST_MINUTES, minutes * stage.weight / max(weight, stage.weight))
        run_stage(stage, share, summary, given, runner, shared, arguments)
    say(f"done: {file}")


if __name__ == "__main__":
    main()
