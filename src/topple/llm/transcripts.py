"""What was said between a run and a model, as a part of a page: accounts and conversations.

All of it is text from elsewhere and is escaped. Pictures are those that were sent. What is shown
is bounded: so many tasks or games of a run, so many characters of a text, so many bytes of
pictures.
"""

from __future__ import annotations

import base64
import html
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from topple.llm.accounting import Account, read_accounting
from topple.llm.exchanges import IMAGES, Exchange, by_subject, read_exchanges
from topple.llm.turns import TurnNote, read_turns
from topple.reports.html import Section
from topple.reports.table import Table
from topple.runs.record import conversation_folder, read_data, record_paths

SHOWN = 20  # tasks or games of a run
_LONGEST = 20_000  # characters of one text
_MAX_PICTURES = 16 << 20  # bytes, of a page

STYLE = """
details { margin: 0.3rem 0 0.3rem 1rem; } summary { cursor: pointer; }
details pre { white-space: pre-wrap; overflow-wrap: anywhere; font-size: 0.8rem; margin: 0.3rem 0;
  padding: 0.4rem 0.6rem; border-left: 3px solid #8886; }
details pre.assistant { border-color: #2a7; } details pre.wrong { border-color: #c33; }
details img { width: 200px; border: 1px solid #8886; margin: 0.2rem; }
"""


@dataclass
class Transcripts:
    """The conversations of some runs.

    Attributes:
        runs: label -> folder of exchanges.
        shown: tasks or games of a run.
    """

    runs: Mapping[str, Path]
    shown: int = SHOWN
    _pictures: int = field(default=0, init=False, repr=False)  # bytes shown so far
    _rules: object = field(default=None, init=False, repr=False)  # shown last

    def accounts(self) -> Table:
        """What the runs took."""
        rows = []
        for label, folder in self.runs.items():
            total = read_accounting(folder).get("total")
            if total is not None:
                rows.append([label, *_cells(total)])
        header = ["run", "calls", "requests", "prompt tokens", "completion tokens", "turns"]
        header += ["passed", "failed replies", "tool calls", "model s", "wall s", "cost"]
        return Table(
            "Calls and costs",
            header,
            rows,
            "Requests count retries. Cost is by the price table of the run, in its currency; a "
            "run without one has none.",
        )

    def section(self) -> Section:
        """The section of a report: accounts, and conversations by run, task or game, and turn."""
        body = "".join(self._run(label, folder) for label, folder in self.runs.items())
        tables = {"calls": self.accounts()}
        return Section(tables=tables, heading="Transcripts", body=body, style=STYLE)

    def _run(self, label: str, folder: Path) -> str:
        groups = list(by_subject(read_exchanges(folder)))
        if not groups:
            return ""
        turns, accounts = read_turns(folder), read_accounting(folder)
        parts = [
            self._subject(folder, name, own, turns.get(name, ()), accounts.get(name))
            for name, own in groups[: self.shown]
        ]
        if len(groups) > self.shown:
            parts.append(f"<p class='note'>{len(groups) - self.shown} more are not shown.</p>")
        return _details(f"{label}: {len(groups)} tasks or games", "".join(parts))

    def _subject(
        self,
        folder: Path,
        name: str,
        exchanges: Sequence[Exchange],
        notes: Sequence[TurnNote],
        account: Account | None,
    ) -> str:
        self._rules = None
        results = {note.number: note for note in notes}
        numbers = sorted({exchange.turn for exchange in exchanges})
        parts = [
            self._turn(
                folder, [each for each in exchanges if each.turn == number], results.get(number)
            )
            for number in numbers
        ]
        last = notes[-1].result if notes else "not finished"
        cost = "" if account is None or account.cost is None else f", cost {account.cost:.4f}"
        head = f"{name}: {len(exchanges)} calls{cost}; {last}"
        return _details(head, "".join(parts))

    def _turn(self, folder: Path, exchanges: Sequence[Exchange], note: TurnNote | None) -> str:
        parts = []
        said = 0
        for exchange in exchanges:
            messages = exchange.request["messages"]
            parts += [self._message(folder, message) for message in messages[said:]]
            said = len(messages) + 1  # the next request repeats this reply
            parts.append(_reply(exchange))
        if note is not None:
            parts += [f"<pre class='wrong'>{_safe(failure)}</pre>" for failure in note.failures]
        number = exchanges[0].turn
        return _details(f"turn {number}: {note.result if note else 'not finished'}", "".join(parts))

    def _message(self, folder: Path, message: Mapping[str, Any]) -> str:
        role, content = str(message.get("role", "")), message.get("content")
        if role == "system":
            if content == self._rules:
                return ""  # they are the same in every turn
            self._rules = content
        if isinstance(content, str):
            body = f"<pre>{_safe(content)}</pre>"
        else:
            body = "".join(self._part(folder, part) for part in content or ())
        return _details("the rules", body) if role == "system" else body

    def _part(self, folder: Path, part: Mapping[str, Any]) -> str:
        if part.get("type") == "text":
            return f"<pre>{_safe(str(part.get('text', '')))}</pre>"
        path = folder / str(part.get("image_url", {}).get("url", ""))
        # Only what the store wrote itself is read.
        if path.parent != folder / IMAGES or path.suffix != ".png" or not path.is_file():
            return "<p class='note'>a picture that is not there</p>"
        self._pictures += path.stat().st_size
        if self._pictures > _MAX_PICTURES:
            return f"<p class='note'>picture {html.escape(path.name)}</p>"
        data = base64.b64encode(path.read_bytes()).decode()
        return f"<img alt='sent picture' src='data:image/png;base64,{data}'>"


def find_transcripts(*places: Path, shown: int = SHOWN) -> Transcripts:
    """The conversations of the records in some places, by the records' labels and names."""
    runs = {}
    for path in record_paths(*places):
        conversations = conversation_folder(path)
        if conversations.is_dir():
            config = read_data(path)["config"]
            runs[f"{config['label']} ({conversations.stem})"] = conversations
    return Transcripts(runs, shown)


def _reply(exchange: Exchange) -> str:
    usage = exchange.reply.usage
    took = f"{exchange.seconds:.1f} s"
    if usage is not None:
        took += f", {usage.prompt} + {usage.completion} tokens"
    if exchange.requests > 1:
        took += f", {exchange.requests} requests"
    parts = [f"<p class='note'>the model, {took}:</p>"]
    parts += [f"<pre class='assistant'>{_safe(text)}</pre>" for text in _words(exchange)]
    return "".join(parts)


def _words(exchange: Exchange) -> Iterator[str]:
    if exchange.reply.problem:
        yield f"({exchange.reply.problem})"
    for choice in exchange.reply.choices:
        if choice.text:
            yield choice.text
        for call in choice.calls:
            yield f"{call.name}({call.arguments})"


def _details(head: str, body: str) -> str:
    return f"<details><summary>{html.escape(head)}</summary>{body}</details>\n"


def _safe(text: str) -> str:
    cut = "" if len(text) <= _LONGEST else f"\n... {len(text) - _LONGEST} more characters"
    return html.escape(text[:_LONGEST] + cut)


def _cells(account: Account) -> Iterable[str]:
    tools = ", ".join(f"{name} {count}" for name, count in account.tool_calls.items())
    names = ("calls", "requests", "prompt_tokens", "completion_tokens", "turns", "passed")
    return [
        *(f"{getattr(account, name):,}" for name in (*names, "failures")),
        tools,
        f"{account.model_seconds:.1f}",
        f"{account.wall_seconds:.1f}",
        "" if account.cost is None else f"{account.cost:.4f}",
    ]
