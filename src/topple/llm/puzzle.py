"""A puzzle as a model meets it: questions, answers, and what came of earlier attempts.

A :class:`Puzzle` is one task or game. Its :meth:`~Puzzle.flow` is a generator: it yields a
:class:`Question`, is sent what was made of the answer, and goes on to the next question until
the puzzle is over. Whoever asks the model, a harness of ours or of somebody else, drives it
through a :class:`topple.llm.session.Session`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar

from topple.llm.answers import Schema
from topple.llm.messages import Picture
from topple.llm.reply import Reply
from topple.llm.settings import ChatSettings

if TYPE_CHECKING:
    from topple.llm.toolbox import Toolbox

Seen = TypeVar("Seen")


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


class Puzzle(ABC, Generic[Seen]):
    """One task or game, and the history of what a model did there.

    Args:
        settings: the settings of the agent.
        name: name of the task or game.

    Attributes:
        toolbox: the tools that the model may use; a subclass makes it.
        testing: the scored phase, where attempts are logged; likewise.
        result: what came of the last turn, in a few words.
        solved: whether an attempt has solved it.
    """

    toolbox: Toolbox[Seen]
    testing: Any  # of this puzzle alone, by its benchmark

    def __init__(self, settings: ChatSettings, name: str) -> None:
        self.settings, self.name = settings, name
        self.result = ""
        self.solved = False
        self._told: list[str] = []  # the attempts of the toolbox in words
        self._passed = 0  # turns in a row

    @abstractmethod
    def flow(self) -> Flow:
        """Ask questions until the puzzle is over."""

    @abstractmethod
    def simulate(self, wanted: Simulation) -> Any:
        """The result of a simulation that the flow waits for."""

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
        self.toolbox.seen.append(seen)
        self._told.append(text)

    @property
    def last(self) -> Seen | None:
        """The last attempt, if there is one and the model is told of it."""
        return self.toolbox.seen[-1] if self.toolbox.seen and self.settings.history_size else None

    @property
    def last_told(self) -> str:
        """The description of the last attempt."""
        return self._told[-1]

    def history(self, final: Callable[[Seen], str]) -> list[str]:
        """Descriptions of the last attempts; `final` describes where the last one ended."""
        if self.last is None:
            return []
        texts = self._told[-self.settings.history_size :]
        end = final(self.last) if self.settings.tells_events else ""
        return [*texts[:-1], f"{texts[-1]}\n{end}" if end else texts[-1]]
