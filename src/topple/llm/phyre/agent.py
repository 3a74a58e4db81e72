"""A model on PHYRE: it sees a task, places its balls, is told what came of it, tries again.

On each task there are as many turns as attempts are allowed. A turn ends with an attempt, or is
passed if no reply of it could be used; replies that do not fit the scene are turned away, and
cost a re-ask but no attempt. After ``patience`` passed turns in a row, or a solution, the task is
left. So a task takes at most attempts x (1 + reasks) answers, tool calls aside.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from topple.llm.chat import Chat
from topple.llm.crew import work
from topple.llm.messages import system, user
from topple.llm.phyre.feedback import WATCHED, Watched, watched
from topple.llm.phyre.prompt import (
    action_schema,
    answer_action,
    attempt_text,
    final_text,
    misfit,
    rules,
    task_pictures,
    task_text,
)
from topple.llm.phyre.tools import TaskTools
from topple.llm.settings import ChatSettings
from topple.llm.turn import Asker
from topple.llm.turns import TurnNote, note
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
        grid: such as "5x5x5", to choose from cells in place of the continuum; "": none.
    """

    grid: str = ""

    def __post_init__(self) -> None:
        super().__post_init__()
        self._grid = Grid.parse(self.grid) if self.grid else None

    @property
    def traits(self) -> Traits:
        """It reads the exact scene, and learns from its attempts on a task within that task."""
        return Traits(online=self.memory > 0, observation=Observation.SCENE, grid=self.grid)

    def train(self, training: Training) -> None:
        """Nothing to learn."""

    def act(self, testing: Testing) -> None:
        """Work on tasks, several at once."""

        def sit(chat: Chat, task: Task) -> tuple[Testing, list[TurnNote]]:
            return _Desk(self, Asker(chat, self), testing.part(task), task).sit()

        for part in work(self.link, self.options(), testing.tasks, lambda task: str(task.id), sit):
            testing.join(part)


class _Desk:
    """One task, from its first turn to its last."""

    def __init__(self, agent: PhyreLlm, asker: Asker, testing: Testing, task: Task) -> None:
        self._agent, self._asker, self._testing, self._task = agent, asker, testing, task
        self._grid = agent._grid
        self._schema = action_schema(testing.tier, self._grid)
        self._tools = TaskTools(agent, testing, task, self._schema, self._grid)
        self._seen: list[tuple[Watched, str]] = []  # attempts, and how they went

    def sit(self) -> tuple[Testing, list[TurnNote]]:
        """Take turns until the task is solved or left."""
        turns: list[TurnNote] = []
        passed = 0
        for number in range(1, self._testing.log.limit + 1):
            turn = self._asker.ask(
                f"{self._task.id}/{number:03d}",
                self._messages(),
                self._schema,
                self._attempt,
                self._tools.tools(),
            )
            if turn.value is None:
                passed += 1
                turns.append(note(number, turn, None, "passed: no usable answer"))
                if passed == self._agent.patience:
                    break
                continue
            passed = 0
            seen, answer = turn.value
            self._seen.append((seen, attempt_text(seen, answer)))
            self._tools.seen.append(seen)
            text = f"attempt {seen.number}: {seen.outcome.name.lower().replace('_', ' ')}"
            turns.append(note(number, turn, answer, text))
            if seen.outcome.is_solved:
                break
        return self._testing, turns

    def _attempt(self, answer: Any) -> tuple[Watched, Any]:
        """Make the attempt an answer means.

        Raises:
            AnswerError: it does not fit the scene, and was turned away.
        """
        action = answer_action(answer, self._grid)
        outcome, result = self._testing.watch(self._task, action, WATCHED)
        if not outcome.is_valid:
            raise misfit(action)
        made = self._testing.log.limit - self._testing.remaining(self._task)
        return watched(self._task, made, action, outcome, result), answer

    def _messages(self) -> list[Any]:
        agent, testing = self._agent, self._testing
        told = self._seen[-agent.memory :] if agent.memory else []
        memory = [text for _, text in told]
        if told:
            memory[-1] += f"\n{final_text(told[-1][0])}"
        left = testing.remaining(self._task)
        text = task_text(self._task, testing.log.limit, left, memory)
        last = told[-1][0] if told else None
        pictures = task_pictures(self._task, last, agent.keyframes) if agent.images else []
        hold, seconds = PHYRE_HOLD_STEPS / STEPS_PER_SECOND, MAX_STEPS / STEPS_PER_SECOND
        start = rules(testing.tier, hold, seconds, self._grid, agent.tools)
        if agent.tools:
            start += f"\n\n{self._tools.words()}"
        return [system(start), user(text, pictures)]
