"""OPTIMAL: the ceiling of every agent that ranks the same candidates.

It looks at the outcomes and tries a solution first where there is one.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from topple.phyre.engine.result import Outcome
from topple.phyre.phases import Testing
from topple.runs.agent import Observation, Traits, Untrained


@dataclass
class Optimal(Untrained):
    """The oracle.

    Attributes:
        actions: number of listed actions that are its candidates.
    """

    actions: int = 1000

    @property
    def traits(self) -> Traits:
        """It knows everything, within its candidates."""
        return Traits(observation=Observation.SCENE, candidates=self.actions)

    def act(self, testing: Testing) -> None:
        """Try a solution, or any valid candidate of a task that has none."""
        for task, outcomes in zip(testing.tasks, testing.peek(self.actions), strict=True):
            useful = np.flatnonzero(outcomes == Outcome.SOLVED)
            if not len(useful):
                useful = np.flatnonzero(outcomes == Outcome.NOT_SOLVED)
            testing.attempt_listed(task, useful[:1].tolist())
