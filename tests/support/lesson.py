"""A page of the documentation as a lesson: its blocks, run in order as a reader would.

=================  ================================================================================
block              what happens
=================  ================================================================================
``python``         runs; the blocks of a page share their names. One that begins with
                   ``# file: NAME`` is written to that file instead.
``text``           is what the Python block before it printed. So is a line of prose that begins
                   with ``prints`` and a text in backquotes.
``console``        lines that begin with ``$ `` are commands; what stands below one, it prints.
``sh``, none       are sketches: commands that take too long, or need what a test has not. They
                   are not run; tests/cli/test_documented_commands.py has them parsed.
any other          is only looked at.
=================  ================================================================================

In shown output ``...`` stands for anything within a line, and for any lines where it is alone.
``<!-- changes: WORD -->`` names a word that is another one each time: where output shows it first,
the reader's own is learned and stands for it from there on. Commands that serve (`topple play`,
`topple llm-server`) run until the end of the page, on a free port in place of 8765 or 8770.
"""

from __future__ import annotations

import io
import os
import re
import shlex
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, redirect_stdout
from pathlib import Path
from threading import Timer
from types import ModuleType
from typing import NamedTuple

PORT = "8765"  # of the player on the pages
LLM_PORT = "8770"  # of scripted models
SERVERS = ("topple play", "topple llm-server")
#: Commands that install or set up what the tests themselves run in -> why they are not run.
NOT_RUN = {
    "git clone": "the tests run in a clone",
    "source .venv/bin/activate": "the tests run in this environment",
    "make test": "it is what runs these tests",
    "make setup": "`make test` runs it first",
    "make run": "minutes long: run by test_make_run_writes_a_report, which is slow",
    "make play": "`topple play`, which is run, and a browser",
    "make docs": "run by tests/docs/test_site.py",
    "pip install": "`make setup` installs every extra named",
}
_BLOCK = re.compile(
    r"^```(?P<language>\w*)\n(?P<body>.*?)^```$|^prints `(?P<line>.*?)`", re.DOTALL | re.MULTILINE
)
_CHANGES = re.compile(r"<!-- changes: (.*?) -->")
_WAIT = 120  # seconds for a command, and for a server to be ready or to end


class Block(NamedTuple):
    """A fenced block of a page, or a line that says what the block before it prints."""

    language: str
    body: str
    line: int


class Command(NamedTuple):
    """A command of a console block, and the output shown below it ("": none is shown)."""

    text: str
    shown: str


def blocks_of(page: Path) -> list[Block]:
    """The blocks of a page in order."""
    text = page.read_text(encoding="utf-8")
    found = []
    for match in _BLOCK.finditer(text):
        line = text.count("\n", 0, match.start()) + 2
        if match["line"] is not None:
            found.append(Block("text", match["line"], line))
        else:
            found.append(Block(match["language"], match["body"], line))
    return found


def commands_of(block: Block) -> list[Command]:
    """The commands of a console block."""
    parts = re.split(r"^\$ ", block.body.replace("\\\n", " "), flags=re.MULTILINE)
    assert not parts[0].strip(), f"output without a command: {parts[0]!r}"
    halves = (part.partition("\n") for part in parts[1:])
    return [Command(command.partition("  #")[0].strip(), shown) for command, _, shown in halves]


def excuse(command: str) -> str | None:
    """Why a command is not run, if it is not."""
    return next((why for start, why in NOT_RUN.items() if command.startswith(start)), None)


