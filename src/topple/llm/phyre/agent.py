"""A language model on PHYRE: it reads a task, places its balls, reads the outcome and tries again.

There are as many turns as attempts are allowed. A turn ends with an attempt, or is passed if it
had no usable reply; an action that does not fit the scene is refused, which costs a re-ask but no
attempt. The task ends with a solution or after ``patience`` passed turns in a row. So it takes at
most attempts x (1 + reasks) replies, tool calls aside.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from topple.llm.phyre import deepphy, prompt
from topple.llm.phyre.feedback import (
    Attempts,
    Watched,
    contact_lines,
    feedback,
    keyframe_times,
    watched,
)
from topple.llm.phyre.pictures import draw
from topple.llm.phyre.scene import scene_lines
from topple.llm.presets import apply_preset
from topple.llm.puzzle import Flow, Puzzle, Question, Simulation
from topple.llm.settings import ChatSettings
from topple.media.files import Frame
from topple.phyre.engine.request import MAX_STEPS, STEPS_PER_SECOND
from topple.phyre.engine.result import AttemptResult, Outcome
from topple.phyre.grid import Grid
from topple.phyre.phases import Testing
from topple.phyre.scene import PHYRE_HOLD_STEPS
from topple.phyre.task import Task
from topple.runs.agent import Observation, Traits

HOLD = PHYRE_HOLD_STEPS / STEPS_PER_SECOND


@dataclass
class PhyreLlm(ChatSettings):
    """A language model as an agent of PHYRE.

    Attributes:
        grid: grid of actions to choose from, such as "5x5x5"; "": any action.
        preset: "topple", or a protocol of another paper such as "deepphy-8x8x8"; see
            :mod:`topple.llm.presets`.
    """

    grid: str = ""
    preset: str = ""

    def __post_init__(self) -> None:
        apply_preset(self, "phyre")
        super().__post_init__()
        self.action_grid = Grid.parse(self.grid) if self.grid else None

    @property
    def traits(self) -> Traits:
        """It reads the exact scene and learns from its attempts on a task within that task."""
        seen = Observation.IMAGE if self.preset.startswith(deepphy.NAME) else Observation.SCENE
        return Traits(online=self.history_size > 0, observation=seen, grid=self.grid)

    def act(self, testing: Testing) -> None:
        """Work on tasks, several of them concurrently."""
        self.converse(testing, testing.tasks)

    def puzzle(self, testing: Testing, task: Task, attempts: Attempts | None = None) -> PhyrePuzzle:
        """A task as a puzzle for a model."""
        return PhyrePuzzle(self, testing.part(task), task, attempts)


class PhyrePuzzle(Puzzle[Watched]):
    """A task.

    Args:
        settings: the settings of the agent.
        testing: a testing of this task alone, where attempts are logged.
        task: the task.
        attempts: what simulates attempts; tasks that share one can be simulated together.
    """

    KIND, ATTEMPT, SECONDS = "task", "attempt", MAX_STEPS / STEPS_PER_SECOND
    settings: PhyreLlm

    def __init__(
        self, settings: PhyreLlm, testing: Testing, task: Task, attempts: Attempts | None = None
    ) -> None:
        schema = prompt.action_schema(testing.tier, settings.action_grid)
        super().__init__(settings, str(task.id), testing, schema)
        self.task = task
        self.attempts = attempts or Attempts([task])

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
        self.add(seen, prompt.attempt_text(seen, answer, self.settings.feedback))

    def simulate(self, wanted: Simulation) -> AttemptResult:
        """Simulate an attempt at once."""
        return self.attempts.run([(wanted.subject.id, wanted.action)])[0]

    def checked(self, action: list[float]) -> list[float]:
        """An action that fits the scene.

        Raises:
            AnswerError: it does not; this is logged.
        """
        if not self.attempts.fits(self.task, action):
            self.testing.log.append(self.task.id, action, Outcome.INVALID)
            raise prompt.misfit(action)
        return action

    def _question(self) -> Question:
        settings, testing = self.settings, self.testing
        grid, limit, left = settings.action_grid, testing.log.limit, testing.remaining(self.task)
        news = [prompt.question_text(limit, left)]
        last = self.last
        if last is not None and not self._passed:
            news = [self.last_ended, *news]
        return Question(
            prompt.rules_text(testing.tier, HOLD, self.SECONDS, grid, settings.tools),
            prompt.task_text(self.task, limit, left, self.history()),
            "\n\n".join(news),
            self.schema,
            lambda answer: self.checked(prompt.answer_action(answer, grid)),
            lambda: [("The scene before the start:", self.draw(None, 0.0)), *self.keyframes(last)],
            lambda: [] if self._passed else self.keyframes(last),
        )

    def describe(self, seen: Watched | None, second: float) -> str:
        """Describe the bodies at a time of an attempt, or at the start."""
        if seen is None:
            return scene_lines(self.task.scene)
        return scene_lines(seen.scene, seen.at(second))

    def draw(self, seen: Watched | None, second: float) -> Frame:
        """Draw the bodies at a time of an attempt, or at the start."""
        if seen is None:
            return draw(self.task.scene, None, self.settings.labels)
        return draw(seen.scene, seen.at(second), self.settings.labels)

    def contacts(self, seen: Watched) -> list[str]:
        """List the contacts of an attempt."""
        return contact_lines(seen)

    def keyframe_times(self, seen: Watched) -> list[float]:
        """The seconds at which an attempt is shown."""
        return keyframe_times(seen, self.settings.keyframes, self.settings.keyframes_by)

    def trial(self, proposal: Any) -> str:
        """Describe the result of an action that is no attempt."""
        action = prompt.answer_action(proposal, self.settings.action_grid)
        outcome, _ = self.testing.simulate(self.task, action)  # makes the run privileged
        if not outcome.is_valid:
            return f"{prompt.misfit(action)}."
        (result,) = self.attempts.run([(self.task.id, action)])
        return "\n".join(feedback(watched(self.task, 0, action, result), self.settings.feedback))
