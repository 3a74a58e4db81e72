"""Conversations with a model: one on every task or game, several of them in a thread pool."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import FIRST_EXCEPTION, Future, ThreadPoolExecutor, wait
from typing import Any, Generic, TypeVar

from topple.llm.answers import Schema
from topple.llm.chat import Chat, Link, Message, open_chat
from topple.llm.limits import StoppedError
from topple.llm.messages import Picture, system, user
from topple.llm.settings import ChatSettings
from topple.llm.toolbox import Toolbox
from topple.llm.turn import Asker
from topple.llm.turns import TurnNote, note, write_turns
from topple.progress import Progress

Item = TypeVar("Item")
Result = TypeVar("Result")
Seen = TypeVar("Seen")
Value = TypeVar("Value")

_POLL_SECONDS = 0.2  # between reports of progress


class Conversation(Generic[Seen]):
    """The turns of a model on one task or game.

    Args:
        settings: the settings of the agent.
        chat: the chat with the model.
        subject: name of the task or game, under which exchanges are stored.
        toolbox: its tools.

    Attributes:
        turns: notes of the turns so far.
    """

    def __init__(
        self, settings: ChatSettings, chat: Chat, subject: str, toolbox: Toolbox[Seen]
    ) -> None:
        self.turns: list[TurnNote] = []
        self._settings, self._asker = settings, Asker(chat, settings)
        self._subject, self._toolbox = subject, toolbox
        self._told: list[str] = []  # the attempts of the toolbox in words
        self._passed = 0  # turns in a row

    @property
    def given_up(self) -> bool:
        """Whether too many turns in a row had no usable answer."""
        return self._passed >= self._settings.patience

    def ask(
        self,
        messages: Sequence[Message],
        schema: Schema,
        accept: Callable[[Any], Value],
        passed: str,
        result: Callable[[Value], str],
    ) -> tuple[Value, Any] | None:
        """Take a turn; its value and the answer it came from, or None if it was passed.

        Args:
            messages: the messages that the turn starts with.
            schema: schema of the answer.
            accept: makes a value of an answer, or raises an AnswerError.
            passed: note of the turn if there is no usable answer.
            result: makes the note of the turn from its value.
        """
        number = len(self.turns) + 1
        turn = self._asker.ask(
            f"{self._subject}/{number:03d}",
            messages,
            schema,
            lambda answer: (accept(answer), answer),
            self._toolbox.tools(),
        )
        if turn.value is None:
            self._passed += 1
            self.turns.append(note(number, turn, None, passed))
            return None
        self._passed = 0
        value, answer = turn.value
        self.turns.append(note(number, turn, answer, result(value)))
        return turn.value

    def add(self, seen: Seen, text: str) -> None:
        """Add an attempt to the history of the conversation, with its description."""
        self._toolbox.seen.append(seen)
        self._told.append(text)

    @property
    def last(self) -> Seen | None:
        """The last attempt, if there is one and the model is told of it."""
        return (
            self._toolbox.seen[-1] if self._toolbox.seen and self._settings.history_size else None
        )

    def history(self, final: Callable[[Seen], str]) -> list[str]:
        """Descriptions of the last attempts; `final` describes where the last one ended."""
        if self.last is None:
            return []
        texts = self._told[-self._settings.history_size :]
        return [*texts[:-1], f"{texts[-1]}\n{final(self.last)}"]

    def messages(self, rules: str, text: str, pictures: Sequence[Picture]) -> list[Message]:
        """The messages a turn starts with."""
        if self._settings.tools:
            rules += f"\n\n{self._toolbox.description()}"
        return [system(rules), user(text, pictures)]


def converse(
    link: Link | None,
    options: Mapping[str, Any],
    items: Sequence[Item],
    name: Callable[[Item], str],
    solve: Callable[[Chat, Item], tuple[Result, Sequence[TurnNote]]],
) -> list[Result]:
    """Let a model work on every item in a thread pool; results do not depend on their order.

    At the first error, or Ctrl-C, nothing new is asked, and running requests are awaited, so that
    their answers are kept; then the error is raised.

    Args:
        link: link to the model.
        options: options of every request.
        items: tasks or games.
        name: returns the name of an item.
        solve: takes all turns on an item; returns its result and notes of the turns, which are
            written beside the exchanges.
    """
    with open_chat(link, options) as chat:
        assert link is not None  # there is a chat
        with ThreadPoolExecutor(link.connection.concurrency) as pool:
            futures = [pool.submit(solve, chat, item) for item in items]
            try:
                _await(futures, link.progress)
            finally:
                if not all(future.done() for future in futures):
                    chat.stop()
                    for future in futures:
                        future.cancel()
    done = [future.result() for future in futures]
    notes = {name(item): turns for item, (_, turns) in zip(items, done, strict=True)}
    write_turns(link.folder, notes)
    return [result for result, _ in done]


def _await(futures: Sequence[Future[Any]], progress: Progress | None) -> None:
    running = set(futures)
    while running:
        done, running = wait(running, _POLL_SECONDS, FIRST_EXCEPTION)
        for future in done:
            error = future.exception()
            if error is not None and not isinstance(error, StoppedError):
                raise error
        if progress is not None:
            progress(len(futures) - len(running), len(futures))
