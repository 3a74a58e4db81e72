"""What a run of I-PHYRE is: an agent with its settings and the games it is scored on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from topple.runs.config import Setting, run_name
from topple.runs.record_files import BENCHMARK, IPHYRE
from topple.iphyre.games import game_named
from topple.iphyre.rules import AT_10_HZ, AT_60_HZ, Rules
from topple.iphyre.split import Split

_RULES = {rules.hz: rules for rules in (AT_60_HZ, AT_10_HZ)}


@dataclass(frozen=True)
class GameRunConfig:
    """One run. Equal configs give equal records.

    Attributes:
        agent: a registered name, or "module:Class".
        games: names of the scored games.
        settings: of the agent.
        trained_on: the split whose games the agent trains on.
        hz: ticks a second, with the rules published at that rate.
        seed: of the agent's random choices.
        plays: allowed on each game.
        label: a name for this agent with these settings, shown in reports.
    """

    agent: str
    games: tuple[str, ...]
    settings: Mapping[str, Setting] = field(default_factory=dict)
    trained_on: Split = Split.BASIC
    hz: int = AT_10_HZ.hz
    seed: int = 0
    plays: int = 1
    label: str = ""

    def __post_init__(self) -> None:
        if self.hz not in _RULES:
            raise ValueError(f"hz is {self.hz}; the benchmark is played at 60 or at 10")
        if self.plays < 1:
            raise ValueError(f"plays is {self.plays}; allow at least 1")
        if not self.games:
            raise ValueError("there are no games to be scored on; name at least one")
        for name in self.games:
            game_named(name)
        if not self.label:
            object.__setattr__(self, "label", self.agent)

    @property
    def rules(self) -> Rules:
        """What episodes go by."""
        return _RULES[self.hz]

    @property
    def name(self) -> str:
        """A file name for the run."""
        return run_name(self.label, f"iphyre_{self.seed}", self.to_data())

    def to_data(self) -> dict[str, Any]:
        """The config as plain values for JSON."""
        return {
            BENCHMARK: IPHYRE,
            "agent": self.agent,
            "games": list(self.games),
            "settings": dict(sorted(self.settings.items())),
            "trained_on": self.trained_on.value,
            "hz": self.hz,
            "seed": self.seed,
            "plays": self.plays,
            "label": self.label,
        }

    @classmethod
    def from_data(cls, data: Mapping[str, Any]) -> GameRunConfig:
        """The config with these values."""
        values = {key: value for key, value in data.items() if key != BENCHMARK}
        values["games"] = tuple(values["games"])
        values["trained_on"] = Split(values["trained_on"])
        return cls(**values)