class Reader:
    """Somebody who follows a page in a folder of their own.

    Attributes:
        compared: how often what was printed was compared with what the page shows.
    """

    def __init__(self, page: Path, folder: Path, servers: ExitStack) -> None:
        self.page, self.folder = page, folder
        self.compared = 0
        self._servers = servers
        self._own = {PORT: free_port(), LLM_PORT: free_port()}
        self._unknown = _CHANGES.findall(page.read_text(encoding="utf-8"))
        module = sys.modules["lesson_page"] = ModuleType("lesson_page")  # dataclasses look there
        self._names = vars(module)
        self._printed: str | None = None  # by the Python block before

    def follow(self) -> None:
        """Do what the page says, block by block."""
        for block in blocks_of(self.page):
            if block.language == "python":
                self._printed = self._run_python(block)
            elif block.language == "text" and self._printed is not None:
                self._compare(block.body, self._printed, block)
                self._printed = None
            elif block.language == "console":
                for command in commands_of(block):
                    self._run_command(command, block)

    def _run_python(self, block: Block) -> str | None:
        code = self._mine(block.body)
        file = re.match(r"# file: (\S+)\n", code)
        if file:
            (self.folder / file[1]).write_text(code, encoding="utf-8")
            return None
        with redirect_stdout(io.StringIO()) as printed:
            # The empty lines make tracebacks name the line of the page.
            exec(compile("\n" * (block.line - 1) + code, self.page, "exec"), self._names)
        return printed.getvalue()

    def _run_command(self, command: Command, block: Block) -> None:
        if excuse(command.text):
            return
        text = self._mine(command.text)
        if text.startswith(SERVERS):
            output = self._servers.enter_context(serving(text, self._own[PORT]))
        else:
            done = subprocess.run(
                ["bash", "-c", text],
                capture_output=True,
                text=True,
                env=_environment(),
                timeout=_WAIT,
            )
            # A command may fail only where the page shows the error.
            fails = "error: " in command.shown
            assert fails or done.returncode == 0, f"{text}\n{done.stdout}\n{done.stderr}"
            output = done.stderr if fails else done.stdout
        if command.shown.strip():
            self._compare(command.shown, output, block)

    def _compare(self, shown: str, printed: str, block: Block) -> None:
        self.compared += 1
        wanted = _lines(self._mine(shown))
        new = [word for word in self._unknown if word not in self._own and word in wanted]
        new.sort(key=wanted.index)
        pattern = _pattern(wanted, new)
        match = re.fullmatch(pattern, _lines(printed), re.DOTALL)
        place = f"{self.page.name}, line {block.line}"
        assert match, f"{place} shows\n{wanted}\nand what is printed is\n{_lines(printed)}"
        self._own.update(zip(new, match.groups(), strict=True))

    def _mine(self, text: str) -> str:
        """A text of the page, with the reader's own words in it."""
        for word, own in self._own.items():
            text = re.sub(rf"\b{re.escape(word)}\b", own, text)
        return text


def _lines(text: str) -> str:
    return "\n".join(line.rstrip() for line in text.strip("\n").splitlines())


def _pattern(shown: str, new: list[str]) -> str:
    """What printed text has to match; a group for each new word, in order of appearance."""
    pattern = "\n".join(
        ".*" if line.strip() == "..." else re.escape(line).replace(r"\.\.\.", "[^\n]*")
        for line in shown.splitlines()
    )
    for number, word in enumerate(new):
        before, *after = pattern.split(re.escape(word))
        pattern = before + rf"(?P<word{number}>\S+)" + f"(?P=word{number})".join(after)
    return pattern


def free_port() -> str:
    """A port that nothing listens at."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return str(listener.getsockname()[1])


@contextmanager
def serving(command: str, port: str) -> Iterator[str]:
    """A command that serves until Ctrl-C; yields the line that says where."""
    words = shlex.split(command.strip(" &"))
    if "--port" not in words:
        words += ["--port", port]
    with subprocess.Popen(
        words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=_environment()
    ) as server:
        late = Timer(_WAIT, server.kill)
        try:
            assert server.stdout is not None
            late.start()
            ready = server.stdout.readline()
            late.cancel()
            yield ready
        finally:
            server.send_signal(signal.SIGINT)
            late = Timer(_WAIT, server.kill)
            late.start()
            output, _ = server.communicate()
            late.cancel()
    assert server.returncode == 0, f"{command} ended with {server.returncode}:\n{output}"


def _environment() -> dict[str, str]:
    """Of a shell in which the package is installed; no page opens a browser."""
    home = str(Path(sys.executable).parent)
    return {
        **os.environ,
        "PATH": home + os.pathsep + os.environ["PATH"],
        "COLUMNS": "100",
        "BROWSER": "true",
        "PYTHONUNBUFFERED": "1",
    }
