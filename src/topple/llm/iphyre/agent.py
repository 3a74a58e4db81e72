"""A language model on I-PHYRE: in advance, re-planning after each removal, or on the fly.

See :mod:`topple.llm.iphyre.puzzle` for how a game is asked about.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from topple.iphyre.game import Game
from topple.iphyre.phases import Testing, Training
from topple.iphyre.rules import SECONDS
from topple.iphyre.strategy import Strategy
from topple.llm.iphyre import deepphy, gpt4_preset
from topple.llm.iphyre.puzzle import IphyrePuzzle
from topple.llm.presets import apply_preset
from topple.llm.settings import ChatSettings
from topple.runs.agent import Observation, Traits


@dataclass
class IphyreLlm(ChatSettings):
    """A language model as an agent of I-PHYRE.

    Attributes:
        strategy: "in_advance", "combined" or "on_the_fly".
        every: seconds between two questions on the fly.
        preset: "topple", or a protocol of a paper such as "iphyre-gpt4"; see
            :mod:`topple.llm.presets`.
    """

    strategy: str = Strategy.IN_ADVANCE.value
    every: float = 1.0
    preset: str = ""

    def __post_init__(self) -> None:
        names = ", ".join(strategy.value for strategy in Strategy)
        if self.strategy not in {strategy.value for strategy in Strategy}:
            raise ValueError(f"strategy is {self.strategy!r}; it has to be one of {names}")
        if not 0.1 <= self.every <= SECONDS:
            raise ValueError(f"every is {self.every} s; it has to be 0.1 to {SECONDS}")
        apply_preset(self, "iphyre")
        super().__post_init__()

    @property
    def traits(self) -> Traits:
        """It reads the exact scene, and learns from its plays of a game within that game."""
        seen = Observation.SCENE
        if self.preset == gpt4_preset.NAME:
            seen = Observation.OBJECTS
        elif self.preset.startswith(deepphy.NAME):
            seen = Observation.IMAGE
        return Traits(self.history_size > 0, seen, strategy=self.strategy)

    def options(self) -> dict[str, Any]:
        """The fields of every request besides its messages."""
        more = gpt4_preset.OPTIONS if self.preset == gpt4_preset.NAME else {}
        return {**super().options(), **more}

    def train(self, training: Training) -> None:
        """Nothing to learn."""

    def act(self, testing: Testing) -> None:
        """Play games, several of them concurrently."""
        from topple.llm.conversation import converse  # needs httpx; other harnesses do without

        make: list[Callable[[], IphyrePuzzle]] = [
            partial(self.puzzle, testing, game) for game in testing.games
        ]
        for puzzle in converse(self.link, self.options(), make):
            testing.join(puzzle.testing)

    def puzzle(self, testing: Testing, game: Game) -> IphyrePuzzle:
        """A game as a puzzle for a model.

        Raises:
            ValueError: the preset is for another rate.
        """
        if self.preset == gpt4_preset.NAME and testing.rules.hz != gpt4_preset.RULES.hz:
            raise ValueError(f"preset {self.preset!r} is played at 10 Hz, not {testing.rules.hz}")
        return IphyrePuzzle(self, testing.part(game), game)
