"""The original's folds, and its record of attempts with the scores made of it.

A setup is a list of groups: ids to train on, and lists of ids to be tested on. Folds are
functions of the published ids alone, so that every seed has one. What needs tasks that
Topple does not have, ramps or the Virtual Tools benchmark, raises an error that says so.
"""

from __future__ import annotations

import logging
import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from topple.compat.phyre.simulation import SimulationStatus
from topple.compat.phyre.util import stable_shuffle
from topple.phyre import fold
from topple.phyre.auccess import MAX_ATTEMPTS
from topple.phyre.task import tier_task_ids
from topple.phyre.tier import Tier

MAX_TEST_ATTEMPTS = MAX_ATTEMPTS
TRAIN_SHARE = fold.TRAIN_SHARE
AUCCESS_METRIC = "independent_solved_by_aucs"
GLOBAL_ATTEMPTS = (100, 1000, 100_000)  # over all tasks, for `global_solved_by`
MAIN_EVAL_SETUPS = (
    "ball_cross_template",
    "ball_within_template",
    "two_balls_cross_template",
    "two_balls_within_template",
)

Ids = Sequence[str]
EvalSetup = Sequence[tuple[Ids, Sequence[Ids]]]
Log = Sequence[tuple[str, SimulationStatus | int | str]]  # task and status of each attempt
Metrics = dict[str, Any]

# Programs that silence or collect the original's warnings know it by this name.
logger = logging.getLogger("phyre.metrics")


def eval_setup_to_action_tier(eval_setup_name: str) -> str:
    """The tier of a setup, by which its name begins."""
    for tier in ("ball", "two_balls", "ramp"):
        if eval_setup_name.startswith(tier):
            return tier
    raise ValueError(f"no tier begins the name of setup {eval_setup_name!r}")


def list_eval_setups() -> tuple[str, ...]:
    """The names of all setups: those of the original and Topple's balanced ones."""
    return tuple(sorted(EVAL_SETUP_BUILDERS))


def get_fold(
    eval_setup: str, seed: int
) -> tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]:
    """The train, dev and test ids of a setup's fold, each sorted.

    Args:
        eval_setup: one of ``list_eval_setups()``.
        seed: any whole number; the published scores are those of 0 to 9.

    Raises:
        ValueError: there is no such setup, or Topple does not have its tasks.
        TypeError: the setup is one of single tasks, which have no folds.
    """
    if eval_setup not in EVAL_SETUP_BUILDERS:
        known = ", ".join(EVAL_SETUP_BUILDERS)
        raise ValueError(f"unknown setup {eval_setup!r}: use one of {known}")
    build = EVAL_SETUP_BUILDERS[eval_setup]
    if build in (ball_single_instance, ball_single_instance_tiny):
        raise TypeError(
            f"setup {eval_setup!r} has no folds; EVAL_SETUP_BUILDERS[{eval_setup!r}]() lists its "
            "groups of one test task each"
        )
    _, test = _flatten(build(seed))
    train, dev = _flatten(build(seed=seed, dev_seed=seed))
    return train, dev, test


def get_task_ids_in_tier(tier_name: str) -> list[str]:
    """The ids of all published tasks of a tier.

    Raises:
        ValueError: Topple has no tasks of this tier.
    """
    try:
        tier = Tier.parse(tier_name)
    except ValueError:
        raise ValueError(
            f"there are no tasks of tier {tier_name.upper()}: Topple has the published tasks of "
            "BALL and TWO_BALLS; ramps and the Virtual Tools benchmark are not included"
        ) from None
    return list(map(str, tier_task_ids(tier)))


def create_dev_set(
    eval_setup: EvalSetup, train_share: float = TRAIN_SHARE, seed: int = 0
) -> list[tuple[Ids, Sequence[Ids]]]:
    """The training part of each group of a setup, split once more."""
    groups: list[tuple[Ids, Sequence[Ids]]] = []
    for train, _ in eval_setup:
        known = stable_shuffle(train, f"make_dev{seed}")
        cut = int(len(known) * train_share)
        groups.append((known[:cut], [known[cut:]]))
    return groups


