"""A language model on PHYRE: it reads a task, places its balls, reads the outcome and tries again.

See :mod:`topple.llm.phyre.puzzle` for how a task is asked about.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from topple.llm.phyre import deepphy
from topple.llm.phyre.puzzle import PhyrePuzzle
from topple.llm.presets import apply_preset
from topple.llm.settings import ChatSettings
from topple.phyre.grid import Grid
from topple.phyre.phases import Testing, Training
from topple.phyre.task import Task
from topple.runs.agent import Observation, Traits


@dataclass
class PhyreLlm(ChatSettings):
    """A language model as an agent of PHYRE.

    Attributes:
        grid: grid of actions to choose from, such as "5x5x5"; "": any action.
        preset: "topple", or a protocol of another paper such as "deepphy-8x8x8"; see
            :mod:`topple.llm.presets`.
    """

    grid: str = ""
    preset: str = ""

    def __post_init__(self) -> None:
        apply_preset(self, "phyre")
        super().__post_init__()
        self.action_grid = Grid.parse(self.grid) if self.grid else None

    @property
    def traits(self) -> Traits:
        """It reads the exact scene and learns from its attempts on a task within that task."""
        seen = Observation.IMAGE if self.preset.startswith(deepphy.NAME) else Observation.SCENE
        return Traits(online=self.history_size > 0, observation=seen, grid=self.grid)

    def train(self, training: Training) -> None:
        """Nothing to learn."""

    def act(self, testing: Testing) -> None:
        """Work on tasks, several of them concurrently."""
        from topple.llm.conversation import converse  # needs httpx; other harnesses do without

        make: list[Callable[[], PhyrePuzzle]] = [
            partial(self.puzzle, testing, task) for task in testing.tasks
        ]
        for puzzle in converse(self.link, self.options(), make):
            testing.join(puzzle.testing)

    def puzzle(self, testing: Testing, task: Task) -> PhyrePuzzle:
        """A task as a puzzle for a model."""
        return PhyrePuzzle(self, testing.part(task), task)
