"""Solutions the authors recorded: the outcome of each, plain and with its neighbours."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from support.shared_data import arrays, needs_phyre_data
from support.tally import Tally
from topple.phyre import Simulator, Tier

pytestmark = needs_phyre_data

SAMPLE = 10  # every tenth task in the quick test


def compare(
    tasks: npt.NDArray[np.str_],
    actions: npt.NDArray[np.float64],
    expected: npt.NDArray[Any],
    stable: bool,
    tally: Tally,
) -> None:
    for tier in Tier:
        chosen = np.isin([task[:5] for task in tasks], tier.template_ids)
        names = tasks[chosen].tolist()
        simulator = Simulator(sorted(set(names)))
        batch = simulator.attempts(names, actions[chosen, : tier.action_size], stable=stable)
        wrong = batch.outcome != expected[chosen]
        tally("recorded solutions" + " (stable)" * stable, wrong.sum(), wrong.size)
        assert not wrong.any(), f"first at {tasks[chosen][wrong][0]}"


def compare_first(step: int, tally: Tally) -> None:
    golden = arrays("golden_solved.npz")
    tasks, actions = golden["task_ids"][::step], golden["action"][::step]
    compare(tasks, actions, golden["status"][::step], False, tally)
    compare(tasks, actions, golden["status_stable"][::step], True, tally)


def test_a_solution_of_every_tenth_task(tally: Tally) -> None:
    compare_first(SAMPLE, tally)


@pytest.mark.slow
def test_a_solution_of_every_task(tally: Tally) -> None:
    compare_first(1, tally)


@pytest.mark.slow
def test_stable_and_unstable_solutions(tally: Tally) -> None:
    golden = arrays("golden_solved.npz")
    tasks = golden["task_ids"][golden["all_task"]]
    compare(tasks, golden["all_action"], golden["all_status_stable"], True, tally)
