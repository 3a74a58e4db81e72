"""Settings that both benchmarks' agents share: what is asked, and how often."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from topple.llm.chat import Link

_OWN = ("messages", "tools", "stream")  # parts of a request that the agent writes


@dataclass
class ChatSettings:
    """Of a model as an agent. All of them change what is asked, so they are in the record.

    Attributes:
        model: its name at the endpoint.
        temperature: None: the server's own.
        max_tokens: of an answer; 0: not sent.
        extra: a JSON object with more parts of every request, such as a reasoning effort.
        enforce: send the answer's JSON schema along, for servers that can hold a model to it.
        images: show the scene as a picture, too.
        keyframes: pictures of how the last attempt went, at even distances in time; 0: none.
        memory: earlier attempts that are told; the last ones.
        reasks: of an answer that cannot be used, in one turn.
        patience: turns in a row without a usable answer after which no more is asked.
        tools: let the model call `inspect` and `propose` in place of a plain answer.
        tool_calls: in one turn, `propose` not counted.
        simulations: on each task or game, by the tool `simulate`; marks the run as privileged.
        link: to the model; no part of the record.
    """

    model: str = "default"
    temperature: float | None = None
    max_tokens: int = 1024
    extra: str = ""
    enforce: bool = False
    images: bool = False
    keyframes: int = 0
    memory: int = 10
    reasks: int = 3
    patience: int = 3
    tools: bool = False
    tool_calls: int = 8
    simulations: int = 0
    link: Link | None = field(default=None, repr=False, compare=False)

    def __post_init__(self) -> None:
        for name, least, most in (
            ("max_tokens", 0, 1_000_000),
            ("keyframes", 0, 16),
            ("memory", 0, 100),
            ("reasks", 0, 10),
            ("patience", 1, 100),
            ("tool_calls", 1, 100),
            ("simulations", 0, 1000),
        ):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
                raise ValueError(f"{name} is {value!r}; it has to be {least} to {most}")
        if self.temperature is not None and not 0 <= self.temperature <= 2:
            raise ValueError(f"temperature is {self.temperature}; it has to be 0 to 2")
        if not self.model:
            raise ValueError("model is empty; give the name the endpoint knows it by")
        if self.keyframes and not self.images:
            raise ValueError("keyframes are pictures; set images, too")
        if self.simulations and not self.tools:
            raise ValueError("simulations are run by a tool; set tools, too")
        self.options()

    def options(self) -> dict[str, Any]:
        """What every request has besides its messages."""
        options: dict[str, Any] = {"model": self.model}
        if self.temperature is not None:
            options["temperature"] = self.temperature
        if self.max_tokens:
            options["max_tokens"] = self.max_tokens
        return {**options, **_object(self.extra)}

    def format(self, schema: Mapping[str, Any]) -> dict[str, Any]:
        """The part of a request that holds a model to a schema, if that is wanted."""
        if not self.enforce or self.tools:
            return {}
        form = {"name": "answer", "schema": dict(schema)}
        return {"response_format": {"type": "json_schema", "json_schema": form}}


def _object(text: str) -> dict[str, Any]:
    if not text:
        return {}
    try:
        value = json.loads(text)
    except ValueError as error:
        raise ValueError(f"extra is {text!r}, which is no JSON: {error}") from None
    if not isinstance(value, dict):
        raise ValueError(f"extra is {text!r}; it has to be a JSON object")
    for name in _OWN:
        if name in value:
            raise ValueError(f"extra holds {name!r}, which the agent writes itself")
    return value
