"""A session: a model works on one puzzle, request by request, whoever asks it.

A session holds the messages of the next request and takes the reply. A *turn* is one question
with at most ``1 + reasks`` failed replies: a reply fails if it contains no JSON object, if the
object does not follow its schema, or if the benchmark refuses it; each time the model is told
what was wrong. With tools, a reply that calls some is not a failure, but calls beyond their
maximum number are. A turn without a usable answer is *passed*. A turn starts afresh with all that
is known, or goes on in one dialogue with what is new.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from topple.llm.answers import AnswerError, check, parse_json, read_answer
from topple.llm.messages import Message, Picture, system, user
from topple.llm.puzzle import SIMULATE, Made, Puzzle, Question, Shown, Simulation, Tool
from topple.llm.reply import Call, Choice, Reply
from topple.llm.turns import TurnNote

PROPOSE = "propose"
_LONGEST_ECHO = 2000  # characters of a failed reply that are sent back


class Session:
    """The requests of one puzzle.

    Args:
        puzzle: what the model works on.
        wait: leave simulations to the caller: while :attr:`wanted` is one, call :meth:`supply`.

    Attributes:
        turns: notes of the finished turns.
        messages: messages of the next request.
        wanted: the simulation that the session waits for, if any.
    """

    def __init__(self, puzzle: Puzzle[Any], *, wait: bool = False) -> None:
        self.puzzle, self.settings = puzzle, puzzle.settings
        self.turns: list[TurnNote] = []
        self.messages: list[Message] = []
        self.wanted: Simulation | None = None
        self._wait = wait
        self._question: Question | None = None
        self._flow = puzzle.flow()
        self._answer: Any = None
        self._made: Made | None = None
        self._failures: list[str] = []
        self._calls: Counter[str] = Counter()
        self._exchanges = 0
        self._advance(None)

    @property
    def question(self) -> Question:
        """The question of this turn."""
        assert self._question is not None, "the session is over or waits"
        return self._question

    @property
    def over(self) -> bool:
        """Whether there is nothing more to ask."""
        return self._question is None and self.wanted is None

    @property
    def place(self) -> str:
        """The place of the next request in a run, such as ``00001:042/003/01``."""
        return f"{self.puzzle.name}/{len(self.turns) + 1:03d}/{self._exchanges:02d}"

    @property
    def notes(self) -> list[TurnNote]:
        """Notes of the finished turns, and of this one if tools were called in it."""
        return [*self.turns, self._turn(finished=False)] if self._calls else self.turns

    @property
    def tools(self) -> dict[str, Tool]:
        """The tools of this turn by name; none unless the settings allow them."""
        if not self.settings.tools:
            return {}
        words = "Give your answer. This ends your turn."
        propose = Tool(PROPOSE, words, self.question.schema, self._propose)
        return {tool.name: tool for tool in (*self.puzzle.tools(), propose)}

    @property
    def fields(self) -> Mapping[str, Any]:
        """The fields of the next request besides its messages: tools, or a format."""
        if self.settings.tools:
            return {"tools": [tool.to_data() for tool in self.tools.values()]}
        return {} if self.question.read else self.settings.format(self.question.schema)

    def take(self, reply: Reply) -> None:
        """Take the reply to the request."""
        question, choice = self.question, reply.choice()
        self._exchanges += 1
        if self.settings.tools and choice.calls:
            self._call_tools(choice)
        else:
            self.messages.append({"role": "assistant", "content": choice.text[:_LONGEST_ECHO]})
            try:
                if reply.problem:
                    raise AnswerError(reply.problem)
                if self.settings.tools:
                    raise AnswerError(f"nothing was called; give your answer by `{PROPOSE}`")
                if question.read is not None:
                    self._accept(question.read(reply))
                else:
                    self._accept(read_answer(choice.text, question.schema))
            except AnswerError as error:
                self._failures.append(str(error))
                form = "reply in the form that was asked for"
                if self.settings.tools:
                    form = f"call `{PROPOSE}`"
                self.messages.append(user(f"This cannot be used: {error}. Please {form}."))
        reasks = self.settings.reasks if question.reasks is None else question.reasks
        if self._made is not None or len(self._failures) > reasks:
            self._advance(self._made)

    def supply(self, result: Any) -> None:
        """Give the session the result of the simulation it wants."""
        self.wanted = None
        self._advance(result)

    def answer(self, answer: Any) -> Made:
        """Answer the question directly, as a program would that needs no messages.

        Raises:
            AnswerError: the answer cannot be used; the question stands.
        """
        check(answer, self.question.schema)
        made = self._accept(answer)
        self._advance(made)
        return made

    def skip(self) -> None:
        """Pass the turn."""
        self._exchanges += 1
        self._advance(None)

    def replay(self, turns: Iterable[TurnNote]) -> None:
        """Bring a fresh session to where another one was, by the answers of its turns.

        Tools are not called again, but their calls count as they did there.
        """
        for turn in turns:
            if self.over:
                return
            simulated = turn.calls.get(SIMULATE, 0)
            self._calls.update(turn.calls)
            self.puzzle.simulated += simulated
            self.puzzle.testing.count_simulations(simulated)
            if not turn.finished:
                return
            if turn.answer is None:
                self.skip()
            else:
                self.answer(turn.answer)

    def _accept(self, answer: Any) -> Made:
        self._made = Made(self.question.accept(answer), answer)
        return self._made

    def _advance(self, sent: Any) -> None:
        """Go on to the next question, or to a simulation that somebody else runs."""
        if self._question is not None:  # a turn ends
            self._answer = None if sent is None else sent.answer
            self._question = None
        try:
            step = self._flow.send(sent)
            while isinstance(step, Simulation):
                if self._wait:
                    self.wanted = step
                    return
                step = self._flow.send(self.puzzle.simulate(step))
        except StopIteration:
            self._note()
            return
        self._note()
        self._question = step
        self._ask(step)

    def _note(self) -> None:
        """Note the turn that has ended, if there was one."""
        if self._exchanges or self._answer is not None:
            self.turns.append(self._turn())
        self._exchanges, self._made, self._answer = 0, None, None
        self._failures, self._calls = [], Counter()

    def _turn(self, finished: bool = True) -> TurnNote:
        number, result = len(self.turns) + 1, self.puzzle.result if finished else ""
        calls = dict(sorted(self._calls.items()))
        return TurnNote(number, self._answer, result, tuple(self._failures), calls, finished)

    def _ask(self, question: Question) -> None:
        pictures = question.pictures if self.settings.images else tuple
        if self.settings.dialogue and self.messages:
            pictures = question.new_pictures if self.settings.images else tuple
            self.messages.append(user(question.news, pictures()))
            return
        rules = question.rules
        if self.settings.tools:
            rules += f"\n\n{self.puzzle.tools_text()}"
        self.messages = [system(rules), user(question.text, pictures())]

    def _call_tools(self, choice: Choice) -> None:
        """Make the tool calls of a reply, up to one that ends the turn."""
        tools, shown = self.tools, list[Picture]()
        calls = choice.calls[: self.settings.max_tool_calls + len(tools)]  # there may be any number
        self.messages.append(_tool_calls(choice.text[:_LONGEST_ECHO], calls))
        for call in calls:
            text = "The turn is over."
            if self._made is None:
                try:
                    found = self._call_tool(call, tools)
                    text = found.text
                    shown += found.pictures
                except AnswerError as error:
                    self._failures.append(str(error))
                    text = f"Not accepted: {error}."
            self.messages.append({"role": "tool", "tool_call_id": call.id, "content": text})
        if shown and self._made is None:
            self.messages.append(user("", shown))  # not all servers take pictures from a tool

    def use(self, name: str, arguments: Any) -> Shown:
        """Use a tool other than `propose`, as a program would that needs no messages.

        Raises:
            AnswerError: there is no such tool, or its arguments or budget do not allow it.
        """
        tools = {tool.name: tool for tool in self.puzzle.tools()}
        if name not in tools:
            raise AnswerError(f"there is no tool {name[:40]!r}; there are {', '.join(tools)}")
        check(arguments, tools[name].parameters, "the arguments")
        shown = tools[name].run(arguments)
        self._calls[name] += 1
        return shown

    def _call_tool(self, call: Call, tools: Mapping[str, Tool]) -> Shown:
        tool = tools.get(call.name)
        if tool is None:
            raise AnswerError(f"there is no tool {call.name[:40]!r}; there are {', '.join(tools)}")
        used = sum(self._calls.values()) - self._calls[PROPOSE]
        if tool.name != PROPOSE and used >= self.settings.max_tool_calls:
            raise AnswerError(f"all {used} tool calls of this turn are used; call `{PROPOSE}` now")
        self._calls[tool.name] += 1
        arguments = parse_json(call.arguments or "{}")
        check(arguments, tool.parameters, "the arguments")
        return tool.run(arguments)

    def _propose(self, answer: Any) -> Shown:
        self._accept(answer)
        return Shown("Accepted.")


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
