"""Settings that the language model agents of both benchmarks share."""

from __future__ import annotations

import json
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

from topple.runs.agent import Untrained

if TYPE_CHECKING:
    from topple.llm.chat import Link  # which needs httpx; other harnesses do without
    from topple.llm.puzzle import Puzzle

FEEDBACK = ("outcome", "what_happened", "events")  # each tells more than the one before
_OWN = ("messages", "tools", "stream")  # fields of a request that the agent writes


@dataclass
class ChatSettings(Untrained):
    """The settings of a language model as an agent; all of them change what is asked.

    Attributes:
        model: name of the model at the endpoint.
        temperature: sampling temperature; None: the server's default.
        max_tokens: maximum number of tokens of a reply; 0: not sent.
        extra_body: JSON object with further fields of every request, such as a reasoning effort.
        structured_outputs: whether to send the JSON schema of answers, for servers that can
            enforce it.
        images: whether to send a picture of the scene, too.
        labels: whether pictures have a grid with coordinates and the names of bodies.
        keyframes: number of pictures of the last attempt.
        keyframes_by: "time" for keyframes evenly spaced in time, or "contacts" for the moments
            when bodies first touch.
        feedback: what the model is told of its attempts: "outcome", whether they solved it;
            "what_happened", also the first contact of its ball, what fell, and how near it came;
            "events", also the first contacts of all bodies in order, and where all ended.
        history_size: number of earlier attempts that the model is told of.
        dialogue: whether turns go on in one conversation, instead of starting afresh with a
            summary of earlier attempts.
        reasks: number of times the model is asked again in a turn if its reply cannot be used.
        patience: consecutive turns without a usable answer after which no more is asked.
        tools: whether the model calls `inspect` and `propose` instead of replying in plain text.
        max_tool_calls: maximum number of tool calls in a turn, apart from `propose`.
        simulations: maximum number of calls of the tool `simulate` on each task or game; they mark
            the run as privileged.
        link: link to the model; not part of the record.
    """

    model: str = "default"
    temperature: float | None = None
    max_tokens: int = 1024
    extra_body: str = ""
    structured_outputs: bool = False
    images: bool = False
    labels: bool = False
    keyframes: int = 0
    keyframes_by: str = "time"
    feedback: str = "events"
    history_size: int = 10
    dialogue: bool = False
    reasks: int = 3
    patience: int = 3
    tools: bool = False
    max_tool_calls: int = 8
    simulations: int = 0
    link: Link | None = field(default=None, repr=False, compare=False)

    def __post_init__(self) -> None:
        for name, least, most in (
            ("max_tokens", 0, 1_000_000),
            ("keyframes", 0, 16),
            ("history_size", 0, 100),
            ("reasks", 0, 10),
            ("patience", 1, 100),
            ("max_tool_calls", 1, 100),
            ("simulations", 0, 1000),
        ):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
                raise ValueError(f"{name} is {value!r}; it has to be {least} to {most}")
        if self.temperature is not None and not 0 <= self.temperature <= 2:
            raise ValueError(f"temperature is {self.temperature}; it has to be 0 to 2")
        if not self.model:
            raise ValueError("model is empty; give the name the endpoint knows it by")
        for name, known in (("feedback", FEEDBACK), ("keyframes_by", ("time", "contacts"))):
            if getattr(self, name) not in known:
                raise ValueError(
                    f"{name} is {getattr(self, name)!r}; it has to be one of {', '.join(known)}"
                )
        if (self.keyframes or self.labels) and not self.images:
            raise ValueError("keyframes and labels are of pictures; set images, too")
        if self.simulations and not self.tools:
            raise ValueError("simulations are run by a tool; set tools, too")
        self.options()

    @property
    def tells_events(self) -> bool:
        """Whether the model is told the first contacts of all bodies, and where all ended."""
        return self.feedback == "events"

    def converse(self, testing: Any, subjects: Sequence[Any]) -> None:
        """Work on tasks or games, several of them concurrently."""
        from topple.llm.chat import converse  # needs httpx; other harnesses do without

        puzzles = [partial(self.puzzle, testing, subject) for subject in subjects]
        for puzzle in converse(self.link, self.options(), puzzles):
            testing.join(puzzle.testing)

    @abstractmethod
    def puzzle(self, testing: Any, subject: Any) -> Puzzle[Any]:
        """A task or game as a puzzle for a model."""

    def options(self) -> dict[str, Any]:
        """The fields of every request besides its messages."""
        options: dict[str, Any] = {"model": self.model}
        if self.temperature is not None:
            options["temperature"] = self.temperature
        if self.max_tokens:
            options["max_tokens"] = self.max_tokens
        return {**options, **_object(self.extra_body)}

    def format(self, schema: Mapping[str, Any]) -> dict[str, Any]:
        """The field of a request that enforces a schema, if that is wanted."""
        if not self.structured_outputs or self.tools:
            return {}
        form = {"name": "answer", "schema": dict(schema)}
        return {"response_format": {"type": "json_schema", "json_schema": form}}


def _object(text: str) -> dict[str, Any]:
    if not text:
        return {}
    try:
        value = json.loads(text)
    except ValueError as error:
        raise ValueError(f"extra_body is {text!r}, which is no JSON: {error}") from None
    if not isinstance(value, dict):
        raise ValueError(f"extra_body is {text!r}; it has to be a JSON object")
    for name in _OWN:
        if name in value:
            raise ValueError(f"extra_body holds {name!r}, which the agent writes itself")
    return value
