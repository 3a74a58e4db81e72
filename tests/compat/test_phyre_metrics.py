"""The original's folds, evaluator and cache, used as its agents use them."""

from __future__ import annotations

import json
import logging
import lzma
import math
from collections import defaultdict
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import topple.compat.phyre as phyre
from support.shared_data import PHYRE, needs_phyre_data
from topple.phyre import Setup
from topple.phyre.published import published_auccess as published_cell

TASKS = ("task0", "task1", "task2")


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> phyre.SimulationCache:
    monkeypatch.setenv("TOPPLE_CACHE", str(tmp_path))
    return phyre.get_default_100k_cache("ball", size=60)


def test_setups() -> None:
    assert phyre.MAIN_EVAL_SETUPS == (
        "ball_cross_template",
        "ball_within_template",
        "two_balls_cross_template",
        "two_balls_within_template",
    )
    assert set(phyre.MAIN_EVAL_SETUPS) < set(phyre.list_eval_setups())
    assert phyre.eval_setup_to_action_tier("two_balls_cross_template") == "two_balls"
    with pytest.raises(ValueError, match="unknown setup 'ball_across'"):
        phyre.get_fold("ball_across", 0)
    assert len(phyre.metrics.get_task_ids_in_tier("TWO_BALLS")) == 2500


@needs_phyre_data
def test_folds_of_the_original() -> None:
    with lzma.open(PHYRE / "folds.json.xz", "rt") as stream:
        folds = json.load(stream)
    for setup in phyre.MAIN_EVAL_SETUPS:
        for seed, fold in folds[setup].items():
            found = phyre.get_fold(setup, int(seed))
            assert found == tuple(tuple(fold[split]) for split in ("train", "dev", "test"))


def test_the_log_of_an_evaluator() -> None:
    evaluator = phyre.Evaluator(TASKS)
    assert evaluator.task_ids == TASKS
    assert all(evaluator.maybe_log_attempt(1, "-1") for _ in range(99))
    assert not evaluator.maybe_log_attempt(1, 0)
    assert evaluator.maybe_log_attempt(1, phyre.SimulationStatus.SOLVED)
    assert not evaluator.maybe_log_attempt(1, 0)
    with pytest.raises(AssertionError, match="task task1 at index 1 already has 100 attempts"):
        evaluator.maybe_log_attempt(1, -1)
    assert len(evaluator) == evaluator.get_attempts_for_task(1) == 100
    assert evaluator.get_attempts_for_task(0) == 0


def defined_auccess(log: list[tuple[int, int]], tasks: int, attempts: int) -> float:
    """The definition, attempt by attempt."""
    solved: dict[int, int] = {}
    made: dict[int, int] = defaultdict(int)
    for task, status in log:
        made[task] += 1
        if status > 0:
            solved.setdefault(task, made[task])
    area = whole = 0.0
    for k in range(1, attempts + 1):
        weight = math.log(k + 1) - math.log(k)
        area += weight * sum(first <= k for first in solved.values())
        whole += weight
    return area / whole / tasks


@given(
    st.lists(st.tuples(st.integers(0, 2), st.sampled_from([-1, 0, 1, 2, 3])), max_size=90),
    st.integers(1, 100),
)
def test_scores_are_the_published_ones(log: list[tuple[int, int]], attempts: int) -> None:
    evaluator = phyre.Evaluator(TASKS)
    for task, status in log:
        assert evaluator.maybe_log_attempt(task, status) == (status != 0)
    counted = [(task, status) for task, status in log if status]
    expected = defined_auccess(counted, 3, attempts)
    assert evaluator.get_auccess(attempts) == expected
    metrics = evaluator.compute_all_metrics()
    assert metrics["independent_solved_by_aucs"][attempts] == expected
    assert metrics["total_attempts"] == len(counted) / 3
    assert metrics["global_solved_by"][100] == metrics["total_solved"]
    assert metrics["independent_solved_by"][100] == metrics["total_solved"]
    assert len(metrics["independent_solved_by"]) == 101


def test_missing_attempts_are_warned_of(caplog: pytest.LogCaptureFixture) -> None:
    evaluator = phyre.Evaluator(TASKS)
    with caplog.at_level(logging.WARNING):
        assert evaluator.get_aucess() == evaluator.get_auccess() == 0.0
    assert "0.0 attempts per task were logged of 100 allowed" in caplog.text


