"""A turn: a model is asked for one decision, and asked again while its reply cannot be used.

A turn takes at most ``1 + reasks`` failed replies. A reply fails if it contains no JSON object, if
the object does not follow its schema, or if the benchmark refuses it; each time the model is told
what was wrong. With tools, a reply that calls some is not a failure, but calls beyond their maximum
number are. A turn without a usable answer is *passed*.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from topple.llm.answers import AnswerError, Schema, check, parse_json, read_answer
from topple.llm.chat import Chat, Message
from topple.llm.reply import Call, Choice
from topple.llm.settings import ChatSettings

Value = TypeVar("Value")

PROPOSE = "propose"
_LONGEST_ECHO = 2000  # characters of a failed reply that are sent back


@dataclass(frozen=True)
class Tool:
    """A function that a model may call."""

    name: str
    description: str
    parameters: Schema
    run: Callable[[Any], str]  # takes checked arguments; an AnswerError goes to the model

    def to_data(self) -> dict[str, Any]:
        """The tool as a request lists it."""
        function = {
            "name": self.name,
            "description": self.description,
            "parameters": dict(self.parameters),
        }
        return {"type": "function", "function": function}


@dataclass
class Turn(Generic[Value]):
    """The course of a turn."""

    value: Value | None = None  # None: passed
    exchanges: int = 0
    failures: list[str] = field(default_factory=list)  # what was wrong, reply by reply
    calls: Counter[str] = field(default_factory=Counter)  # of tools, by name


class Asker:
    """Asks a model for decisions, according to the settings of an agent."""

    def __init__(self, chat: Chat, settings: ChatSettings) -> None:
        self._chat, self._settings = chat, settings

    def ask(
        self,
        place: str,
        messages: Sequence[Message],
        schema: Schema,
        accept: Callable[[Any], Value],
        tools: Iterable[Tool] = (),
    ) -> Turn[Value]:
        """Take a turn.

        Args:
            place: place of the turn in the run, such as ``00001:042/003``.
            messages: the messages that it starts with.
            schema: schema of the answer.
            accept: makes a value of an answer; an AnswerError is told to the model.
            tools: tools besides `propose`, which takes the answer; used if the settings say so.
        """
        settings = self._settings
        turn: Turn[Value] = Turn()
        talk = list(messages)
        box: dict[str, Tool] = {}
        more: Mapping[str, Any] = settings.format(schema)
        if settings.tools:
            propose = Tool(PROPOSE, "Give your answer. This ends your turn.", schema, str)
            box = {tool.name: tool for tool in (*tools, propose)}
            more = {"tools": [tool.to_data() for tool in box.values()]}
        while turn.value is None and len(turn.failures) <= settings.reasks:
            reply = self._chat.ask(f"{place}/{turn.exchanges:02d}", talk, more)
            turn.exchanges += 1
            choice = reply.choice()
            if settings.tools and choice.calls:
                self._call_tools(turn, talk, choice, box, accept)
                continue
            try:
                if reply.problem:
                    raise AnswerError(reply.problem)
                if settings.tools:
                    raise AnswerError(f"nothing was called; give your answer by `{PROPOSE}`")
                turn.value = accept(read_answer(choice.text, schema))
            except AnswerError as error:
                turn.failures.append(str(error))
                talk.append({"role": "assistant", "content": choice.text[:_LONGEST_ECHO]})
                talk.append({"role": "user", "content": _correction(error, settings.tools)})
        return turn

    def _call_tools(
        self,
        turn: Turn[Value],
        talk: list[Message],
        choice: Choice,
        box: Mapping[str, Tool],
        accept: Callable[[Any], Value],
    ) -> None:
        """Make the tool calls of a reply, up to one that ends the turn."""
        limit = self._settings.max_tool_calls + len(box)
        calls = choice.calls[:limit]  # a reply may hold any number of calls
        talk.append(_tool_calls(choice.text[:_LONGEST_ECHO], calls))
        for call in calls:
            try:
                result = self._call_tool(turn, call, box, accept)
            except AnswerError as error:
                turn.failures.append(str(error))
                result = f"Not accepted: {error}."
            if turn.value is not None:
                return
            talk.append({"role": "tool", "tool_call_id": call.id, "content": result})

    def _call_tool(
        self,
        turn: Turn[Value],
        call: Call,
        box: Mapping[str, Tool],
        accept: Callable[[Any], Value],
    ) -> str:
        tool = box.get(call.name)
        if tool is None:
            raise AnswerError(f"there is no tool {call.name[:40]!r}; there are {', '.join(box)}")
        used = sum(turn.calls.values()) - turn.calls[PROPOSE]
        if tool.name != PROPOSE and used >= self._settings.max_tool_calls:
            raise AnswerError(f"all {used} tool calls of this turn are used; call `{PROPOSE}` now")
        turn.calls[tool.name] += 1
        arguments = parse_json(call.arguments or "{}")
        check(arguments, tool.parameters, "the arguments")
        if tool.name == PROPOSE:
            turn.value = accept(arguments)
            return ""
        return tool.run(arguments)


def _tool_calls(text: str, calls: Iterable[Call]) -> Message:
    return {
        "role": "assistant",
        "content": text,
        "tool_calls": [
            {
                "id": call.id,
                "type": "function",
                "function": {"name": call.name, "arguments": call.arguments[:_LONGEST_ECHO]},
            }
            for call in calls
        ],
    }


def _correction(error: AnswerError, tools: bool) -> str:
    form = f"call `{PROPOSE}`" if tools else "reply with one JSON object of the form asked for"
    return f"This cannot be used: {error}. Please {form}."
