"""The configuration of a run: an agent with its settings, and what it is scored on."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Generic, Protocol, TypeVar

import numpy as np

from topple.runs.agent import Setting

_HASH_DIGITS = 8


class Selection(Protocol):
    """What a run trains on and is scored on; each benchmark has its own."""

    benchmark: ClassVar[str]
    #: Attempts on each task or game, unless a config says otherwise.
    default_attempts: ClassVar[int]
    max_attempts: ClassVar[int]

    @property
    def group(self) -> str:
        """The group whose settings of an agent file apply, such as a setup; "" if none."""

    @property
    def place(self) -> str:
        """A readable part of a file name."""

    def to_data(self) -> dict[str, Any]:
        """The selection as plain values for JSON."""


S = TypeVar("S", bound=Selection, covariant=True)


@dataclass(frozen=True)
class RunConfig(Generic[S]):
    """One run. Equal configs give equal records.

    Attributes:
        agent: a registered name, or "module:Class".
        selection: the tasks or games to train on and to be scored on.
        settings: arguments of the agent's class.
        seed: seed of the agent's random number generators.
        attempts: attempts allowed on each task or game.
        label: the agent's name in reports.
        variant: what distinguishes these settings from others under the same label.
    """

    agent: str
    selection: S
    settings: Mapping[str, Setting] = field(default_factory=dict)
    seed: int = 0
    attempts: int = 0  # 0: the benchmark's default
    label: str = ""
    variant: str = ""

    def __post_init__(self) -> None:
        attempts = self.attempts or self.selection.default_attempts
        if not 1 <= attempts <= self.selection.max_attempts:
            raise ValueError(
                f"attempts is {attempts}; allow 1 to {self.selection.max_attempts} on each"
            )
        object.__setattr__(self, "attempts", attempts)
        object.__setattr__(self, "label", self.label or self.agent)

    @property
    def benchmark(self) -> str:
        """The name of the benchmark."""
        return self.selection.benchmark

    @property
    def title(self) -> str:
        """The agent and the variant, as reports show them."""
        return f"{self.label} ({self.variant})" if self.variant else self.label

    @property
    def name(self) -> str:
        """A file name: readable, and different for different configs."""
        return run_name(self.title, f"{self.selection.place}_{self.seed}", self.to_data())

    def generators(self) -> tuple[np.random.Generator, np.random.Generator]:
        """The random number generators of training and testing."""
        training, testing = np.random.SeedSequence(self.seed).spawn(2)
        return np.random.default_rng(training), np.random.default_rng(testing)

    def to_data(self) -> dict[str, Any]:
        """The config as plain values for JSON."""
        return {
            "benchmark": self.benchmark,
            "agent": self.agent,
            "selection": self.selection.to_data(),
            "settings": dict(sorted(self.settings.items())),
            "seed": self.seed,
            "attempts": self.attempts,
            "label": self.label,
            "variant": self.variant,
        }


def run_name(title: str, place: str, data: Mapping[str, Any]) -> str:
    """A file name for a result: a readable title and place, and a hash of all of its config."""
    digest = hashlib.blake2b(json.dumps(data, sort_keys=True).encode()).hexdigest()
    words = "".join(letter if letter.isalnum() else " " for letter in title.lower()).split()
    return f"{'-'.join(words)}_{place}_{digest[:_HASH_DIGITS]}"
