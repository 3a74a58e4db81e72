"""The games of a run: which are scored, which split is trained on, at how many ticks a second."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from topple.iphyre.game import Game
from topple.iphyre.games import game_named
from topple.iphyre.rules import AT_10_HZ, Rules, rules_at
from topple.iphyre.split import Split


@dataclass(frozen=True)
class GameSelection:
    """The games of a run.

    Attributes:
        games: names of the scored games.
        trained_on: the split whose games the agent trains on.
        hz: ticks a second, with the rules published at that rate.
        study: the id of the study whose games these are.
    """

    benchmark: ClassVar[str] = "iphyre"
    default_attempts: ClassVar[int] = 1  # plays of each game, as the paper's agents had
    max_attempts: ClassVar[int] = 10_000

    games: tuple[str, ...]
    trained_on: Split = Split.BASIC
    hz: int = AT_10_HZ.hz
    study: str = ""

    def __post_init__(self) -> None:
        rules_at(self.hz)
        if not self.games:
            raise ValueError("there are no games to be scored on; name at least one")
        self.scored()

    @property
    def rules(self) -> Rules:
        """The rules of its episodes."""
        return rules_at(self.hz)

    @property
    def group(self) -> str:
        """No group: an agent has the same settings for all games."""
        return ""

    @property
    def place(self) -> str:
        """A readable part of a file name."""
        return f"study_{self.study}_{self.hz}hz" if self.study else f"{self.hz}hz"

    def scored(self) -> tuple[Game, ...]:
        """The games to be scored on."""
        return tuple(map(game_named, self.games))

    def to_data(self) -> dict[str, Any]:
        """The selection as plain values for JSON."""
        data = {"games": list(self.games), "trained_on": self.trained_on.value, "hz": self.hz}
        return {**data, "study": self.study} if self.study else data
