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


def test_folds_of_any_seed() -> None:
    for seed in (10, 123456, -1):
        for setup in phyre.MAIN_EVAL_SETUPS:
            train, dev, test = phyre.get_fold(setup, seed)
            assert (len(train), len(dev), len(test)) == (1600, 400, 500)
            assert len({*train, *dev, *test}) == 2500
            assert all(list(part) == sorted(part) for part in (train, dev, test))
    templates = {task[:5] for task in phyre.get_fold("ball_cross_template", 99)[2]}
    assert len(templates) == 5
    assert phyre.get_fold("ball_cross_template", 10) != phyre.get_fold("ball_cross_template", 11)
    with pytest.raises(ValueError, match="folds have seeds 0 to 9, not 10"):
        phyre.get_fold("ball_cross_template_balanced", 10)


def test_setups_in_groups() -> None:
    """Agents of one template each, and dev sets made of any setup."""
    builders = phyre.metrics.EVAL_SETUP_BUILDERS
    assert tuple(sorted(builders)) == phyre.list_eval_setups()
    for tier in phyre.ACTION_TIERS:
        groups = builders[f"{tier}_single_template"](seed=3)
        assert len(groups) == 25
        for known, (new,) in groups:
            assert (len(known), len(new)) == (80, 20)
            assert len({task[:5] for task in (*known, *new)}) == 1
        # Joined, they are the folds within template; the split of dev is each group's own.
        _, _, expected = phyre.get_fold(f"{tier}_within_template", 3)
        train, dev, test = phyre.get_fold(f"{tier}_single_template", 3)
        assert test == expected
        assert (len(train), len(dev)) == (1600, 400)
        assert len({task for task in dev if task[:5] == dev[0][:5]}) == 16
    halves = phyre.metrics.create_dev_set(groups, 0.5, seed=4)
    for (known, _), (first, (second,)) in zip(groups, halves, strict=True):
        assert sorted([*first, *second]) == sorted(known)
        assert len(first) == len(second) == 40
    single = builders["ball_single_instance"]()
    assert len(single) == 250
    assert all(train == () and len(test) == 1 for train, (test,) in single)
    tiny = builders["ball_single_instance_tiny"]()
    assert [test for _, test in tiny] == [test for _, test in single[::10]]
    with pytest.raises(TypeError, match="setup 'ball_single_instance_tiny' has no folds"):
        phyre.get_fold("ball_single_instance_tiny", 0)
    assert phyre.metrics.TRAIN_SHARE == 0.8


@pytest.mark.parametrize(
    ("setup", "tier"),
    [("ramp_cross_template", "RAMP"), ("ball_phyre_to_tools", "VIRTUAL_TOOLS")],
)
def test_setups_without_tasks_say_so(setup: str, tier: str) -> None:
    assert setup in phyre.list_eval_setups()
    assert phyre.eval_setup_to_action_tier(setup) == setup.split("_")[0]
    with pytest.raises(ValueError, match=f"there are no tasks of tier {tier}: Topple has"):
        phyre.get_fold(setup, 0)
    with pytest.raises(ValueError, match="no tier begins the name of setup 'cross_ball'"):
        phyre.eval_setup_to_action_tier("cross_ball")


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
    assert {record.name for record in caplog.records} == {"phyre.metrics"}


def test_scores_of_a_log(caplog: pytest.LogCaptureFixture) -> None:
    solved = phyre.SimulationStatus.SOLVED
    log: phyre.metrics.Log = [("a", -1), ("a", "0"), ("b", 1), ("a", solved), ("b", -1)]
    metrics = phyre.metrics.compute_metrics(log)
    assert metrics["independent_solved_by"][:4] == [0, 1, 2, 2]
    assert metrics["global_solved_by"] == {100: 2, 1000: 2, 100_000: 2}
    assert (metrics["total_attempts"], metrics["total_solved"]) == (4, 2)
    halved = phyre.metrics.normalize_metrics(metrics, 4)
    assert halved["independent_solved_by"][:4] == [0, 0.25, 0.5, 0.5]
    assert halved["global_solved_by"][100] == 0.5
    area = halved[phyre.metrics.AUCCESS_METRIC]
    assert area[100] == metrics["independent_solved_by_aucs"][100] / 4
    late = [("a", -1)] * 100 + [("a", 1)]
    with caplog.at_level(logging.WARNING, "phyre.metrics"):
        assert phyre.metrics.compute_metrics(late)["independent_solved_by"][100] == 0
        assert phyre.metrics.compute_metrics(())["total_attempts"] == 0
    assert "after more than 100 attempts" in caplog.text
    assert "no attempts were logged" in caplog.text
    with pytest.raises(AssertionError):
        phyre.metrics.compute_metrics("abc")  # type: ignore[arg-type]


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


def test_folders_of_the_original(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cache = phyre.simulation_cache
    monkeypatch.setenv(cache.PHYRE_CACHE_ENV, str(tmp_path))
    assert cache.PHYRE_CACHE_ENV == "PHYRE_CACHE_DIR"
    assert cache.get_cache_folder(100) == tmp_path / "offline_simulation" / "100"
    assert cache.get_partial_cache_folder(100) == tmp_path / "partial" / "100"
    monkeypatch.delenv(cache.PHYRE_CACHE_ENV)
    assert cache.get_cache_folder(100).parts[-3:] == ("phyre", "offline_simulation", "100")
    two_balls = phyre.SimulationCache(tmp_path / "two_balls", size=5)
    assert two_balls.action_array.shape == (5, 6)


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
