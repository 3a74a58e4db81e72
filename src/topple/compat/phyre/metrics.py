"""The original's folds, and its record of attempts with the scores made of it."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from topple.compat.phyre.simulation import SimulationStatus
from topple.phyre.auccess import MAX_ATTEMPTS, auccess, success_curve
from topple.phyre.fold import Setup, Split, load_fold
from topple.phyre.task import tier_task_ids
from topple.phyre.tier import Tier

MAX_TEST_ATTEMPTS = MAX_ATTEMPTS
MAIN_EVAL_SETUPS = tuple(
    sorted(setup.value for setup in Setup if setup.split is not Split.CROSS_TEMPLATE_BALANCED)
)
GLOBAL_ATTEMPTS = (100, 1000, 100_000)  # over all tasks, for `global_solved_by`

logger = logging.getLogger(__name__)


def list_eval_setups() -> tuple[str, ...]:
    """The names that ``get_fold`` knows: those of the paper and Topple's balanced ones."""
    return tuple(sorted(setup.value for setup in Setup))


def eval_setup_to_action_tier(eval_setup_name: str) -> str:
    """The tier of a setup."""
    return Setup.parse(eval_setup_name).tier.value


def get_fold(
    eval_setup: str, seed: int
) -> tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]:
    """The train, dev and test ids of a setup's fold, each sorted; seeds run from 0 to 9."""
    fold = load_fold(Setup.parse(eval_setup), seed)
    train, dev, test = (tuple(map(str, ids)) for ids in (fold.train, fold.dev, fold.test))
    return train, dev, test


def get_task_ids_in_tier(tier_name: str) -> list[str]:
    """The ids of all published tasks of a tier."""
    return list(map(str, tier_task_ids(Tier.parse(tier_name))))


class Evaluator:
    """Statuses of attempts on test tasks, and the scores made of them."""

    def __init__(self, task_ids: Sequence[str]) -> None:
        self._task_ids = task_ids
        self._log: list[tuple[str, SimulationStatus]] = []
        self.attempts_per_task_index = [0] * len(task_ids)

    @property
    def task_ids(self) -> Sequence[str]:
        """The test tasks, as they were given."""
        return self._task_ids

    def __len__(self) -> int:
        return len(self._log)

    def get_attempts_for_task(self, task_index: int) -> int:
        """Attempts logged on a task."""
        return self.attempts_per_task_index[task_index]

    def maybe_log_attempt(self, task_index: int, status: SimulationStatus | int | str) -> bool:
        """Logs the status of an attempt; tells whether it counts, which invalid ones do not.

        Raises:
            AssertionError: The task has all its attempts.
        """
        status = SimulationStatus(int(status))
        if status.is_invalid():
            return False
        task = self._task_ids[task_index]
        if self.attempts_per_task_index[task_index] >= MAX_TEST_ATTEMPTS:
            raise AssertionError(
                f"task {task} at index {task_index} already has {MAX_TEST_ATTEMPTS} attempts"
            )
        self.attempts_per_task_index[task_index] += 1
        self._log.append((task, status))
        return True

    def get_auccess(self, attempts: int = MAX_TEST_ATTEMPTS) -> float:
        """AUCCESS of the attempts logged, or of the first so many on each task."""
        self._warn_of_few_attempts()
        return auccess(self._first_solved(), attempts) if attempts else 0.0

    def get_aucess(self, attempts: int = MAX_TEST_ATTEMPTS) -> float:
        """``get_auccess``, spelled as in the first release."""
        return self.get_auccess(attempts)

    def compute_all_metrics(self) -> dict[str, Any]:
        """Scores by name, all of them divided by the number of tasks.

        ``independent_solved_by[k]`` is the share of tasks solved within k attempts each and
        ``independent_solved_by_aucs[k]`` AUCCESS up to there; ``global_solved_by[n]`` counts
        the tasks solved among the first n attempts on all of them.
        """
        self._warn_of_few_attempts()
        first_solved, tasks = self._first_solved(), len(self._task_ids)
        counts = range(1, MAX_TEST_ATTEMPTS + 1)
        solutions = self._first_solutions()
        return {
            "independent_solved_by": [0.0, *success_curve(first_solved).tolist()],
            "independent_solved_by_aucs": [0.0, *(auccess(first_solved, k) for k in counts)],
            "global_solved_by": {
                n: sum(place < n for place in solutions) / tasks for n in GLOBAL_ATTEMPTS
            },
            "total_attempts": len(self) / tasks,
            "total_solved": len(solutions) / tasks,
        }

    def _first_solutions(self) -> list[int]:
        """Places in the log of the attempts that solved a task for the first time."""
        places: dict[str, int] = {}
        for place, (task, status) in enumerate(self._log):
            if status.is_solved():
                places.setdefault(task, place)
        return list(places.values())

    def _first_solved(self) -> npt.NDArray[np.int64]:
        """[tasks] the number of the first attempt that solved each task; 0: none did."""
        made = dict.fromkeys(self._task_ids, 0)
        solved = made.copy()
        for task, status in self._log:
            made[task] += 1
            if status.is_solved() and not solved[task]:
                solved[task] = made[task]
        # A task listed twice counts twice among the tasks but is solved only once.
        numbers = np.zeros(len(self._task_ids), np.int64)
        numbers[: len(solved)] = list(solved.values())
        return np.where(numbers > MAX_TEST_ATTEMPTS, 0, numbers)

    def _warn_of_few_attempts(self) -> None:
        if len(self) < MAX_TEST_ATTEMPTS * len(self._task_ids):
            logger.warning(
                "%.1f attempts per task were logged of %d allowed; the score counts the "
                "missing ones as made in vain",
                len(self) / len(self._task_ids),
                MAX_TEST_ATTEMPTS,
            )
