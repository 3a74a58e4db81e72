"""Table A1: the accuracy of the classifiers of plans, by split.

Each result is one small JSON file with the config, the provenance, and the fraction of outcomes
predicted correctly in each split and game.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from topple.files import write_whole
from topple.iphyre.agents.outcome_data import Examples, held_out, sample_examples
from topple.iphyre.split import Split
from topple.runs.agent import Setting
from topple.runs.benchmark import provenance
from topple.runs.config import run_name
from topple.runs.record import RecordError
from topple.runs.registry import create_agent

if TYPE_CHECKING:
    from topple.iphyre.agents.plan_classifier import PlanClassifier

CLASSIFIERS = {
    "Global Fusion": "fusion-global",
    "Object Fusion": "fusion-object",
    "Vision Fusion": "fusion-vision",
}
HELD_OUT = 0.2  # share of training plans kept for testing, where any are


@dataclass(frozen=True)
class ClassifierConfig:
    """One result. Equal configs give equal results.

    Attributes:
        agent: registered name of one of ``CLASSIFIERS``.
        settings: settings of the agent.
        seed: seed of its weights and batches; the plans are those of seed 0, as published.
        held_out: fraction of the training plans that is kept for testing.
    """

    agent: str
    settings: Mapping[str, Setting] = field(default_factory=dict)
    seed: int = 0
    held_out: float = 0.0

    @property
    def name(self) -> str:
        """A file name."""
        return run_name(self.agent, f"{self.seed}", self.to_data())

    def to_data(self) -> dict[str, Any]:
        """The config as plain values for JSON."""
        return {**asdict(self), "settings": dict(sorted(self.settings.items()))}


@cache  # some take many draws
def _plans(split: Split, each: int, masked: bool) -> Examples:
    return sample_examples(split.games, each, masked=masked)


def run_classifier(
    config: ClassifierConfig, progress: Callable[[int, int], None] | None = None
) -> dict[str, Any]:
    """Train a classifier on basic games and test it on all splits."""
    agent = cast("PlanClassifier", create_agent("iphyre", config.agent, config.settings))
    each, masked = agent.settings["samples_per_class"], agent.settings["masked"]
    learned = _plans(Split.BASIC, each, masked)
    kept = held_out(learned, config.held_out, config.seed)
    started = time.monotonic()
    loss: float | None = None
    for report in agent.fit(learned.part(~kept), config.seed):
        loss = report.loss
        if progress is not None:
            progress(report.done, report.planned)
    seconds = time.monotonic() - started
    tests = {split.value: _plans(split, each, masked) for split in Split}
    tests[Split.BASIC.value] = learned.part(~kept)
    if config.held_out:
        tests["basic_held_out"] = learned.part(kept)
    games: dict[str, dict[str, float]] = {}
    for name, examples in tests.items():
        right = (agent.predict(examples) > 0.5) == examples.solved
        games[name] = {
            game.name: float(right[examples.game == k].mean())
            for k, game in enumerate(examples.games)
        }
    return {
        "config": config.to_data(),
        "settings": agent.settings,
        "provenance": provenance("iphyre"),
        "loss": loss,
        "seconds": round(seconds, 1),
        "accuracy": {name: sum(own.values()) / len(own) for name, own in games.items()},
        "games": games,
    }


def sweep_classifiers(
    configs: Iterable[ClassifierConfig],
    folder: Path,
    on_start: Callable[[ClassifierConfig], Callable[[int, int], None] | None] | None = None,
) -> Iterator[dict[str, Any]]:
    """Yield the result of each config, from its file or by training.

    Raises:
        RecordError: A file is damaged.
    """
    for config in configs:
        path = folder / f"{config.name}.json"
        found = _read(path) if path.exists() else None
        if found is None or found["config"] != config.to_data():
            progress = on_start(config) if on_start is not None else None
            found = run_classifier(config, progress)
            folder.mkdir(parents=True, exist_ok=True)
            write_whole(path, json.dumps(found, indent=1, sort_keys=True) + "\n")
        yield found


def _read(path: Path) -> dict[str, Any]:
    try:
        found: dict[str, Any] = json.loads(path.read_text())
        return {**found, "config": found["config"], "accuracy": found["accuracy"]}
    except (ValueError, KeyError, TypeError) as error:
        raise RecordError(f"{path} is no result of a classifier: {error}; delete it") from error
