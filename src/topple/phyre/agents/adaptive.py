"""ADAPTIVE: tries random actions at first, and then what its own failures make likely.

It knows nothing of a task before it acts, neither from training nor from the scene: what a learner
would say of the candidates is replaced by indifference. All it has is what it sees of its failed
attempts (:mod:`topple.runs.belief`), so its score is what adapting to them is worth by itself.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch

from topple.phyre.agents.belief import attempt_by_belief
from topple.phyre.phases import Testing
from topple.runs.agent import Traits, Untrained
from topple.runs.belief import Belief
from topple.runs.settings import above_zero, at_least


@dataclass
class Adaptive(Untrained):
    """The agent that keeps away from failures, unless they were near misses.

    Attributes:
        candidates: number of listed actions that it chooses from.
        failure_penalty: what a failed attempt takes from the logits of candidates beside it; with
            the distance it falls off as a Gaussian.
        failure_radius: standard deviation of that Gaussian.
        near_miss: what a failed attempt that came nearer to the goal than usual adds instead; 0:
            what happened in failed attempts does not count.
    """

    candidates: int = 2_000
    failure_penalty: float = 4.0
    failure_radius: float = 0.1
    near_miss: float = 1.0

    def __post_init__(self) -> None:
        at_least(self, 1, "candidates")
        at_least(self, 0, "failure_penalty", "near_miss")
        above_zero(self, "failure_radius")

    @property
    def traits(self) -> Traits:
        """It sees nothing before it acts."""
        return Traits(candidates=self.candidates)

    def act(self, testing: Testing) -> None:
        """Try candidates on each task until one solves it; of equally likely ones the first."""
        listed = testing.actions(self.candidates)
        for task in testing.tasks:
            valid = np.flatnonzero(testing.fits(task, self.candidates))
            actions = listed[valid]
            belief = Belief(
                torch.zeros(len(valid)),
                torch.from_numpy(actions.astype(np.float32)),
                self.failure_penalty,
                self.failure_radius,
                near_miss=self.near_miss,
            )
            attempt_by_belief(testing, task, valid, actions, belief, until_solved=True)