def ball_single_instance(max_per_tpl: int = 10) -> EvalSetup:
    """Groups of one test task and none to train on, some tasks of each template."""
    return [
        ((), ((task_id,),))
        for ids in _templates("ball").values()
        for task_id in stable_shuffle(ids, "ball_online_ind_tasks")[:max_per_tpl]
    ]


def ball_single_instance_tiny() -> EvalSetup:
    """One task of each template, in a group of its own."""
    return ball_single_instance(1)


def ball_phyre_to_tools(seed: int = 1, dev_seed: int | None = None) -> EvalSetup:
    """Trained on PHYRE and tested on tasks that Topple does not have."""
    get_task_ids_in_tier("VIRTUAL_TOOLS")
    raise AssertionError("unreachable")  # the line above says why


def _cross_template(
    tier: str, seed: int = 1, dev_seed: int | None = None, train_share: float = TRAIN_SHARE
) -> EvalSetup:
    """Train and test tasks of different templates."""
    templates = _templates(tier)
    # The original salts all tiers with the word "ball".
    order = stable_shuffle(templates, f"ball_cross_template_half_{seed}")
    cut = round(len(order) * train_share)
    if dev_seed is not None:
        order = stable_shuffle(order[:cut], f"dev_ball_cross_template_half_{dev_seed}")
        cut = int(len(order) * train_share)
    train, test = (
        tuple(task_id for template in part for task_id in templates[template])
        for part in (order[:cut], order[cut:])
    )
    return [(train, [test])]


def _single_template(
    tier: str, seed: int = 1, dev_seed: int | None = None, train_share: float = TRAIN_SHARE
) -> EvalSetup:
    """Each template is a group of its own."""
    groups: list[tuple[Ids, Sequence[Ids]]] = []
    for ids in _templates(tier).values():
        order = stable_shuffle(ids, f"ball_online_ind_tasks{seed}")
        cut = round(len(order) * train_share)
        if cut:
            groups.append((tuple(order[:cut]), (tuple(order[cut:]),)))
    return groups if dev_seed is None else create_dev_set(groups, train_share, dev_seed)


def _within_template(
    tier: str, seed: int = 1, dev_seed: int | None = None, train_share: float = TRAIN_SHARE
) -> EvalSetup:
    """Train and test tasks of the same templates, in one group."""
    groups = _single_template(tier, seed, train_share=train_share)
    train = [task_id for ids, _ in groups for task_id in ids]
    test = [task_id for _, (ids,) in groups for task_id in ids]
    joined = [(train, [test])]
    return joined if dev_seed is None else create_dev_set(joined, train_share, dev_seed)


def _balanced(setup: fold.Setup, seed: int = 1, dev_seed: int | None = None) -> EvalSetup:
    """Topple's cross-template folds that test every template equally often; seeds 0 to 9."""
    found = fold.load_fold(setup, seed)
    train, dev, test = (tuple(map(str, ids)) for ids in (found.train, found.dev, found.test))
    return [(train + dev, [test])] if dev_seed is None else [(train, [dev])]


EVAL_SETUP_BUILDERS: dict[str, Callable[..., EvalSetup]] = {
    "ball_single_instance": ball_single_instance,
    "ball_single_instance_tiny": ball_single_instance_tiny,
    "ball_phyre_to_tools": ball_phyre_to_tools,
    **{
        f"{tier}{build.__name__}": partial(build, tier)
        for build in (_cross_template, _single_template, _within_template)
        for tier in ("ball", "two_balls", "ramp")
    },
    **{
        setup.value: partial(_balanced, setup)
        for setup in fold.Setup
        if setup.split is fold.Split.CROSS_TEMPLATE_BALANCED
    },
}


def _templates(tier: str) -> dict[str, list[str]]:
    """The ids of a tier's tasks by template, both in order."""
    templates: dict[str, list[str]] = {}
    for task_id in get_task_ids_in_tier(tier):
        templates.setdefault(task_id.split(":")[0], []).append(task_id)
    return templates


