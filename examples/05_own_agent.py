"""An agent of your own, compared with chance on a published fold."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from pathlib import Path

from topple.phyre import Setup
from topple.phyre.phases import Testing, Training
from topple.phyre.selection import TaskSelection
from topple.runs import Agent, Observation, RunConfig, Runner, Traits, create_agent


@dataclass
class Above:
    """Drops the ball above the green body, at a slightly different place each time."""

    spread: float = 0.05  # standard deviation to either side, as a share of the scene's width

    @property
    def traits(self) -> Traits:
        """The agent observes the scene."""
        return Traits(observation=Observation.SCENE)

    def train(self, training: Training) -> None:
        """There is nothing to learn."""

    def act(self, testing: Testing) -> None:
        """Try until a task is solved or its attempts are used up."""
        for task in testing.tasks:
            assert task.scene.goal is not None
            x, y = task.scene.bodies[task.scene.goal.first].position
            for _ in range(10 * testing.log.limit):  # a ball that does not fit costs nothing
                if testing.log.is_solved(task.id) or not testing.remaining(task):
                    break
                side = testing.rng.normal(0, self.spread)
                height, radius = testing.rng.uniform((y / 256, 0), 1)
                action = x / 256 + side, height, radius
                testing.attempt(task, [min(max(number, 0.0), 1.0) for number in action])


runner = Runner(Path(tempfile.mkdtemp()))
agents: dict[str, Agent[Training, Testing]] = {
    "above": Above(),
    "rand": create_agent("phyre", "rand"),
}
selection = TaskSelection(Setup.BALL_WITHIN_TEMPLATE, fold=0, tasks=50)
scores = {}
for name, agent in agents.items():
    results = runner.run(RunConfig(name, selection, attempts=20), agent).results
    scores[name] = results.auccess
    print(f"{name:5} AUCCESS {results.auccess:.3f}, solved {results.curve[-1]:.0%} of 50 tasks")
assert scores["above"] > scores["rand"]
