"""What a model may call on PHYRE besides `propose`: look at attempts again, try things out."""

from __future__ import annotations

from typing import Any

from topple.agents.llm.answers import AnswerError, Schema
from topple.agents.llm.phyre.feedback import WATCHED, Watched, events, outcome_words, watched
from topple.agents.llm.phyre.grid import Grid
from topple.agents.llm.phyre.prompt import answer_action, misfit
from topple.agents.llm.phyre.scene import scene_lines
from topple.agents.llm.settings import ChatSettings
from topple.agents.llm.turn import Tool
from topple.agents.phase import Testing
from topple.phyre.task import Task
from topple.physics.params import MAX_STEPS, STEPS_PER_SECOND

_INSPECT: Schema = {
    "type": "object",
    "properties": {
        "attempt": {"type": "integer", "minimum": 0},
        "second": {"type": "number", "minimum": 0, "maximum": MAX_STEPS / STEPS_PER_SECOND},
    },
    "required": ["attempt"],
    "additionalProperties": False,
}


class PhyreTools:
    """The tools of one task.

    Attributes:
        seen: attempts that were made; the caller adds to them.
        simulated: how often `simulate` was run.
    """

    def __init__(
        self,
        settings: ChatSettings,
        testing: Testing,
        task: Task,
        schema: Schema,
        grid: Grid | None,
    ) -> None:
        self._settings, self._testing, self._task = settings, testing, task
        self._schema, self._grid = schema, grid
        self.seen: list[Watched] = []
        self.simulated = 0

    def tools(self) -> list[Tool]:
        """What is on offer; `simulate` only where the settings allow it."""
        inspect = Tool(
            "inspect",
            "Where the bodies are: in the scene (attempt 0), or in one of your attempts after so "
            "many seconds (its end, if there are none).",
            _INSPECT,
            self._inspect,
        )
        if not self._settings.simulations:
            return [inspect]
        simulate = Tool(
            "simulate",
            "What would come of a placement. It is no attempt, but you have only a few of these.",
            self._schema,
            self._simulate,
        )
        return [inspect, simulate]

    def words(self) -> str:
        """The tools in a sentence or two."""
        text = f"In a turn you may call tools {self._settings.tool_calls} times before `propose`."
        if self._settings.simulations:
            text += f" `simulate` may be run {self._settings.simulations} times on a task."
        return text

    def _inspect(self, arguments: Any) -> str:
        number = arguments["attempt"]
        if number > len(self.seen):
            raise AnswerError(f"there is no attempt {number}; {len(self.seen)} were made")
        if number == 0:
            return scene_lines(self._task.scene)
        seen = self.seen[number - 1]
        second = arguments.get("second", MAX_STEPS / STEPS_PER_SECOND)
        return scene_lines(seen.scene, seen.at(second))

    def _simulate(self, arguments: Any) -> str:
        if self.simulated >= self._settings.simulations:
            raise AnswerError(f"all {self.simulated} simulations of this task are used")
        self.simulated += 1
        action = answer_action(arguments, self._grid)
        outcome, result = self._testing.simulate(self._task, action, WATCHED)
        left = f"{self._settings.simulations - self.simulated} simulations are left."
        if not outcome.is_valid:
            return f"{misfit(action)}. {left}"
        seen = watched(self._task, 0, action, outcome, result)
        return "\n".join([outcome_words(seen), *events(seen), left])
