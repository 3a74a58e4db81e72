"""Tools on one task or game: inspect, look at and list the contacts of attempts, simulate.

They show what happened in attempts that were made, and never what would solve a puzzle.
`simulate` is there only if the settings allow it, and has a budget of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, NamedTuple, TypeVar

from topple.llm.answers import AnswerError, Schema
from topple.llm.messages import Picture
from topple.llm.settings import ChatSettings
from topple.media.files import Frame

SIMULATE = "simulate"  # the tool that makes a run privileged

Seen = TypeVar("Seen")


class Shown(NamedTuple):
    """What a tool shows."""

    text: str
    pictures: Sequence[Picture] = ()


@dataclass(frozen=True)
class Tool:
    """A function that a model may call."""

    name: str
    description: str
    parameters: Schema
    run: Callable[[Any], Shown]  # takes checked arguments; an AnswerError goes to the model

    def to_data(self) -> dict[str, Any]:
        """The tool as a request lists it."""
        function = {
            "name": self.name,
            "description": self.description,
            "parameters": dict(self.parameters),
        }
        return {"type": "function", "function": function}


@dataclass
class Toolbox(Generic[Seen]):
    """The tools of one subject.

    Attributes:
        settings: settings with the numbers of calls.
        subject: "task" or "game".
        attempt: "attempt" or "play", the word for one try.
        seconds: length of a try.
        proposal: schema of what can be simulated.
        describe: describes the bodies at a time of an attempt or play, or at the start (None).
        draw: draws them.
        contacts: lists the contacts of an attempt or play.
        trial: simulates a proposal and describes its result.
        seen: attempts or plays that were made; the caller adds to them.
        simulated: number of calls of `simulate`.
    """

    settings: ChatSettings
    subject: str
    attempt: str
    seconds: float
    proposal: Schema
    describe: Callable[[Seen | None, float], str]
    draw: Callable[[Seen | None, float], Frame]
    contacts: Callable[[Seen], Sequence[str]]
    trial: Callable[[Any], str]
    seen: list[Seen] = field(default_factory=list)
    simulated: int = 0

    def tools(self) -> list[Tool]:
        """The tools that the settings allow."""
        word = self.attempt
        number = {"type": "integer", "minimum": 0}
        second = {"type": "number", "minimum": 0, "maximum": self.seconds}
        moment = _object({word: number, "second": second}, word)
        when = (
            f"at the start ({word} 0), or in one of your earlier {word}s after so many seconds (at "
            "its end, if you give none)"
        )
        tools = [
            Tool("inspect", f"Where the bodies are: {when}.", moment, self._inspect),
            Tool(
                "contacts",
                f"Which bodies touched, and when, in one of your earlier {word}s.",
                _object({word: {**number, "minimum": 1}}, word),
                self._contacts,
            ),
        ]
        if self.settings.images:
            tools.append(Tool("look", f"A picture of the bodies: {when}.", moment, self._look))
        if self.settings.simulations:
            description = (
                f"What would come of a proposal. It is no {word}, but you have only "
                f"{self.settings.simulations} of these for a {self.subject}."
            )
            tools.append(Tool(SIMULATE, description, self.proposal, self._simulate))
        return tools

    def description(self) -> str:
        """A description of the tools for the model."""
        text = (
            f"In a turn you may call tools {self.settings.max_tool_calls} times before `propose`."
        )
        if self.settings.simulations:
            budget = self.settings.simulations
            text += f" `simulate` may be run {budget} times on a {self.subject}."
        return text

    def _moment(self, arguments: Any) -> tuple[Seen | None, float]:
        number: int = arguments[self.attempt]
        if number > len(self.seen):
            raise AnswerError(f"there is no {self.attempt} {number}; {len(self.seen)} were made")
        return self.seen[number - 1] if number else None, arguments.get("second", self.seconds)

    def _inspect(self, arguments: Any) -> Shown:
        return Shown(self.describe(*self._moment(arguments)))

    def _look(self, arguments: Any) -> Shown:
        seen, second = self._moment(arguments)
        caption = "The start:"
        if seen is not None:
            caption = f"{self.attempt.capitalize()} {arguments[self.attempt]} at {second:.1f} s:"
        return Shown("The picture follows.", [(caption, self.draw(seen, second))])

    def _contacts(self, arguments: Any) -> Shown:
        seen, _ = self._moment(arguments)
        assert seen is not None  # the number is at least 1
        return Shown("\n".join(self.contacts(seen)) or "Nothing touched.")

    def _simulate(self, arguments: Any) -> Shown:
        if self.simulated >= self.settings.simulations:
            raise AnswerError(f"all {self.simulated} simulations of this {self.subject} are used")
        result = self.trial(arguments)
        self.simulated += 1
        left = self.settings.simulations - self.simulated
        return Shown(f"{result}\n{left} simulations are left.")


def _object(properties: dict[str, Any], *required: str) -> Schema:
    return {
        "type": "object",
        "properties": properties,
        "required": list(required),
        "additionalProperties": False,
    }
