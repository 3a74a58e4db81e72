"""A chat server for tests: real HTTP on loopback, and any fault one likes."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from topple.llm.chat import Link
from topple.llm.endpoint import Connection
from topple.llm.scripted import SCRIPTS, ScriptServer
from topple.llm.scripted.server import Response, completion

#: Takes the number of a request, from 0, and its body; None: answer as the script does.
Fault = Callable[[int, Mapping[str, Any]], Response | None]

KEY = "sk-test-0123456789abcdef"  # no real one


def text_reply(body: Mapping[str, Any], *texts: str) -> Response:
    """A completion with some texts."""
    return completion(body, [{"content": text} for text in texts])


def call_reply(body: Mapping[str, Any], *calls: tuple[str, Any]) -> Response:
    """A completion that calls tools with some arguments."""
    listed = [
        {
            "id": f"call_{k}",
            "type": "function",
            "function": {"name": name, "arguments": json.dumps(arguments)},
        }
        for k, (name, arguments) in enumerate(calls)
    ]
    return completion(body, [{"content": None, "tool_calls": listed}])


def says(*answers: Any) -> Fault:
    """A model that gives one text or JSON value after the other, and the last one for ever."""
    texts = [answer if isinstance(answer, str) else json.dumps(answer) for answer in answers]
    return lambda number, body: text_reply(body, texts[min(number, len(texts) - 1)])


def calls(*steps: tuple[str, Any]) -> Fault:
    """A model that calls one tool after the other."""
    return lambda number, body: call_reply(body, steps[number])


class ChatServer(ScriptServer):
    """Scripted models with faults; remembers what was asked.

    Attributes:
        bodies: of all requests, in the order they came.
        headers: likewise.
    """

    def __init__(self, fault: Fault | None = None) -> None:
        super().__init__(SCRIPTS)
        self._fault = fault
        self._guard = threading.Lock()
        self.bodies: list[Mapping[str, Any]] = []
        self.headers: list[Mapping[str, str]] = []

    def respond(self, body: Any, headers: Mapping[str, str]) -> Response:
        with self._guard:
            number = len(self.bodies)
            self.bodies.append(body)
            self.headers.append(headers)
        response = self._fault(number, body) if self._fault else None
        return response or super().respond(body, headers)

    def __enter__(self) -> ChatServer:
        super().__enter__()
        return self

    def link(self, folder: Path, **words: Any) -> Link:
        """A link to this server, which loses no time over retries."""
        return Link(Connection(self.url, **{"first_wait": 0.01, **words}), folder)
