"""A puzzle as a model meets it: questions, answers, and what came of earlier attempts.

A :class:`Puzzle` is one task or game. Its :meth:`~Puzzle.flow` is a generator: it yields a
:class:`Question`, is sent what was made of the answer, and goes on to the next question until
the puzzle is over. Whoever asks the model, a harness of ours or of somebody else, drives it
through a :class:`topple.llm.session.Session`.

Its tools show what happened in attempts that were made, and never what would solve a puzzle.
`simulate` is there only if the settings allow it, and has a budget of its own.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Generic, NamedTuple, Protocol, TypeVar

from topple.llm.answers import AnswerError, Schema, object_schema
from topple.llm.messages import Picture
from topple.llm.reply import Reply
from topple.llm.settings import ChatSettings
from topple.media.files import Frame

SIMULATE = "simulate"  # the tool that makes a run privileged


class Attempt(Protocol):
    """An attempt or play as it was seen."""

    @property
    def number(self) -> int:
        """Its number on the task or game, from 1."""


Seen = TypeVar("Seen", bound=Attempt)


@dataclass(frozen=True)
class Question:
    """What a model is asked in a turn.

    Attributes:
        rules: the rules, which are the same in every turn.
        text: everything the model is told in a turn that starts afresh.
        news: what is new since the question before, in a dialogue.
        schema: schema of the answer.
        accept: makes a value of an answer; an AnswerError is told to the model.
        pictures: draws the pictures that go along.
        new_pictures: draws those that are new since the question before.
        read: finds the answer in a reply; by default the JSON object that the schema describes.
        reasks: number of times the model is asked again; by default that of the settings.
    """

    rules: str
    text: str
    news: str
    schema: Schema
    accept: Callable[[Any], Any]
    pictures: Callable[[], Sequence[Picture]] = tuple
    new_pictures: Callable[[], Sequence[Picture]] = tuple
    read: Callable[[Reply], Any] | None = None
    reasks: int | None = None


class Simulation(NamedTuple):
    """An attempt that a flow waits for; its result is sent back."""

    subject: Any  # task
    action: tuple[float, ...]


class Made(NamedTuple):
    """What was made of an answer."""

    value: Any
    answer: Any


#: Sent back: None to start, then what was made of an answer, or None if the turn was passed; and
#: the results of simulations.
Flow = Generator[Question | Simulation, Any, None]


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


class Puzzle(ABC, Generic[Seen]):
    """One task or game, the history of what a model did there, and the tools that it may use.

    Args:
        settings: the settings of the agent.
        name: name of the task or game.
        testing: a testing of this puzzle alone, where attempts are logged.
        schema: schema of what can be simulated.

    Attributes:
        result: what came of the last turn, in a few words.
        solved: whether an attempt has solved it.
        seen: attempts that were made.
        simulated: number of calls of `simulate`.
    """

    KIND: ClassVar[str]  # "task" or "game"
    ATTEMPT: ClassVar[str]  # "attempt" or "play", the word for one try
    SECONDS: ClassVar[float]  # length of a try

    def __init__(self, settings: ChatSettings, name: str, testing: Any, schema: Schema) -> None:
        self.settings, self.name, self.testing, self.schema = settings, name, testing, schema
        self.result = ""
        self.solved = False
        self.seen: list[Seen] = []
        self.simulated = 0
        self._told: list[str] = []  # the attempts in words
        self._passed = 0  # turns in a row

    @abstractmethod
    def flow(self) -> Flow:
        """Ask questions until the puzzle is over."""

    def simulate(self, wanted: Simulation) -> Any:
        """The result of a simulation that the flow waits for, if it ever does."""
        raise NotImplementedError

    @abstractmethod
    def describe(self, seen: Seen | None, second: float) -> str:
        """Describe the bodies at a time of an attempt, or at the start (None)."""

    @abstractmethod
    def draw(self, seen: Seen | None, second: float) -> Frame:
        """Draw them."""

    @abstractmethod
    def contacts(self, seen: Seen) -> Sequence[str]:
        """List the contacts of an attempt."""

    @abstractmethod
    def keyframe_times(self, seen: Seen) -> Sequence[float]:
        """The seconds at which an attempt is shown."""

    @abstractmethod
    def trial(self, proposal: Any) -> str:
        """Simulate a proposal that is no attempt, and describe its result."""

    @property
    def given_up(self) -> bool:
        """Whether too many turns in a row had no usable answer."""
        return self._passed >= self.settings.patience

    def ask(self, question: Question) -> Generator[Question, Made | None, Made | None]:
        """Ask a question and count the turns that are passed in a row."""
        made = yield question
        self._passed = self._passed + 1 if made is None else 0
        return made

    def add(self, seen: Seen, text: str) -> None:
        """Add an attempt to the history, with its description."""
        self.seen.append(seen)
        self._told.append(text)

    @property
    def last(self) -> Seen | None:
        """The last attempt, if there is one and the model is told of it."""
        return self.seen[-1] if self.seen and self.settings.history_size else None

    @property
    def last_told(self) -> str:
        """The description of the last attempt."""
        return self._told[-1]

    @property
    def last_ended(self) -> str:
        """The same and, if events are told, where everything that moves was at the end."""
        if not self.settings.tells_events:
            return self.last_told
        lines = self.describe(self.seen[-1], self.SECONDS).splitlines()
        moving = [f"  {line}" for line in lines if '"moves": true' in line]
        return "\n".join([self.last_told, "  At the end:", *moving])

    def history(self) -> list[str]:
        """Descriptions of the last attempts."""
        if self.last is None:
            return []
        return [*self._told[-self.settings.history_size : -1], self.last_ended]

    def keyframes(self, seen: Seen | None) -> list[Picture]:
        """Pictures of an attempt, as many as the settings want."""
        if seen is None or not self.settings.keyframes:
            return []
        caption = f"{self.ATTEMPT.capitalize()} {seen.number} after"
        return [
            (f"{caption} {second:.1f} s:", self.draw(seen, second))
            for second in self.keyframe_times(seen)
        ]

    def tools(self) -> list[Tool]:
        """The tools that the settings allow."""
        word = self.ATTEMPT
        number = {"type": "integer", "minimum": 0}
        second = {"type": "number", "minimum": 0, "maximum": self.SECONDS}
        moment = object_schema({word: number, "second": second}, word)
        when = (
            f"at the start ({word} 0), or in one of your earlier {word}s after so many seconds (at "
            "its end, if you give none)"
        )
        tools = [
            Tool("inspect", f"Where the bodies are: {when}.", moment, self._inspect),
            Tool(
                "contacts",
                f"Which bodies touched, and when, in one of your earlier {word}s.",
                object_schema({word: {**number, "minimum": 1}}, word),
                self._contacts,
            ),
        ]
        if self.settings.images:
            tools.append(Tool("look", f"A picture of the bodies: {when}.", moment, self._look))
        if self.settings.simulations:
            description = (
                f"What would come of a proposal. It is no {word}, but you have only "
                f"{self.settings.simulations} of these for a {self.KIND}."
            )
            tools.append(Tool(SIMULATE, description, self.schema, self._simulate))
        return tools

    def tools_text(self) -> str:
        """A description of the tools for the model."""
        settings = self.settings
        text = f"In a turn you may call tools {settings.max_tool_calls} times before `propose`."
        if settings.simulations:
            text += f" `simulate` may be run {settings.simulations} times on a {self.KIND}."
        return text

    def _moment(self, arguments: Any) -> tuple[Seen | None, float]:
        number: int = arguments[self.ATTEMPT]
        if number > len(self.seen):
            raise AnswerError(f"there is no {self.ATTEMPT} {number}; {len(self.seen)} were made")
        return self.seen[number - 1] if number else None, arguments.get("second", self.SECONDS)

    def _inspect(self, arguments: Any) -> Shown:
        return Shown(self.describe(*self._moment(arguments)))

    def _look(self, arguments: Any) -> Shown:
        seen, second = self._moment(arguments)
        caption = "The start:"
        if seen is not None:
            caption = f"{self.ATTEMPT.capitalize()} {seen.number} at {second:.1f} s:"
        return Shown("The picture follows.", [(caption, self.draw(seen, second))])

    def _contacts(self, arguments: Any) -> Shown:
        seen, _ = self._moment(arguments)
        assert seen is not None  # the number is at least 1
        return Shown("\n".join(self.contacts(seen)) or "Nothing touched.")

    def _simulate(self, arguments: Any) -> Shown:
        if self.simulated >= self.settings.simulations:
            raise AnswerError(f"all {self.simulated} simulations of this {self.KIND} are used")
        result = self.trial(arguments)
        self.simulated += 1
        left = self.settings.simulations - self.simulated
        return Shown(f"{result}\n{left} simulations are left.")