def test_a_random_agent_on_the_simulator() -> None:
    tasks = phyre.get_fold("two_balls_within_template", 1)[1][:2]
    simulator = phyre.initialize_simulator(tasks, "two_balls")
    evaluator = phyre.Evaluator(tasks)
    rng = np.random.RandomState(0)
    for index in range(len(tasks)):
        while evaluator.get_attempts_for_task(index) < phyre.MAX_TEST_ATTEMPTS:
            action = simulator.sample(rng=rng)
            simulation = simulator.simulate_action(index, action, need_images=False)
            assert simulation.status is not None
            evaluator.maybe_log_attempt(index, simulation.status)
    assert len(evaluator) == 200
    assert 0 <= evaluator.get_aucess() <= 1


def test_a_cache_equals_the_simulator(cache: phyre.SimulationCache) -> None:
    task = "00002:017"
    statuses = cache.load_simulation_states(task)
    assert len(cache) == 60
    assert statuses.shape == (60,)
    assert task in cache.task_ids
    assert len(cache.task_ids) == 2500
    assert cache.action_array.shape == (60, 3)
    assert cache.action_array.dtype == np.float32
    simulator = phyre.initialize_simulator([task], "ball")
    listed = simulator.build_discrete_action_space(60, seed=phyre.simulation_cache.ACTION_SEED)
    np.testing.assert_array_equal(cache.action_array, np.array(listed, np.float32))
    for action, status in zip(cache.action_array, statuses, strict=True):
        assert simulator.simulate_action(0, action, need_images=False).status == status


def test_samples_of_a_cache(cache: phyre.SimulationCache) -> None:
    tasks = ["00002:017", "00001:001", "00002:017"]
    sample = cache.get_sample(tasks, 10)
    assert sample["task_ids"] == tasks
    assert sample["actions"].shape == (10, 3)
    assert sample["simulation_statuses"].shape == (3, 10)
    for task, row in zip(tasks, sample["simulation_statuses"], strict=True):
        np.testing.assert_array_equal(row, cache.load_simulation_states(task)[:10])
    with pytest.raises(ValueError, match="num_actions is 61; the cache has 60 actions"):
        cache.get_sample(tasks, 61)
    with pytest.raises(KeyError, match="no task '00100:007' in tier 'ball'"):
        cache.load_simulation_states("00100:007")


def test_a_memory_agent_on_the_cache(cache: phyre.SimulationCache) -> None:
    """The second notebook: rank by success on some tasks, try in that order on others."""
    template = [task for task in sorted(cache.task_ids) if task.startswith("00004:")]
    known, new = template[:6], template[6:10]
    statuses = cache.get_sample(known)["simulation_statuses"].astype(np.float32)
    solved, failed = (statuses > 0).sum(0), (statuses < 0).sum(0)
    ranking = np.argsort(-solved / (solved + failed + 1), kind="stable")
    evaluator = phyre.Evaluator(new)
    for index, task in enumerate(new):
        outcomes = cache.load_simulation_states(task)
        for number in ranking:
            if evaluator.get_attempts_for_task(index) >= phyre.MAX_TEST_ATTEMPTS:
                break
            evaluator.maybe_log_attempt(index, phyre.SimulationStatus(outcomes[number]))
        valid = outcomes != phyre.simulation_cache.INVALID
        assert evaluator.get_attempts_for_task(index) == valid.sum()
    assert evaluator.get_aucess(10) >= 0.0


@pytest.mark.slow
def test_the_random_agent_of_the_paper(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The original's RAND agent: a task's first 100 valid actions of the cache, in order."""
    monkeypatch.setenv("TOPPLE_CACHE", str(tmp_path))
    setup = "ball_cross_template"
    test = phyre.get_fold(setup, 0)[2]
    cache = phyre.get_default_100k_cache(phyre.eval_setup_to_action_tier(setup), size=1000)
    evaluator = phyre.Evaluator(test)
    for index, task in enumerate(test):
        statuses = cache.load_simulation_states(task)
        valid = statuses[statuses != phyre.simulation_cache.INVALID]
        for status in valid[: phyre.MAX_TEST_ATTEMPTS]:
            evaluator.maybe_log_attempt(index, status)
    assert len(evaluator) == 100 * len(test)
    assert f"{evaluator.get_aucess():.4f}" == published_cell("RAND", Setup(setup), 0)
