"""A PHYRE task as a puzzle: a model places balls, reads the outcome and tries again.

There are as many turns as attempts are allowed. A turn ends with an attempt, or is passed if it
had no usable reply; an action that does not fit the scene is refused, which costs a re-ask but no
attempt. The task ends with a solution or after ``patience`` passed turns in a row. So it takes at
most attempts x (1 + reasks) replies, tool calls aside.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from topple.llm.messages import Picture
from topple.llm.phyre import deepphy
from topple.llm.phyre.feedback import Attempts, Watched, contact_lines, feedback, watched
from topple.llm.phyre.pictures import draw, keyframes
from topple.llm.phyre.prompt import (
    action_schema,
    answer_action,
    attempt_text,
    final_text,
    misfit,
    question_text,
    rules_text,
    task_text,
)
from topple.llm.phyre.scene import scene_lines
from topple.llm.puzzle import Flow, Puzzle, Question, Simulation
from topple.llm.toolbox import Toolbox
from topple.media.files import Frame
from topple.phyre.engine.request import MAX_STEPS, STEPS_PER_SECOND
from topple.phyre.engine.result import AttemptResult, Outcome
from topple.phyre.phases import Testing
from topple.phyre.scene.goal import PHYRE_HOLD_STEPS
from topple.phyre.task import Task

if TYPE_CHECKING:
    from topple.llm.phyre.agent import PhyreLlm

SECONDS = MAX_STEPS / STEPS_PER_SECOND
HOLD = PHYRE_HOLD_STEPS / STEPS_PER_SECOND


class PhyrePuzzle(Puzzle[Watched]):
    """A task.

    Args:
        settings: the settings of the agent.
        testing: a testing of this task alone, where attempts are logged.
        task: the task.
        attempts: what simulates attempts; tasks that share one can be simulated together.
    """

    settings: PhyreLlm

    def __init__(
        self, settings: PhyreLlm, testing: Testing, task: Task, attempts: Attempts | None = None
    ) -> None:
        super().__init__(settings, str(task.id))
        self.testing, self.task = testing, task
        self.attempts = attempts or Attempts([task])
        self.schema = action_schema(testing.tier, settings.action_grid)
        self.toolbox: Toolbox[Watched] = Toolbox(
            *(settings, "task", "attempt", SECONDS, self.schema),
            describe=self._describe,
            draw=self._draw,
            contacts=contact_lines,
            trial=self._trial,
        )

    def flow(self) -> Flow:
        """Ask for an action as often as attempts are allowed."""
        if self.settings.preset.startswith(deepphy.NAME):
            yield from deepphy.flow(self)
            return
        for _ in range(self.testing.log.limit):
            made = yield from self.ask(self._question())
            self.result = "passed: no usable answer"
            if made is not None:
                yield from self.attempt(made.value, made.answer)
            if self.solved or self.given_up:
                return

    def attempt(self, action: list[float], answer: Any) -> Flow:
        """Make an attempt with an action that fits, and add it to the history."""
        result: AttemptResult = yield Simulation(self.task, tuple(action))
        self.testing.log.append(self.task.id, action, result.outcome)
        number = self.testing.log.limit - self.testing.remaining(self.task)
        seen = watched(self.task, number, action, result)
        self.result = f"attempt {number}: {seen.outcome.name.lower().replace('_', ' ')}"
        self.solved = seen.outcome.is_solved
        self.add(seen, attempt_text(seen, answer, self.settings.feedback))

    def simulate(self, wanted: Simulation) -> AttemptResult:
        """Simulate an attempt at once."""
        return self.attempts.run([(wanted.subject.id, wanted.action)])[0]

    def accept(self, answer: Any) -> list[float]:
        """The action of an answer.

        Raises:
            AnswerError: it does not fit the scene.
        """
        return self.checked(answer_action(answer, self.settings.action_grid))

    def checked(self, action: list[float]) -> list[float]:
        """An action that fits the scene.

        Raises:
            AnswerError: it does not; this is logged.
        """
        if not self.attempts.fits(self.task, action):
            self.testing.log.append(self.task.id, action, Outcome.INVALID)
            raise misfit(action)
        return action

    def _question(self) -> Question:
        settings, testing = self.settings, self.testing
        limit, left = testing.log.limit, testing.remaining(self.task)
        rules = rules_text(testing.tier, HOLD, SECONDS, settings.action_grid, settings.tools)
        news = [question_text(limit, left)]
        last = self.last
        if last is not None and not self._passed:
            ends = [final_text(last)] if settings.tells_events else []
            news = ["\n".join([self.last_told, *ends]), *news]
        return Question(
            rules,
            task_text(self.task, limit, left, self.history(final_text)),
            "\n\n".join(news),
            self.schema,
            self.accept,
            lambda: [("The scene before the start:", self._draw(None, 0.0)), *self._frames(last)],
            lambda: [] if self._passed else self._frames(last),
        )

    def _frames(self, last: Watched | None) -> Sequence[Picture]:
        return (
            keyframes(last, self.settings) if last is not None and self.settings.keyframes else ()
        )

    def _describe(self, seen: Watched | None, second: float) -> str:
        if seen is None:
            return scene_lines(self.task.scene)
        return scene_lines(seen.scene, seen.at(second))

    def _draw(self, seen: Watched | None, second: float) -> Frame:
        if seen is None:
            return draw(self.task.scene, None, self.settings.labels)
        return draw(seen.scene, seen.at(second), self.settings.labels)

    def _trial(self, proposal: Any) -> str:
        """Describe the result of an action that is no attempt."""
        action = answer_action(proposal, self.settings.action_grid)
        outcome, _ = self.testing.simulate(self.task, action)  # makes the run privileged
        if not outcome.is_valid:
            return f"{misfit(action)}."
        (result,) = self.attempts.run([(self.task.id, action)])
        return "\n".join(feedback(watched(self.task, 0, action, result), self.settings.feedback))
