"""The benchmarks as tasks of Inspect: ``inspect eval topple/phyre_ball --model ...``.

A sample is a task or game; the solver lets the model work on it by the same session as our own
harness, and the scorer tells which attempt solved it. All settings of the agent ``llm`` are
parameters of a task, such as ``-T images=true -T preset=deepphy-8x8x8``. A log holds the config
of the run and the answers of each sample, from which :func:`log_record` makes a run record.
The models ``topple/random`` and ``topple/heuristic`` are our scripted ones, to try it out.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from topple.iphyre.selection import GameSelection
from topple.iphyre.split import chosen_games
from topple.llm.evaluation import Evaluation, run_config, task_selection
from topple.llm.messages import Message
from topple.llm.reply import Call, Choice, Reply
from topple.llm.scripted import SCRIPTS
from topple.llm.session import Session
from topple.llm.turns import TurnNote
from topple.phyre.auccess import MAX_ATTEMPTS, auccess, success_at
from topple.phyre.selection import TaskSelection
from topple.runs.agent import Setting
from topple.runs.benchmark import config_from_data, provenance
from topple.runs.record import RecordError, RunRecord

try:
    import anyio.to_thread
    from inspect_ai import Task, task
    from inspect_ai.dataset import MemoryDataset, Sample
    from inspect_ai.log import EvalSample, read_eval_log
    from inspect_ai.model import (
        ChatMessage,
        ChatMessageAssistant,
        ChatMessageSystem,
        ChatMessageTool,
        ChatMessageUser,
        Content,
        ContentImage,
        ContentText,
        GenerateConfig,
        ModelAPI,
        ModelOutput,
        ModelUsage,
        get_model,
        modelapi,
    )
    from inspect_ai.scorer import Metric, SampleScore, Score, Scorer, Target, metric, scorer
    from inspect_ai.solver import Generate, Solver, TaskState, solver
    from inspect_ai.tool import ToolCall, ToolChoice, ToolInfo, ToolParams
except ImportError:
    raise ImportError("these tasks need inspect-ai: pip install 'topple[inspect]'") from None

ATTEMPTS = 10  # on each task
_KEY = "topple"  # of our entries in the metadata of a log, and of the scorer


@task
def phyre_ball(
    setup: str = "ball_within",
    fold: int = 0,
    tasks: int | str | None = 50,
    attempts: int | None = None,
    **settings: Setting,
) -> Task:
    """One-ball tasks of PHYRE.

    Args:
        setup: evaluation setup: ball_within or ball_cross.
        fold: fold, from 0 to 9.
        tasks: number of test tasks, spread evenly over the fold, or comma-separated ids; None:
            all of them.
        attempts: attempts on each task; by default those of the preset, or else 10.
        **settings: settings of the agent ``llm``.
    """
    return _phyre(setup, "ball", fold, tasks, attempts, settings)


@task
def phyre_two_balls(
    setup: str = "two_balls_within",
    fold: int = 0,
    tasks: int | str | None = 50,
    attempts: int | None = None,
    **settings: Setting,
) -> Task:
    """Two-ball tasks of PHYRE; arguments as for :func:`phyre_ball`."""
    return _phyre(setup, "two_balls", fold, tasks, attempts, settings)


@task
def iphyre(games: str = "all", attempts: int | None = None, **settings: Setting) -> Task:
    """Games of I-PHYRE.

    Args:
        games: comma-separated games or splits, or "all".
        attempts: plays of each game; by default those of the preset, or else 1.
        **settings: settings of the agent ``llm``.
    """
    names = tuple(game.name for game in chosen_games(games))
    return _task(GameSelection(names), settings, attempts)


def _phyre(
    setup: str,
    tier: str,
    fold: int,
    tasks: int | str | None,
    attempts: int | None,
    settings: Mapping[str, Setting],
) -> Task:
    chosen = tuple(tasks.split(",")) if isinstance(tasks, str) else tasks
    selection = task_selection(setup, fold, chosen)
    if selection.tier.value != tier:
        raise ValueError(f"setup {setup!r} is not of this task; use {tier}_within or {tier}_cross")
    return _task(selection, settings, attempts, ATTEMPTS)


def _task(
    selection: TaskSelection | GameSelection,
    settings: Mapping[str, Setting],
    attempts: int | None,
    default: int = 0,
) -> Task:
    config = run_config(selection, {"model": "inspect", **settings}, attempts, default=default)
    evaluation = Evaluation(config)
    about = {"config": config.to_data(), "provenance": provenance(config.benchmark)}
    return Task(
        dataset=MemoryDataset(
            [Sample(input=name, id=name, target="solved") for name in evaluation.subjects],
            name=config.selection.place,
        ),
        solver=_solver(evaluation),
        scorer=solved_by(),
        metadata={_KEY: about},
    )


def _solver(evaluation: Evaluation) -> Solver:
    @solver
    def converse() -> Solver:
        """Let the model work on a puzzle until it is solved or the attempts are used up."""

        async def solve(state: TaskState, generate: Generate) -> TaskState:
            session = Session(evaluation.puzzle(str(state.sample_id)))
            model, options = get_model(), evaluation.agent.options()
            # What a preset fixes; the other options are Inspect's.
            config = GenerateConfig(
                temperature=options.get("temperature"), num_choices=options.get("n")
            )
            while not session.over:
                asked = [_chat(message) for message in session.messages]
                tools = [_tool(field["function"]) for field in session.fields.get("tools", ())]
                output = await model.generate(asked, tools=tools, config=config)
                reply = _reply(output)
                state.messages = [*asked, output.message] if output.choices else asked
                state.output = output
                await anyio.to_thread.run_sync(partial(session.take, reply))
            log = session.puzzle.testing.log
            rewards = [each.score.reward for each in log] if evaluation.attempts is None else None
            state.metadata[_KEY] = {
                "solved": session.puzzle.solved,
                "attempts": len(log),
                "reward": None if rewards is None else max(rewards, default=None),
                "turns": [turn._asdict() for turn in session.turns],
            }
            return state

        return solve

    return converse()


@metric(name="topple")
def scores() -> Metric:
    """AUCCESS at 10 and 100 attempts, the share solved within k attempts, and the mean reward."""

    def compute(found: list[SampleScore]) -> dict[str, float]:
        about = [each.score.metadata or {} for each in found]
        first = np.array([row["attempts"] if row["solved"] else 0 for row in about], np.int64)
        first[first > MAX_ATTEMPTS] = 0
        values = {f"solved@{k}": success_at(first, k) for k in (1, 5, 10, 100)}
        if any(row["reward"] is not None for row in about):
            values["reward"] = float(np.mean([row["reward"] for row in about]))
        else:
            values["auccess@10"], values["auccess@100"] = auccess(first, 10), auccess(first)
        return values

    return compute  # a metric may give several values by name


@scorer(metrics=[scores()], name=_KEY)
def solved_by() -> Scorer:
    """Score a sample by the attempt that solved it."""

    async def score(state: TaskState, target: Target) -> Score:
        about = state.metadata[_KEY]
        attempts = "1 attempt" if about["attempts"] == 1 else f"{about['attempts']} attempts"
        return Score(
            value=1.0 if about["solved"] else 0.0,
            answer=attempts,
            metadata=about,
        )

    return score


@modelapi(name=_KEY)
def scripted() -> type[ModelAPI]:
    """The scripted models as a provider of Inspect."""
    return _Scripted


class _Scripted(ModelAPI):
    """A scripted model, which costs nothing."""

    async def generate(
        self,
        input: list[ChatMessage],
        tools: list[ToolInfo],
        tool_choice: ToolChoice,
        config: GenerateConfig,
    ) -> ModelOutput:
        if self.model_name not in SCRIPTS:
            raise ValueError(f"no model {self.model_name!r}; there are {', '.join(SCRIPTS)}")
        said = [{"role": message.role, "content": message.text} for message in input]
        answer = SCRIPTS[self.model_name]({"messages": said})
        if tools:
            output = ModelOutput.for_tool_call(self.model_name, "propose", answer)
        else:
            output = ModelOutput.from_content(self.model_name, json.dumps(answer))
        output.usage = ModelUsage()
        return output


def log_record(path: Path) -> RunRecord[Any, Any]:
    """The run record of a log, made by simulating its answers again.

    Raises:
        RecordError: it is no log of these tasks, is not finished, or another engine made it.
    """
    try:
        log = read_eval_log(str(path))
        about = (log.eval.metadata or {})[_KEY]
        data = {**about["config"], "label": f"inspect {log.eval.model}"}
        data["settings"] = {**data["settings"], "model": log.eval.model}
        config = config_from_data(data)
        samples = {str(sample.id): sample for sample in log.samples or ()}
    except (ValueError, KeyError, TypeError, OSError) as error:
        raise RecordError(f"{path} is no Inspect log of a topple task: {error}") from None
    if log.status != "success":
        raise RecordError(f"{path} is of an evaluation that is not finished ({log.status})")
    ours = provenance(config.benchmark)["engine"]
    if about["provenance"]["engine"] != ours:
        raise RecordError(
            f"{path} was made with engine {about['provenance']['engine']}, this is {ours}; run the "
            "evaluation again"
        )
    evaluation = Evaluation(config)
    puzzles = []
    for name, sample in samples.items():
        session = Session(evaluation.puzzle(name))
        session.replay(TurnNote(**turn) for turn in _about(sample)["turns"])
        if session.puzzle.solved != _about(sample)["solved"]:
            raise RecordError(f"{path}: the answers on {name} do not give the score in the log")
        puzzles.append(session.puzzle)
    return evaluation.record(puzzles)


def _about(sample: EvalSample) -> Mapping[str, Any]:
    found: Mapping[str, Any] = ((sample.scores or {})[_KEY].metadata) or {}
    return found


def _chat(message: Message) -> ChatMessage:
    """A message of a session as one of Inspect."""
    role, content = message["role"], message.get("content") or ""
    if role == "system":
        return ChatMessageSystem(content=content)
    if role == "user":
        return ChatMessageUser(
            content=content if isinstance(content, str) else [_part(part) for part in content]
        )
    if role == "tool":
        return ChatMessageTool(content=content, tool_call_id=message["tool_call_id"])
    calls = [
        ToolCall(call["id"], call["function"]["name"], _arguments(call["function"]["arguments"]))
        for call in message.get("tool_calls", ())
    ]
    return ChatMessageAssistant(content=content, tool_calls=calls or None)


def _part(part: Mapping[str, Any]) -> Content:
    if part["type"] == "text":
        return ContentText(text=part["text"])
    return ContentImage(image=part["image_url"]["url"])


def _arguments(text: str) -> dict[str, Any]:
    try:
        value = json.loads(text)
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}


def _tool(function: Mapping[str, Any]) -> ToolInfo:
    return ToolInfo(
        name=function["name"],
        description=function["description"],
        parameters=ToolParams.model_validate(function["parameters"]),
    )


def _reply(output: ModelOutput) -> Reply:
    """An output of Inspect as a reply."""
    choices = tuple(
        Choice(
            choice.message.text,
            tuple(
                Call(call.id, call.function, call.parse_error or json.dumps(call.arguments))
                for call in choice.message.tool_calls or ()
            ),
            choice.stop_reason,
        )
        for choice in output.choices
    )
    return Reply(choices, problem=output.error or "", model=output.model)
