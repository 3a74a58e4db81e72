"""What a run is: an agent with its settings, a fold, a part of it to be scored on."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from topple.phyre.auccess import MAX_ATTEMPTS
from topple.phyre.fold import SEEDS, Setup

Setting = str | int | float | bool | None

_HASH_DIGITS = 8


def run_name(label: str, place: str, data: Mapping[str, Any]) -> str:
    """A file name for a run: readable, and different for different configs."""
    digest = hashlib.blake2b(json.dumps(data, sort_keys=True).encode())
    readable = "".join(letter if letter.isalnum() else "-" for letter in label.lower())
    return f"{readable}_{place}_{digest.hexdigest()[:_HASH_DIGITS]}"


class Part(Enum):
    """Which tasks of a fold are scored."""

    DEV = "dev"  # for choosing settings; trained on train
    TEST = "test"  # for results; trained on train and dev together, as published


@dataclass(frozen=True)
class RunConfig:
    """One run. Equal configs give equal records.

    Attributes:
        agent: a registered name, or "module:Class".
        setup: tier and split.
        fold: 0 to 9.
        settings: of the agent.
        part: which tasks are scored.
        seed: of the agent's random choices.
        attempts: allowed on each task.
        label: a name for this agent with these settings, shown in reports.
        tasks: only so many of the scored tasks, spread evenly, or the ids of some; all of them
            by default.
    """

    agent: str
    setup: Setup
    fold: int
    settings: Mapping[str, Setting] = field(default_factory=dict)
    part: Part = Part.TEST
    seed: int = 0
    attempts: int = MAX_ATTEMPTS
    label: str = ""
    tasks: int | tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        if self.fold not in SEEDS:
            raise ValueError(f"fold is {self.fold}; there are {SEEDS[0]} to {SEEDS[-1]}")
        count = len(self.tasks) if isinstance(self.tasks, tuple) else self.tasks
        if count is not None and count < 1:
            raise ValueError(f"tasks is {self.tasks}; score at least 1")
        if not self.label:
            object.__setattr__(self, "label", self.agent)

    @property
    def name(self) -> str:
        """A file name for the run: readable, and different for different configs."""
        place = f"{self.setup.value}_{self.part.value}_{self.fold}"
        return run_name(self.label, place, self.to_data())

    def to_data(self) -> dict[str, Any]:
        """The config as plain values for JSON."""
        data = {
            "agent": self.agent,
            "setup": self.setup.value,
            "fold": self.fold,
            "settings": dict(sorted(self.settings.items())),
            "part": self.part.value,
            "seed": self.seed,
            "attempts": self.attempts,
            "label": self.label,
        }
        if self.tasks is None:
            return data
        named = list(self.tasks) if isinstance(self.tasks, tuple) else self.tasks
        return {**data, "tasks": named}

    @classmethod
    def from_data(cls, data: Mapping[str, Any]) -> RunConfig:
        """The config with these values."""
        values = dict(data)
        if isinstance(values.get("tasks"), list):
            values["tasks"] = tuple(values["tasks"])
        return cls(setup=Setup.parse(values.pop("setup")), part=Part(values.pop("part")), **values)
