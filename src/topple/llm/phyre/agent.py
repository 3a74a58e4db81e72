"""A language model on PHYRE: it reads a task, places its balls, reads the outcome and tries again.

On each task there are as many turns as attempts are allowed. A turn ends with an attempt, or is
passed if it had no usable reply; an action that does not fit the scene is refused, which costs a
re-ask but no attempt. The task ends with a solution or after ``patience`` passed turns in a row. So
it takes at most attempts x (1 + reasks) replies, tool calls aside.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from topple.llm.chat import Chat
from topple.llm.conversation import Conversation, converse
from topple.llm.phyre.feedback import WATCHED, Watched, events, outcome_words, watched
from topple.llm.phyre.prompt import (
    action_schema,
    answer_action,
    attempt_text,
    final_text,
    misfit,
    rules_text,
    task_pictures,
    task_text,
)
from topple.llm.phyre.scene import scene_lines
from topple.llm.settings import ChatSettings
from topple.llm.toolbox import Toolbox
from topple.llm.turns import TurnNote
from topple.phyre.engine.request import MAX_STEPS, STEPS_PER_SECOND
from topple.phyre.grid import Grid
from topple.phyre.phases import Testing, Training
from topple.phyre.scene.goal import PHYRE_HOLD_STEPS
from topple.phyre.task import Task
from topple.runs.agent import Observation, Traits


@dataclass
class PhyreLlm(ChatSettings):
    """A language model as an agent of PHYRE.

    Attributes:
        grid: grid of actions to choose from, such as "5x5x5"; "": any action.
    """

    grid: str = ""

    def __post_init__(self) -> None:
        super().__post_init__()
        self._grid = Grid.parse(self.grid) if self.grid else None

    @property
    def traits(self) -> Traits:
        """It reads the exact scene and learns from its attempts on a task within that task."""
        return Traits(online=self.history_size > 0, observation=Observation.SCENE, grid=self.grid)

    def train(self, training: Training) -> None:
        """Nothing to learn."""

    def act(self, testing: Testing) -> None:
        """Work on tasks, several of them concurrently."""

        def solve(chat: Chat, task: Task) -> tuple[Testing, list[TurnNote]]:
            return self._solve(chat, testing.part(task), task)

        def name(task: Task) -> str:
            return str(task.id)

        for part in converse(self.link, self.options(), testing.tasks, name, solve):
            testing.join(part)

    def _solve(self, chat: Chat, testing: Testing, task: Task) -> tuple[Testing, list[TurnNote]]:
        """Take turns until the task is solved or given up."""
        schema = action_schema(testing.tier, self._grid)
        hold, seconds = PHYRE_HOLD_STEPS / STEPS_PER_SECOND, MAX_STEPS / STEPS_PER_SECOND
        rules = rules_text(testing.tier, hold, seconds, self._grid, self.tools)

        def start() -> str:
            return scene_lines(task.scene)

        def later(seen: Watched, second: float) -> str:
            return scene_lines(seen.scene, seen.at(second))

        def trial(proposal: Any) -> str:
            action = answer_action(proposal, self._grid)
            outcome, result = testing.simulate(task, action, WATCHED)  # makes the run privileged
            if not outcome.is_valid:
                return f"{misfit(action)}."
            seen = watched(task, 0, action, outcome, result)
            return "\n".join([outcome_words(seen), *events(seen)])

        toolbox = Toolbox(self, "task", "attempt", seconds, schema, start, later, trial)
        conversation = Conversation(self, chat, str(task.id), toolbox)

        def attempt(answer: Any) -> Watched:
            action = answer_action(answer, self._grid)
            outcome, result = testing.watch(task, action, WATCHED)
            if not outcome.is_valid:
                raise misfit(action)
            made = testing.log.limit - testing.remaining(task)
            return watched(task, made, action, outcome, result)

        def result(seen: Watched) -> str:
            return f"attempt {seen.number}: {seen.outcome.name.lower().replace('_', ' ')}"

        for _ in range(testing.log.limit):
            left = testing.remaining(task)
            text = task_text(task, testing.log.limit, left, conversation.history(final_text))
            shown = conversation.last
            pictures = task_pictures(task, shown, self.keyframes) if self.images else []
            messages = conversation.messages(rules, text, pictures)
            made = conversation.ask(messages, schema, attempt, "passed: no usable answer", result)
            if made is not None:
                seen, answer = made
                conversation.add(seen, attempt_text(seen, answer))
                if seen.outcome.is_solved:
                    break
            if conversation.given_up:
                break
        return testing, conversation.turns