def _flatten(groups: EvalSetup) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The train and the test ids of all groups, sorted."""
    train = [task_id for ids, _ in groups for task_id in ids]
    test = [task_id for _, tests in groups for ids in tests for task_id in ids]
    return tuple(sorted(train)), tuple(sorted(test))


def compute_metrics(raw_simulation_log: Log) -> Metrics:
    """Scores of attempts by name, as numbers of tasks.

    ``independent_solved_by[k]`` is the number of tasks solved within k attempts each,
    ``independent_solved_by_aucs[k]`` its mean up to there with AUCCESS's weights;
    ``global_solved_by[n]`` counts the tasks solved among the first n attempts on all of them.

    Args:
        raw_simulation_log: the attempts in order; invalid ones are left out.
    """
    assert isinstance(raw_simulation_log, tuple | list), type(raw_simulation_log)
    if not raw_simulation_log:
        logger.warning("no attempts were logged; all scores are 0")
    attempts: dict[str, int] = {}
    solved_at: dict[str, int] = {}  # attempts on a task when it was first solved
    solutions: list[int] = []  # attempts on all tasks at these times
    made = 0
    for task, raw in raw_simulation_log:
        status = _status(raw)
        if status.is_invalid():
            continue
        made += 1
        attempts[task] = attempts.get(task, 0) + 1
        if status.is_solved() and task not in solved_at:
            solved_at[task] = attempts[task]
            solutions.append(made)
    if any(count > MAX_TEST_ATTEMPTS for count in solved_at.values()):
        logger.warning(
            "a task was solved after more than %d attempts; it does not count", MAX_TEST_ATTEMPTS
        )
    counts = list(solved_at.values())
    solved_by = [sum(count <= k for count in counts) for k in range(MAX_TEST_ATTEMPTS + 1)]
    areas, area, whole = [0.0], 0.0, 0.0
    for k in range(1, MAX_TEST_ATTEMPTS + 1):
        weight = math.log(k + 1) - math.log(k)
        area += weight * solved_by[k]
        whole += weight
        areas.append(area / whole)
    return {
        "independent_solved_by": solved_by,
        AUCCESS_METRIC: areas,
        "global_solved_by": {n: sum(at <= n for at in solutions) for n in GLOBAL_ATTEMPTS},
        "total_attempts": made,
        "total_solved": len(solutions),
    }


def normalize_metrics(metrics: Metrics, num_tasks: int) -> Metrics:
    """Scores divided by the number of tasks, in lists and dictionaries, too."""

    def divided(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: divided(item) for key, item in value.items()}
        if isinstance(value, list):
            return [divided(item) for item in value]
        return value / num_tasks

    return {name: divided(value) for name, value in metrics.items()}


def compute_metrics_normalized(simulation_log: Log, num_tasks: int) -> Metrics:
    """``compute_metrics`` divided by the number of tasks; warns if attempts are missing."""
    metrics = compute_metrics(simulation_log)
    if metrics["total_attempts"] < MAX_TEST_ATTEMPTS * num_tasks:
        logger.warning(
            "%.1f attempts per task were logged of %d allowed; the score counts the missing "
            "ones as made in vain",
            metrics["total_attempts"] / num_tasks,
            MAX_TEST_ATTEMPTS,
        )
    return normalize_metrics(metrics, num_tasks)


def _status(status: SimulationStatus | int | str) -> SimulationStatus:
    return SimulationStatus(int(status))


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
        status = _status(status)
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

    def compute_all_metrics(self) -> Metrics:
        """Scores by name, see ``compute_metrics``, divided by the number of tasks."""
        return compute_metrics_normalized(self._log, len(self._task_ids))

    def get_auccess(self, attempts: int = MAX_TEST_ATTEMPTS) -> float:
        """AUCCESS of the attempts logged, or of the first so many on each task."""
        score: float = self.compute_all_metrics()[AUCCESS_METRIC][attempts]
        return score

    def get_aucess(self, attempts: int = MAX_TEST_ATTEMPTS) -> float:
        """``get_auccess``, spelled as in the first release."""
        return self.get_auccess(attempts)
