"""Tools on one task or game besides `propose`: inspect earlier attempts, simulate proposals.

`simulate` is there only if the settings allow it, and has a budget of its own.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, Generic, TypeVar

from topple.llm.answers import AnswerError, Schema
from topple.llm.settings import ChatSettings
from topple.llm.turn import Tool

Seen = TypeVar("Seen")


class Toolbox(ABC, Generic[Seen]):
    """The tools of one subject.

    Args:
        settings: settings with the numbers of calls.
        subject: "task" or "game".
        attempt: "attempt" or "play", the word for one try.
        seconds: length of a try.
        proposal: schema of what can be simulated.

    Attributes:
        seen: attempts or plays that were made; the caller adds to them.
        simulated: number of calls of `simulate`.
    """

    def __init__(
        self, settings: ChatSettings, subject: str, attempt: str, seconds: float, proposal: Schema
    ) -> None:
        self._settings, self._subject, self._attempt = settings, subject, attempt
        self._seconds, self._proposal = seconds, proposal
        self.seen: list[Seen] = []
        self.simulated = 0

    @abstractmethod
    def start(self) -> str:
        """The bodies before anything happens."""

    @abstractmethod
    def later(self, seen: Seen, second: float) -> str:
        """The bodies at a time of an attempt or play."""

    @abstractmethod
    def trial(self, proposal: Any) -> str:
        """The result of a simulated proposal."""

    def tools(self) -> list[Tool]:
        """The tools that the settings allow."""
        last = {"type": "number", "minimum": 0, "maximum": self._seconds}
        inspect = Tool(
            "inspect",
            f"Where the bodies are: at the start ({self._attempt} 0), or in one of your earlier "
            f"{self._attempt}s after so many seconds (at its end, if you give none).",
            {
                "type": "object",
                "properties": {self._attempt: {"type": "integer", "minimum": 0}, "second": last},
                "required": [self._attempt],
                "additionalProperties": False,
            },
            self._inspect,
        )
        if not self._settings.simulations:
            return [inspect]
        simulate = Tool(
            "simulate",
            f"What would come of a proposal. It is no {self._attempt}, but you have only "
            f"{self._settings.simulations} of these for a {self._subject}.",
            self._proposal,
            self._simulate,
        )
        return [inspect, simulate]

    def description(self) -> str:
        """A description of the tools for the model."""
        text = (
            f"In a turn you may call tools {self._settings.max_tool_calls} times before `propose`."
        )
        if self._settings.simulations:
            budget = self._settings.simulations
            text += f" `simulate` may be run {budget} times on a {self._subject}."
        return text

    def _inspect(self, arguments: Any) -> str:
        number: int = arguments[self._attempt]
        if number == 0:
            return self.start()
        if number > len(self.seen):
            raise AnswerError(f"there is no {self._attempt} {number}; {len(self.seen)} were made")
        return self.later(self.seen[number - 1], arguments.get("second", self._seconds))

    def _simulate(self, arguments: Any) -> str:
        if self.simulated >= self._settings.simulations:
            raise AnswerError(f"all {self.simulated} simulations of this {self._subject} are used")
        result = self.trial(arguments)
        self.simulated += 1
        return f"{result}\n{self._settings.simulations - self.simulated} simulations are left."
