"""A Model Context Protocol server: puzzles for an assistant that brings its own model.

The tools list puzzles, open one, show it, try something on it and inspect earlier attempts; no
tool tells a solution. Attempts and simulations have budgets. After each one, the run record and the
answers are written to the folder of run records, and a server that is started again with the same
options goes on from there: the budgets are those of the run, not of the process.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from threading import Lock
from typing import Any

from topple.llm.answers import AnswerError, Schema, object_schema
from topple.llm.evaluation import Evaluation
from topple.llm.messages import to_png
from topple.llm.puzzle import SIMULATE, Shown
from topple.llm.session import Session
from topple.llm.turns import read_turns, write_turns
from topple.runs.record import conversation_folder, record_path, write_record

try:
    from mcp.server.fastmcp import FastMCP
    from mcp.server.fastmcp.exceptions import ToolError
    from mcp.types import ContentBlock, ImageContent, TextContent, Tool
except ImportError:
    raise ImportError("the server needs the package mcp: pip install 'topple[mcp]'") from None

HOST = "127.0.0.1"
NAME = "topple"
_INSTRUCTIONS = """\
Physics puzzles. Call list_puzzles, open one with open_puzzle, read its rules, and try to solve it \
with as few attempts as possible; each attempt counts and is recorded."""
_TRY = {"balls": "try_action", "times": "try_plan", "remove": "remove_block"}  # by form of answer
_TRY_WORDS = {
    "try_action": "Make an attempt on a PHYRE task: place the red balls and see what happens.",
    "try_plan": "Play an I-PHYRE game: say when each gray block is removed, and see what happens.",
    "remove_block": "Go on in an I-PHYRE game: remove a gray block now, or none.",
}


class Puzzles:
    """The puzzles of some runs, and what was done on them. Threads may share it.

    Args:
        evaluations: the runs.
        folder: folder of run records.
    """

    def __init__(self, evaluations: Sequence[Evaluation], folder: Path) -> None:
        self._runs = tuple(evaluations)
        self._folder = folder
        self._of = {name: run for run in self._runs for name in run.subjects}
        self._sessions: dict[str, Session] = {}
        self._lock = Lock()
        for run in self._runs:
            for name, turns in read_turns(self._conversations(run)).items():
                self._open(name).replay(turns)

    def tools(self) -> dict[str, tuple[str, Schema]]:
        """The description and the schema of the arguments of each tool."""
        found: dict[str, tuple[str, Schema]] = {
            "list_puzzles": ("List the puzzles, with attempts left.", object_schema({})),
            "open_puzzle": ("Rules, description and picture of a puzzle.", _named({})),
        }
        for run in self._runs:
            puzzle = run.puzzle(next(iter(run.subjects)))
            schema = Session(puzzle).question.schema
            name = next(_TRY[form] for form in schema["properties"] if form in _TRY)
            properties = dict(schema["properties"])
            if name == "try_plan":  # games differ in the number of their blocks
                properties["times"] = {"type": "array", "items": properties["times"]["items"]}
            found[name] = (_TRY_WORDS[name], _named(properties, schema["required"]))
            for tool in puzzle.tools():
                own = dict(tool.parameters["properties"])
                if "play" in own:
                    own["attempt"] = own.pop("play")
                required = ["attempt"] if "attempt" in own else tool.parameters["required"]
                found[tool.name] = (tool.description, _named(own, required))
        return found

    def call(self, tool: str, arguments: Mapping[str, Any]) -> Shown:
        """Call a tool.

        Raises:
            AnswerError: it cannot be used in this way; the message says why.
        """
        with self._lock:
            if tool == "list_puzzles":
                return Shown(json.dumps([self._row(name) for name in self._of], indent=0))
            own = dict(arguments)
            session = self._open(str(own.pop("puzzle", "")))
            if tool == "open_puzzle":
                return self._show(session)
            if tool in _TRY_WORDS:
                return self._try(session, own)
            if session.puzzle.ATTEMPT == "play" and "attempt" in own:
                own["play"] = own.pop("attempt")
            shown = session.use(tool, own)
            if tool == SIMULATE:  # its budget is that of the run, too
                self._write(session)
            return shown

    def _open(self, name: str) -> Session:
        if name not in self._of:
            first = next(iter(self._of))
            raise AnswerError(f"there is no puzzle {name[:40]!r}; there is {first!r}")
        if name not in self._sessions:
            self._sessions[name] = Session(self._of[name].puzzle(name))
        return self._sessions[name]

    def _row(self, name: str) -> dict[str, Any]:
        limit, session = self._of[name].config.attempts, self._sessions.get(name)
        row: dict[str, Any] = {"puzzle": name, "attempts_left": limit, "solved": False}
        if session is not None:
            log = session.puzzle.testing.log
            row.update(attempts_left=limit - len(log), solved=session.puzzle.solved)
        return row

    def _show(self, session: Session) -> Shown:
        if session.over:
            return Shown(f"{session.puzzle.name} is over. {session.puzzle.result}.")
        question = session.question
        text = f"{question.rules}\n\n{question.text}"
        pictures = question.pictures() if session.settings.images else ()
        return Shown(text, pictures)

    def _try(self, session: Session, answer: Any) -> Shown:
        if session.over:
            raise AnswerError(f"{session.puzzle.name} is over: {session.puzzle.result}")
        session.answer(answer)
        self._write(session)
        if session.over:
            told = session.puzzle.last_told
            end = "Solved." if session.puzzle.solved else "No attempts are left."
            return Shown(f"{told}\n\n{end}")
        question = session.question
        pictures = question.new_pictures() if session.settings.images else ()
        return Shown(question.news, pictures)

    def _write(self, session: Session) -> None:
        """Write the answers and the record of the session's run."""
        run = self._of[session.puzzle.name]
        own = {name: each for name, each in self._sessions.items() if self._of[name] is run}
        turns = {name: own[name].notes for name in run.subjects if name in own}
        write_turns(self._conversations(run), turns)
        puzzles = [each.puzzle for each in own.values()]
        if any(len(puzzle.testing.log) for puzzle in puzzles):
            write_record(self._folder, run.record(puzzles))

    def _conversations(self, run: Evaluation) -> Path:
        return conversation_folder(record_path(self._folder, run.config))


