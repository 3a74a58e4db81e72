"""Tools on one task or game besides `propose`: inspect earlier attempts, simulate proposals.

`simulate` is there only if the settings allow it, and has a budget of its own.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from topple.llm.answers import AnswerError, Schema
from topple.llm.settings import ChatSettings
from topple.llm.turn import Tool

Seen = TypeVar("Seen")


@dataclass
class Toolbox(Generic[Seen]):
    """The tools of one subject.

    Attributes:
        settings: settings with the numbers of calls.
        subject: "task" or "game".
        attempt: "attempt" or "play", the word for one try.
        seconds: length of a try.
        proposal: schema of what can be simulated.
        start: describes the bodies before anything happens.
        later: describes the bodies at a time of an attempt or play.
        trial: simulates a proposal and describes its result.
        seen: attempts or plays that were made; the caller adds to them.
        simulated: number of calls of `simulate`.
    """

    settings: ChatSettings
    subject: str
    attempt: str
    seconds: float
    proposal: Schema
    start: Callable[[], str]
    later: Callable[[Seen, float], str]
    trial: Callable[[Any], str]
    seen: list[Seen] = field(default_factory=list)
    simulated: int = 0

    def tools(self) -> list[Tool]:
        """The tools that the settings allow."""
        last = {"type": "number", "minimum": 0, "maximum": self.seconds}
        inspect = Tool(
            "inspect",
            f"Where the bodies are: at the start ({self.attempt} 0), or in one of your earlier "
            f"{self.attempt}s after so many seconds (at its end, if you give none).",
            {
                "type": "object",
                "properties": {self.attempt: {"type": "integer", "minimum": 0}, "second": last},
                "required": [self.attempt],
                "additionalProperties": False,
            },
            self._inspect,
        )
        if not self.settings.simulations:
            return [inspect]
        simulate = Tool(
            "simulate",
            f"What would come of a proposal. It is no {self.attempt}, but you have only "
            f"{self.settings.simulations} of these for a {self.subject}.",
            self.proposal,
            self._simulate,
        )
        return [inspect, simulate]

    def description(self) -> str:
        """A description of the tools for the model."""
        text = (
            f"In a turn you may call tools {self.settings.max_tool_calls} times before `propose`."
        )
        if self.settings.simulations:
            budget = self.settings.simulations
            text += f" `simulate` may be run {budget} times on a {self.subject}."
        return text

    def _inspect(self, arguments: Any) -> str:
        number: int = arguments[self.attempt]
        if number == 0:
            return self.start()
        if number > len(self.seen):
            raise AnswerError(f"there is no {self.attempt} {number}; {len(self.seen)} were made")
        return self.later(self.seen[number - 1], arguments.get("second", self.seconds))

    def _simulate(self, arguments: Any) -> str:
        if self.simulated >= self.settings.simulations:
            raise AnswerError(f"all {self.simulated} simulations of this {self.subject} are used")
        result = self.trial(arguments)
        self.simulated += 1
        return f"{result}\n{self.settings.simulations - self.simulated} simulations are left."
