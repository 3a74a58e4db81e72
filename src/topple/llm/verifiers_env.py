"""The benchmarks as environments of Verifiers, for evaluation and reinforcement learning.

``load_environment`` makes a multi-turn environment with the tasks of a fold: the train tasks to
learn from, the test tasks to be evaluated on. Each rollout is one puzzle in one dialogue, by the
same session as our own harness. Attempts of concurrent rollouts are simulated together: those
that arrive while a batch runs form the next one.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from importlib import import_module
from typing import Any

from topple.iphyre.selection import GameSelection
from topple.iphyre.split import Split, chosen_games
from topple.llm.evaluation import Evaluation, run_config, task_selection
from topple.llm.messages import Message, text_of
from topple.llm.phyre.feedback import Attempts
from topple.llm.puzzle import Simulation
from topple.llm.reply import Call, Choice, Reply
from topple.llm.scripted import SCRIPTS
from topple.llm.session import PROPOSE, Session
from topple.phyre.engine.result import AttemptResult
from topple.phyre.selection import TaskSelection
from topple.runs.agent import Setting

try:
    import verifiers as vf
    from verifiers.types import Response

except ImportError:
    raise ImportError(
        "this environment needs the package verifiers: pip install 'topple[verifiers]'"
    ) from None

_datasets: Any = import_module("datasets")  # a name that type checkers find elsewhere, too

ATTEMPTS = 10  # on each task or game
OBSERVATIONS = ("text", "images", "images_and_labels")


class Batcher:
    """Simulates the attempts of many rollouts, a batch at a time, in a thread."""

    def __init__(self, attempts: Attempts) -> None:
        self._attempts = attempts
        self._waiting: list[tuple[Simulation, asyncio.Future[AttemptResult]]] = []
        self._running = False
        self._pool = ThreadPoolExecutor(1, "simulations")
        self.batches: list[int] = []  # sizes, for benchmarks

    async def run(self, wanted: Simulation) -> AttemptResult:
        """The result of an attempt."""
        loop = asyncio.get_running_loop()
        future: asyncio.Future[AttemptResult] = loop.create_future()
        self._waiting.append((wanted, future))
        if not self._running:
            self._running = True
            loop.create_task(self._work())  # noqa: RUF006 - it ends when nobody waits
        return await future

    async def _work(self) -> None:
        loop = asyncio.get_running_loop()
        try:
            while self._waiting:
                batch, self._waiting = self._waiting, []
                self.batches.append(len(batch))
                wanted = [(each.subject.id, each.action) for each, _ in batch]
                try:
                    results = await loop.run_in_executor(self._pool, self._attempts.run, wanted)
                except Exception as error:
                    for _, future in batch:
                        future.set_exception(error)
                    continue
                for (_, future), result in zip(batch, results, strict=True):
                    if not future.done():
                        future.set_result(result)
        finally:
            self._running = False


class PuzzleEnv(vf.MultiTurnEnv):
    """Puzzles as rollouts; use :func:`load_environment`."""

    def __init__(self, runs: Mapping[str, Evaluation], rubric: vf.Rubric, **kwargs: Any) -> None:
        self._runs = dict(runs)
        self.batchers = {
            name: Batcher(run.attempts) for name, run in runs.items() if run.attempts is not None
        }
        datasets = {name: _dataset(name, run) for name, run in runs.items()}
        super().__init__(
            dataset=datasets["train"], eval_dataset=datasets["test"], rubric=rubric, **kwargs
        )

    async def setup_state(self, state: vf.State) -> vf.State:
        """Open the puzzle of a rollout."""
        info = state["info"]
        info = json.loads(info) if isinstance(info, str) else info
        run = self._runs[info["part"]]
        state["part"] = info["part"]
        session = Session(run.puzzle(info["puzzle"]), wait=True)
        state["session"] = session
        state["prompt"] = _messages(session.messages)  # with its pictures
        return state

    @vf.stop
    async def puzzle_is_over(self, state: vf.State) -> bool:
        """End a rollout with its puzzle, once the last reply has been taken."""
        await self._take_last(state)
        session: Session = state["session"]
        return session.over

    async def env_response(
        self, messages: vf.Messages, state: vf.State, **kwargs: Any
    ) -> vf.Messages:
        """What the model is told after its reply."""
        await self._take_last(state)
        told: vf.Messages = state.pop("told", [])
        return told

    async def _take_last(self, state: vf.State) -> None:
        """Let the session take the last reply, once."""
        session: Session = state["session"]
        taken = state.get("taken", 0)
        if len(state["trajectory"]) == taken or session.over:
            return
        state["taken"] = len(state["trajectory"])
        before = len(session.messages)
        session.take(_reply(state["trajectory"][-1]["completion"]))
        while session.wanted is not None:
            session.supply(await self.batchers[state["part"]].run(session.wanted))
        told = [each for each in session.messages[before:] if each["role"] != "assistant"]
        state["told"] = _messages(told)

    @vf.cleanup
    async def keep_score(self, state: vf.State) -> None:
        """Keep what rewards and records need, and let go of the session."""
        session: Session = state.pop("session")
        puzzle = session.puzzle
        state["solved"] = puzzle.solved
        state["attempts"] = len(puzzle.testing.log)
        state["failures"] = sum(len(turn.failures) for turn in session.turns)
        state["turns"] = [turn._asdict() for turn in session.turns]
        state["progress"] = max((each.progress for each in puzzle.seen), default=0.0)
        state.pop("told", None)


def load_environment(
    benchmark: str = "phyre",
    setup: str = "ball_within",
    fold: int = 0,
    observation: str = "text",
    attempts: int | None = None,
    *,
    games: str = "all",
    tasks: int | None = None,
    shaping: float = 0.0,
    attempt_cost: float = 0.05,
    failure_cost: float = 0.05,
    format_weight: float = 0.1,
    **settings: Setting,
) -> PuzzleEnv:
    """An environment of Verifiers.

    Args:
        benchmark: "phyre" or "iphyre".
        setup: PHYRE: evaluation setup, such as "ball_within" or "two_balls_cross".
        fold: PHYRE: fold; its train tasks are the dataset, its test tasks the evaluation dataset.
        observation: "text", "images", or "images_and_labels" for pictures with a grid and names.
        attempts: attempts on each task or game; by default those of the preset, or else 10.
        games: I-PHYRE: games or splits to be evaluated on; the ten basic games are the dataset.
        tasks: maximum number of tasks in each dataset, spread evenly; all by default.
        shaping: weight of the progress of the best attempt; 0: none.
        attempt_cost: what each attempt after the first one takes from a solution's reward of 1.
        failure_cost: what each reply that could not be used costs.
        format_weight: reward for rollouts whose replies could all be used.
        **settings: settings of the agent ``llm``, such as ``feedback`` or ``preset``.

    Raises:
        ValueError: an argument is wrong; the message says how.
    """
    if observation not in OBSERVATIONS:
        raise ValueError(
            f"observation is {observation!r}; it has to be one of {', '.join(OBSERVATIONS)}"
        )
    given: dict[str, Setting] = {
        "model": "verifiers",
        "images": observation != "text",
        "labels": observation == "images_and_labels",
        "history_size": 1,
        **settings,
        "dialogue": True,
    }
    runs = {
        part: Evaluation(run_config(selection, given, attempts, default=ATTEMPTS))
        for part, selection in _selections(benchmark, setup, fold, games, tasks).items()
    }

    def solved(state: vf.State) -> float:
        spent = attempt_cost * (max(state["attempts"], 1) - 1)
        return max(0.0, 1.0 - spent) if state["solved"] else 0.0

    def progress(state: vf.State) -> float:
        return float(state["progress"])

    def invalid(state: vf.State) -> float:
        return -float(state["failures"])

    def well_formed(state: vf.State) -> float:
        return float(state["failures"] == 0)

    def attempts_used(state: vf.State) -> float:
        return float(state["attempts"])

    rubric = vf.Rubric(
        funcs=[solved, progress, invalid, well_formed, attempts_used],
        weights=[1.0, shaping, failure_cost, format_weight, 0.0],
    )
    return PuzzleEnv(runs, rubric)


def _selections(
    benchmark: str, setup: str, fold: int, games: str, tasks: int | None
) -> dict[str, TaskSelection | GameSelection]:
    """What is trained on, and what is evaluated on."""
    if benchmark == "phyre":
        test = task_selection(setup, fold, tasks)
        train = [str(task) for task in task_selection(setup, fold).trained()]
        count = min(tasks or len(train), len(train))
        chosen = tuple(train[place * len(train) // count] for place in range(count))
        return {"train": TaskSelection(None, None, tasks=chosen), "test": test}
    if benchmark != "iphyre":
        raise ValueError(f"benchmark is {benchmark!r}; use phyre or iphyre")
    names = {"train": Split.BASIC.games, "test": chosen_games(games)}
    return {
        part: GameSelection(tuple(game.name for game in found)[:tasks])
        for part, found in names.items()
    }


def _dataset(part: str, run: Evaluation) -> Any:
    """The puzzles of a part: the first messages without pictures, and where to find the puzzle."""
    rows = []
    for name in run.subjects:
        session = Session(run.puzzle(name), wait=True)
        tools = [tool["function"] for tool in session.fields.get("tools", ())]
        info = {"part": part, "puzzle": name, "tool_defs": tools}
        prompt = [{"role": each["role"], "content": text_of(each)} for each in session.messages]
        rows.append({"prompt": prompt, "answer": "", "info": json.dumps(info)})
    return _datasets.Dataset.from_list(rows)


def _messages(messages: Iterable[Message]) -> list[Any]:
    """Messages of a session as those of the library."""
    kinds = {"system": vf.SystemMessage, "user": vf.UserMessage, "tool": vf.ToolMessage}
    return [kinds[message["role"]].model_validate(dict(message)) for message in messages]


def _reply(completion: Any) -> Reply:
    """The last message of the model as a reply."""
    message = _plain(completion[-1])
    calls = tuple(map(_call, message.get("tool_calls") or ()))
    return Reply((Choice(text_of(message), calls),))


def _call(call: Any) -> Call:
    data = _plain(call)
    function = data.get("function") or data
    return Call(str(data.get("id", "")), str(function["name"]), str(function["arguments"]))


def _plain(value: Any) -> Mapping[str, Any]:
    data: Mapping[str, Any] = value if isinstance(value, Mapping) else value.model_dump()
    return data


class ScriptedClient(vf.Client):
    """Our scripted models as a client, to try an environment and to measure it.

    Args:
        latency: seconds that each reply takes.
    """

    def __init__(self, latency: float = 0.0) -> None:
        super().__init__(None)
        self._latency = latency

    def setup_client(self, config: Any) -> None:
        """Nothing to set up."""

    async def to_native_tool(self, tool: Any) -> Any:
        """Tools are not looked at."""
        return tool

    async def to_native_prompt(self, messages: Any) -> tuple[Any, dict[str, Any]]:
        """Messages as plain values."""
        plain = [_plain(message) for message in messages]
        return [{"role": each["role"], "content": text_of(each)} for each in plain], {}

    async def get_native_response(
        self, prompt: Any, model: str, sampling_args: Any, tools: Any = None, **kwargs: Any
    ) -> Any:
        """The answer of a script.

        Raises:
            ValueError: there is no such script.
        """
        await asyncio.sleep(self._latency)
        if model not in SCRIPTS:
            raise ValueError(f"no model {model!r}; there are {', '.join(SCRIPTS)}")
        answer = json.dumps(SCRIPTS[model]({"messages": prompt}))
        call = {"id": "call_0", "name": PROPOSE, "arguments": answer}
        said = {"tool_calls": [call]} if tools else {"content": answer}
        return {"model": model, "message": said}

    async def raise_from_native_response(self, response: Any) -> None:
        """Scripts do not fail."""

    async def from_native_response(self, response: Any) -> Any:
        """A response of Verifiers."""
        message = {"finish_reason": "stop", "is_truncated": False, **response["message"]}
        return Response.model_validate(
            {"id": "scripted", "created": 0, "model": response["model"], "message": message}
        )

    async def close(self) -> None:
        """Nothing to close."""
