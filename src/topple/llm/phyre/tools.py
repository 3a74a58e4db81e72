"""The tools of a model on a PHYRE task."""

from __future__ import annotations

from typing import Any

from topple.llm.answers import Schema
from topple.llm.phyre.feedback import WATCHED, Watched, events, outcome_words, watched
from topple.llm.phyre.prompt import answer_action, misfit
from topple.llm.phyre.scene import scene_lines
from topple.llm.settings import ChatSettings
from topple.llm.toolbox import Toolbox
from topple.phyre.engine.request import MAX_STEPS, STEPS_PER_SECOND
from topple.phyre.grid import Grid
from topple.phyre.phases import Testing
from topple.phyre.task import Task


class TaskTools(Toolbox[Watched]):
    """The tools of one task."""

    def __init__(
        self,
        settings: ChatSettings,
        testing: Testing,
        task: Task,
        schema: Schema,
        grid: Grid | None,
    ) -> None:
        super().__init__(settings, "task", "attempt", MAX_STEPS / STEPS_PER_SECOND, schema)
        self._testing, self._task, self._grid = testing, task, grid

    def start(self) -> str:
        """The scene."""
        return scene_lines(self._task.scene)

    def later(self, seen: Watched, second: float) -> str:
        """The scene with the balls of an attempt, at the last state kept before a time."""
        return scene_lines(seen.scene, seen.at(second))

    def trial(self, proposal: Any) -> str:
        """Simulate an action, which makes the run privileged."""
        action = answer_action(proposal, self._grid)
        outcome, result = self._testing.simulate(self._task, action, WATCHED)
        if not outcome.is_valid:
            return f"{misfit(action)}."
        seen = watched(self._task, 0, action, outcome, result)
        return "\n".join([outcome_words(seen), *events(seen)])
