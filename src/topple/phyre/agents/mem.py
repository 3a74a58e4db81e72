"""MEM and MEM-O: try first what solved most training tasks.

The candidates are the first actions of the fixed list. Each is scored by the share of
training tasks it solved; test tasks are tried in order of their ids, each with the best
valid actions. Where test tasks come from templates seen in training, every template has a
ranking of its own. MEM-O also counts its attempts on test tasks, with a weight.

Scores are kept and updated in the published arithmetic, to the bit: ties between actions are
frequent, and a score that is one bit off breaks them differently.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import groupby

import numpy as np
import numpy.typing as npt

from topple.phyre.auccess import MAX_ATTEMPTS
from topple.phyre.cache.shard import Outcomes
from topple.phyre.phases import Testing, Training
from topple.phyre.task import Task
from topple.runs.agent import Observation, Traits


class Ranking:
    """Scores of the candidate actions, learned from outcomes.

    Args:
        outcomes: [tasks, actions] of the training tasks.
        weight: weight of an attempt on a test task; one on a training task has weight 1.
    """

    def __init__(self, outcomes: Outcomes, weight: float) -> None:
        solved = (outcomes > 0).sum(axis=0)
        failed = (outcomes < 0).sum(axis=0)
        # The one keeps actions with few valid attempts from the top.
        self._tries: npt.NDArray[np.float64] = (solved + failed + 1).astype(np.float64)
        self._score: npt.NDArray[np.float64] = solved / self._tries
        self._weight = weight

    def order(self) -> npt.NDArray[np.intp]:
        """Action numbers, best first; of equal ones the lower number first."""
        return np.argsort(-self._score, kind="stable")

    def update(self, numbers: npt.NDArray[np.intp], outcomes: Outcomes) -> None:
        """Learn from the actions tried on a test task."""
        valid = outcomes != 0
        tried, solved = numbers[valid], (outcomes[valid] > 0).astype(np.float64)
        # From the score back to successes and forth again, as published, and not from counts:
        # the two differ in the last bit.
        successes = self._score[tried] * self._tries[tried]
        successes += self._weight * solved
        self._tries[tried] += self._weight
        self._score[tried] = successes / self._tries[tried]


@dataclass
class Mem:
    """The non-parametric agent.

    Attributes:
        actions: number of candidates that are ranked.
        weight: weight of attempts on test tasks; 0: it does not learn from them.
        first_template_only: act on the first template's test tasks only. The released
            evaluation counted attempts by a task's place within its template, so that after
            the first template every place was used up. The published rows within template
            were made that way, with the other 24 templates counted as unsolved.
    """

    actions: int = 1000
    weight: float = 0.0
    first_template_only: bool = False
    _training: list[tuple[str, Outcomes]] = field(default_factory=list, init=False, repr=False)

    def __post_init__(self) -> None:
        if self.actions < 1:
            raise ValueError(f"actions is {self.actions}; rank at least 1")
        if self.weight < 0:
            raise ValueError(f"weight is {self.weight}; it has to be 0 or more")

    @property
    def traits(self) -> Traits:
        """It knows the template of a task, and nothing else of it."""
        return Traits(
            online=self.weight > 0,
            observation=Observation.TEMPLATE,
            candidates=self.actions,
        )

    def train(self, training: Training) -> None:
        """Try all candidates on all training tasks."""
        tasks = training.tasks
        if self.first_template_only:
            first = tasks[0].id.template
            tasks = tuple(task for task in tasks if task.id.template == first)
        outcomes = training.outcomes(self.actions, tasks)
        self._training = [
            (task.id.template, row) for task, row in zip(tasks, outcomes, strict=True)
        ]

    def act(self, testing: Testing) -> None:
        """Try the best candidates on each task, template by template."""
        seen = {template for template, _ in self._training}
        tasks = sorted(testing.tasks, key=lambda task: task.id)
        groups = [list(group) for _, group in groupby(tasks, key=lambda task: task.id.template)]
        if self.first_template_only:
            self._act_on(groups[0], self._ranking(groups[0][0].id.template), testing)
            self._check_all_used(groups[0], testing)
        elif seen == {group[0].id.template for group in groups}:
            for group in groups:
                self._act_on(group, self._ranking(group[0].id.template), testing)
        else:
            self._act_on(tasks, self._ranking(None), testing)

    def _ranking(self, template: str | None) -> Ranking:
        """Learned from a template's training tasks, or from all."""
        rows = [row for name, row in self._training if template in (None, name)]
        return Ranking(np.stack(rows), self.weight)

    def _act_on(self, tasks: Sequence[Task], ranking: Ranking, testing: Testing) -> None:
        for task in tasks:
            order = ranking.order()
            outcomes = testing.attempt_listed(task, order)
            ranking.update(order[: len(outcomes)], outcomes)

    def _check_all_used(self, tasks: Sequence[Task], testing: Testing) -> None:
        """With attempts left, the released evaluation would have gone on to other templates."""
        for task in tasks:
            if testing.remaining(task):
                raise ValueError(
                    f"task '{task.id}' has fewer than {MAX_ATTEMPTS} valid actions among "
                    f"{self.actions}: the published evaluation is not defined by its first "
                    "template alone; use more actions, or first_template_only = False"
                )


@dataclass
class MemOnline(Mem):
    """MEM that learns from its attempts on test tasks."""

    weight: float = 10.0
