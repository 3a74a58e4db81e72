"""Replies of an endpoint, checked and reduced to what is needed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple


class Call(NamedTuple):
    """A tool call of a model."""

    id: str
    name: str
    arguments: str  # JSON, as the model wrote it


class Choice(NamedTuple):
    """One completion."""

    text: str
    calls: tuple[Call, ...] = ()
    finish: str = ""  # the server's finish reason


class Usage(NamedTuple):
    """Tokens of an exchange, as the server counted them."""

    prompt: int
    completion: int


class Reply(NamedTuple):
    """A reply of the server; one that cannot be used has no choices and says why."""

    choices: tuple[Choice, ...]
    usage: Usage | None = None  # None: the server did not say
    problem: str = ""
    model: str = ""  # the model's name, according to the server

    def choice(self, number: int = 0) -> Choice:
        """A completion; an empty one if there are fewer."""
        return self.choices[number] if number < len(self.choices) else Choice("")

    def to_data(self) -> dict[str, Any]:
        """The reply as plain values for JSON."""
        data = {**self._asdict(), "choices": [choice._asdict() for choice in self.choices]}
        if not self.problem:
            del data["problem"]
        return data

    @classmethod
    def from_data(cls, data: Mapping[str, Any]) -> Reply:
        """Make a reply from plain values."""
        choices = tuple(
            Choice(
                str(choice["text"]),
                tuple(Call(*map(str, call)) for call in choice["calls"]),
                str(choice["finish"]),
            )
            for choice in data["choices"]
        )
        usage = data["usage"]
        return cls(
            choices,
            None if usage is None else Usage(*map(int, usage)),
            str(data.get("problem", "")),
            str(data["model"]),
        )


class ReplyError(ValueError):
    """The response is not a chat completion."""


def parse_reply(body: Any) -> Reply:
    """Read a chat completion as OpenAI-compatible servers send it.

    A refusal that a server keeps apart from the content is taken as the content: to a
    harness it is an answer like any other that does not follow the rules.

    Raises:
        ReplyError: it is none.
    """
    if not isinstance(body, dict) or not isinstance(body.get("choices"), list):
        raise ReplyError("the server's answer has no list of choices")
    choices = []
    for item in body["choices"]:
        message = item.get("message") if isinstance(item, dict) else None
        if not isinstance(message, dict):
            raise ReplyError("a choice of the server's answer has no message")
        text = _text(message.get("content")) or _text(message.get("refusal"))
        calls = message.get("tool_calls") or ()
        finish = item.get("finish_reason")
        choices.append(Choice(text, tuple(map(_call, calls)), _writable(str(finish or ""))))
    if not choices:
        raise ReplyError("the server's answer has no choices")
    return Reply(tuple(choices), _usage(body.get("usage")), model=_text(body.get("model")))


def _text(content: object) -> str:
    """Content is a string, nothing, or a list of parts of which some are text."""
    if isinstance(content, str):
        return _writable(content)
    if isinstance(content, list):
        parts = (part.get("text") for part in content if isinstance(part, dict))
        return _writable("".join(part for part in parts if isinstance(part, str)))
    return ""


def _writable(text: str) -> str:
    """The text without lone surrogates, which JSON can hold but files cannot."""
    return text.encode(errors="replace").decode()


def _call(item: object) -> Call:
    function = item.get("function") if isinstance(item, dict) else None
    if not isinstance(item, dict) or not isinstance(function, dict):
        raise ReplyError("a tool call of the server's answer names no function")
    arguments = function.get("arguments")
    return Call(
        _writable(str(item.get("id") or "")),
        _writable(str(function.get("name") or "")),
        _text(arguments),
    )


def _usage(item: object) -> Usage | None:
    if not isinstance(item, dict):
        return None
    prompt, completion = item.get("prompt_tokens"), item.get("completion_tokens")
    if not isinstance(prompt, int) or not isinstance(completion, int):
        return None
    return Usage(max(prompt, 0), max(completion, 0))
