"""The two phases of an evaluation, as an agent meets them.

In training it may simulate what it likes. In testing every action goes through
:meth:`Testing.attempt` or one of its kin, which log it. Both count what is asked of the
simulator, also where the answer comes from the action cache.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property
from itertools import islice

import numpy as np
import numpy.typing as npt

from topple.phyre.action import Actions
from topple.phyre.attempt import AttemptLog
from topple.phyre.cache import ActionCache
from topple.phyre.cache.shard import UNKNOWN, Outcomes
from topple.phyre.engine.backend import Backend
from topple.phyre.engine.native import (
    SceneSet,
    draw_scenes,
    map_actions,
    simulate_batch,
    valid_actions,
)
from topple.phyre.engine.request import Request
from topple.phyre.engine.result import BatchResult, Outcome
from topple.phyre.results import TaskResults
from topple.phyre.task import Task, TaskId
from topple.phyre.tier import Tier

_LOOK_AHEAD = 256  # listed actions looked up together


class Phase:
    """What both phases have.

    Attributes:
        tasks: to learn from, or to be solved.
        tier: what actions place.
        rng: for all random choices of the agent; the same in a repeated run.
    """

    def __init__(self, tasks: Sequence[Task], cache: ActionCache, rng: np.random.Generator) -> None:
        self.tasks = tuple(tasks)
        self.tier: Tier = cache.tier
        self.rng = rng
        self._cache = cache

    @cached_property
    def _scenes(self) -> SceneSet:
        return SceneSet([task.scene for task in self.tasks])

    @property
    def backend(self) -> Backend:
        """Where an agent may simulate; attempts on test tasks are made on the CPU."""
        return self._cache.backend

    def actions(self, count: int) -> Actions:
        """[count, 3 * balls] the first actions of the fixed list."""
        return self._cache.actions(count)

    def images(self) -> npt.NDArray[np.uint8]:
        """[tasks, 256, 256] what the tasks look like; row 0 is the bottom row."""
        return draw_scenes(self._scenes)


class Training(Phase):
    """Training tasks and unlimited simulation.

    Attributes:
        simulator_calls: attempts asked for so far, on valid or invalid actions.
        scenes_drawn: scenes put together for new puzzles so far.
        puzzles: those of them that became puzzles to learn from.
        learned_from: how many of the tasks the agent learned from; all, unless it says otherwise.
        seconds: what the training took, where a checkpoint says so.
    """

    def __init__(self, tasks: Sequence[Task], cache: ActionCache, rng: np.random.Generator) -> None:
        super().__init__(tasks, cache, rng)
        self.simulator_calls = self.scenes_drawn = self.puzzles = 0
        self.seconds = 0.0
        self.learned_from = len(self.tasks)

    def images(self) -> npt.NDArray[np.uint8]:
        """[tasks, 256, 256] what the tasks look like; row 0 is the bottom row."""
        self._check_tasks()
        return super().images()

    def _check_tasks(self) -> None:
        if not self.tasks:
            raise ValueError(
                "this agent learns from tasks, and there are none: a study names no fold to train "
                "on, so add one with --setup and --folds"
            )

    def outcomes(self, count: int, tasks: Sequence[Task] | None = None) -> Outcomes:
        """[tasks, count] outcomes of the first listed actions, on all training tasks or some."""
        self._check_tasks()
        chosen = self.tasks if tasks is None else tasks
        self.simulator_calls += len(chosen) * count
        return self._cache.outcomes(chosen, count)

    def simulate(
        self, places: npt.ArrayLike, actions: npt.ArrayLike, request: Request | None = None
    ) -> BatchResult:
        """Simulate any actions.

        Args:
            places: [attempts] place in ``tasks`` of each attempt's task.
            actions: [attempts, 3 * balls].
            request: what to keep; outcomes alone by default.
        """
        self._check_tasks()
        result = simulate_batch(self._scenes, places, actions, request, backend=self._cache.backend)
        self.simulator_calls += len(result)
        return result


class Testing(Phase):
    """Test tasks, to be solved in any order, a budget of attempts on each, and feedback on each.

    Attributes:
        log: the attempts so far.
        privileged: whether the agent looked at outcomes without spending attempts.
    """

    __test__ = False  # no test class, whatever its name says

    def __init__(
        self, tasks: Sequence[Task], cache: ActionCache, log: AttemptLog, rng: np.random.Generator
    ) -> None:
        super().__init__(tasks, cache, rng)
        self.log = log
        self.privileged = False
        self._simulated = 0
        self._place = {task.id: place for place, task in enumerate(self.tasks)}
        self._known: dict[TaskId, Outcomes] = {}

    @property
    def simulator_calls(self) -> int:
        """Attempts, turned-away actions and simulations so far."""
        return len(self.log) + self.log.invalid + self._simulated

    def fits(self, task: Task, count: int) -> npt.NDArray[np.bool_]:
        """[count] whether the first listed actions are valid on a task; costs nothing."""
        valid: npt.NDArray[np.bool_] = valid_actions(SceneSet([task.scene]), self.actions(count))[0]
        return valid

    def remaining(self, task: Task) -> int:
        """Attempts left on a task."""
        return self.log.remaining(task.id)

    def attempt(self, task: Task, action: Iterable[float]) -> Outcome:
        """Try an action on a task. An invalid one costs nothing."""
        return self.watch(task, action)[0]

    def watch(
        self, task: Task, action: Iterable[float], request: Request | None = None
    ) -> tuple[Outcome, BatchResult]:
        """Try an action on a task and observe what happens."""
        vector = [float(number) for number in action]
        result = simulate_batch(self._scenes, [self._place[task.id]], [vector], request)
        outcome = Outcome(int(result.outcome[0]))
        self.log.append(task.id, vector, outcome)
        return outcome, result

    def attempt_listed(self, task: Task, numbers: Iterable[int]) -> Outcomes:
        """Try listed actions in order until the task's attempts are used up.

        Returns:
            The outcomes of those that were tried, invalid ones among them. It ends with the
            attempt that used up the budget, or when the numbers do.
        """
        tried: list[Outcomes] = []
        rest = iter(numbers)
        while (budget := self.remaining(task)) and (block := list(islice(rest, _LOOK_AHEAD))):
            outcomes = self._look_up(task, np.array(block), budget)
            vectors = self.actions(max(block) + 1)[block[: len(outcomes)]]
            for vector, outcome in zip(vectors.tolist(), outcomes.tolist(), strict=True):
                self.log.append(task.id, vector, outcome)
            tried.append(outcomes)
        return np.concatenate(tried) if tried else np.zeros(0, np.int8)

    def prefetch(self, count: int, valid: int | None = None) -> None:
        """Have listed actions simulated for all test tasks at once, which is faster.

        It changes nothing else: attempts are logged when they are made.

        Args:
            count: how many actions of the list.
            valid: only up to each task's first so many valid ones.
        """
        if valid is None:
            self._cache.build(self.tasks, count)
        else:
            found = self._cache.first_valid(self.tasks, valid, count)
            self._cache.build(self.tasks, [numbers[-1] + 1 if numbers else 0 for numbers in found])
        self._known.clear()

    def peek(self, count: int) -> Outcomes:
        """[tasks, count] outcomes of the first listed actions, for oracles only.

        A run that calls this is marked as privileged.
        """
        self.privileged = True
        return self._cache.outcomes(self.tasks, count)

    def simulate(
        self, task: Task, action: Iterable[float], request: Request | None = None
    ) -> tuple[Outcome, BatchResult]:
        """See what an action would do without spending an attempt.

        A run that calls this is marked as privileged.
        """
        self.count_simulations(1)
        vector = [float(number) for number in action]
        result = simulate_batch(self._scenes, [self._place[task.id]], [vector], request)
        return Outcome(int(result.outcome[0])), result

    def count_simulations(self, count: int) -> None:
        """Count actions that were simulated without spending an attempt."""
        self.privileged |= count > 0
        self._simulated += count

    def results(self) -> TaskResults:
        """What came out so far."""
        return TaskResults.of(self.log)

    def part(self, task: Task) -> Testing:
        """A testing of one task alone, for agents that work on several at once.

        What happened there counts when it is joined. Join parts in an order that is the same in
        a repeated run, and the record is the same, too.
        """
        return Testing([task], self._cache, AttemptLog([task.id], self.log.limit), self.rng)

    def join(self, part: Testing) -> None:
        """Add what happened in a part."""
        self.log.extend(part.log)
        self._simulated += part._simulated
        self.privileged |= part.privileged

    def _look_up(self, task: Task, numbers: npt.NDArray[np.int64], budget: int) -> Outcomes:
        """Outcomes of the first of some listed actions, up to the one that uses up the budget."""
        known = self._known_of(task, int(numbers.max()) + 1)[numbers]
        unknown = known == UNKNOWN
        if not unknown.any():
            return known[: _until_budget(known != Outcome.INVALID, budget)]
        place = np.full(len(numbers), self._place[task.id])
        actions = self.actions(int(numbers.max()) + 1)[numbers]
        valid = known != Outcome.INVALID
        valid[unknown] = map_actions(self._scenes, place[unknown], actions[unknown])[0]
        known = np.where(unknown & ~valid, Outcome.INVALID, known).astype(np.int8)
        end = _until_budget(valid, budget)
        missing = np.flatnonzero(known[:end] == UNKNOWN)
        if len(missing):
            known[missing] = simulate_batch(self._scenes, place[missing], actions[missing]).outcome
        return known[:end]

    def _known_of(self, task: Task, count: int) -> Outcomes:
        row = self._known.get(task.id)
        if row is None or len(row) < count:
            length = 1 << int(count - 1).bit_length()  # attempts come one by one, in any order
            row = self._known[task.id] = self._cache.known([task], length)[0]
        return row


def _until_budget(valid: npt.NDArray[np.bool_], budget: int) -> int:
    """How many actions there are up to the valid one that uses up the budget."""
    full = np.flatnonzero(np.cumsum(valid) == budget)
    return int(full[0]) + 1 if len(full) else len(valid)