class McpServer(FastMCP[Any]):
    """The server, over standard input and output or over HTTP on loopback."""

    def __init__(self, puzzles: Puzzles, port: int = 0) -> None:
        self._puzzles = puzzles
        super().__init__(
            NAME, _INSTRUCTIONS, host=HOST, port=port, log_level="WARNING", stateless_http=True
        )

    async def list_tools(self) -> list[Tool]:
        """The tools with their schemas."""
        return [
            Tool(name=name, description=words, inputSchema=dict(schema))
            for name, (words, schema) in self._puzzles.tools().items()
        ]

    async def call_tool(self, name: str, arguments: dict[str, Any]) -> Sequence[ContentBlock]:
        """Call a tool; what is wrong with a call goes back to the model."""
        try:
            shown = self._puzzles.call(name, arguments)
        except AnswerError as error:
            raise ToolError(f"Not accepted: {error}.") from None
        content: list[ContentBlock] = [TextContent(type="text", text=shown.text)]
        for caption, frame in shown.pictures:
            data = base64.b64encode(to_png(frame)).decode()
            content.append(TextContent(type="text", text=caption))
            content.append(ImageContent(type="image", data=data, mimeType="image/png"))
        return content


def _named(properties: Mapping[str, Any], required: Sequence[str] = ()) -> Schema:
    name = {"type": "string", "description": "Name of the puzzle, as list_puzzles gives it."}
    return object_schema({"puzzle": name, **properties}, "puzzle", *required)
