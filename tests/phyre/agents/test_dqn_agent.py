"""DQN and DQN-O on tiny data: they learn, go on where they were stopped, and rank."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from itertools import combinations
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from support.phases import task_testing
from support.training import same_weights
from topple.phyre import Task, Tier, load_task, template_task_ids
from topple.phyre.agents.dqn import Dqn, DqnOnline
from topple.phyre.agents.dqn_updates import CHUNK, Updates
from topple.phyre.attempt import AttemptLog
from topple.phyre.cache import ActionCache
from topple.phyre.engine.result import Outcome
from topple.phyre.phases import Training
from topple.runs.agent import TrainingOptions
from topple.runs.checkpoint import CheckpointError

ACTIONS = 60
SMALL: dict[str, Any] = {
    "actions": ACTIONS,
    "width": 8,
    "image_size": 64,
    "action_hidden_size": 32,
    "batch_size": 16,
    "updates": 12,
    "rank_size": ACTIONS,
    "learning_rate": 3e-3,
    "device": "cpu",
}


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> ActionCache:
    return ActionCache(tmp_path_factory.mktemp("cache"), Tier.BALL)


@pytest.fixture(scope="module")
def tasks(cache: ActionCache) -> list[Task]:
    """A handful of tasks, each solved by some of the first actions but not by most."""
    found = [
        load_task(task)
        for template in ("00000", "00002", "00011", "00018", "00020", "00022")
        for task in template_task_ids(template)[:3]
    ]
    solved = (cache.outcomes(found, ACTIONS) == Outcome.SOLVED).sum(axis=1)
    chosen = [task for task, count in zip(found, solved, strict=True) if 0 < count < 10]
    assert len(chosen) >= 4
    return chosen[:4]


def training(tasks: Sequence[Task], cache: ActionCache, seed: int = 0) -> Training:
    return Training(tasks, cache, np.random.default_rng(seed))


def attempts_of(
    agent: Dqn, tasks: Sequence[Task], cache: ActionCache, attempts: int = 20
) -> AttemptLog:
    testing = task_testing(tasks, cache, attempts)
    agent.act(testing)
    return testing.log


def test_it_overfits_a_handful_of_tasks_and_tries_a_solution_first(
    tasks: list[Task], cache: ActionCache
) -> None:
    agent = Dqn(**{**SMALL, "updates": 150})
    reports = list(agent.learn(training(tasks, cache)))
    assert reports[-1].done == reports[-1].planned == 150
    assert (reports[-1].loss or 0.0) < 0.1 < (reports[0].loss or 0.0)
    assert attempts_of(agent, tasks, cache).first_solved().tolist() == [1] * len(tasks)


def test_resumed_training_equals_uninterrupted_training(
    tasks: list[Task], cache: ActionCache, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = Dqn(**SMALL)
    whole.train(training(tasks, cache))
    # Save after every report, and stop after the first that is past a third of the way.
    monkeypatch.setattr("topple.phyre.agents.dqn_updates.SAVE_SECONDS", 0.0)
    file = tmp_path / "checkpoint.pt"
    stopped = Dqn(**SMALL)
    for report in stopped.learn(training(tasks, cache), TrainingOptions(file)):
        if report.done > 4:
            break
    assert 4 < report.done < SMALL["updates"]
    resumed = Dqn(**SMALL)
    reports = list(resumed.learn(training(tasks, cache), TrainingOptions(file)))
    assert reports[0].done > report.done
    assert same_weights(whole._network, resumed._network)
    # Loaded again, with nothing left to do, it is the same once more.
    again = Dqn(**SMALL)
    assert list(again.learn(training(tasks, cache), TrainingOptions(file))) == []
    assert same_weights(whole._network, again._network)


def test_seeds_decide(tasks: list[Task], cache: ActionCache) -> None:
    agents = [Dqn(**SMALL) for _ in range(3)]
    for agent, seed in zip(agents, (1, 1, 2), strict=True):
        agent.train(training(tasks, cache, seed))
    assert same_weights(agents[0]._network, agents[1]._network)
    assert not same_weights(agents[0]._network, agents[2]._network)


def test_online_updates_change_later_rankings_and_nothing_else(
    tasks: list[Task], cache: ActionCache, tmp_path: Path
) -> None:
    file = tmp_path / "checkpoint.pt"
    offline = Dqn(**SMALL)
    list(offline.learn(training(tasks, cache), TrainingOptions(file)))
    online = DqnOnline(**SMALL, online_learning_rate=1e-2)
    online.load(file)
    before = copy.deepcopy(online._network)
    logs = [attempts_of(agent, tasks, cache) for agent in (offline, online)]
    first = min(task.id for task in tasks)
    same = [
        [attempt.action for attempt in log if (attempt.task == first) == is_first]
        for is_first in (True, False)
        for log in logs
    ]
    assert same[0] == same[1]  # the first task knows of no other
    assert same[2] != same[3]
    assert same_weights(online._network, before)
    assert online.traits.online
    assert not offline.traits.online


def test_all_attempts_are_made_after_a_solution_too(tasks: list[Task], cache: ActionCache) -> None:
    agent = DqnOnline(**{**SMALL, "updates": 2})
    agent.train(training(tasks, cache))
    log = attempts_of(agent, tasks, cache, attempts=8)
    assert log.attempts_made().tolist() == [8] * len(tasks)


def test_near_attempts_are_put_off(tasks: list[Task], cache: ActionCache) -> None:
    distance = 0.25
    agent = Dqn(**{**SMALL, "min_distance": distance})
    agent.train(training(tasks, cache))
    log = attempts_of(agent, tasks, cache, attempts=5)
    for task in tasks:
        tried = np.array([attempt.action for attempt in log if attempt.task == task.id])
        apart = np.linalg.norm(tried[:, None] - tried[None], axis=2)[np.triu_indices(len(tried), 1)]
        assert len(tried) == 5
        assert apart.min() >= distance


def test_failures_count_against_the_actions_beside_them(
    tasks: list[Task], cache: ActionCache, tmp_path: Path
) -> None:
    file = tmp_path / "checkpoint.pt"
    list(Dqn(**SMALL).learn(training(tasks, cache), TrainingOptions(file)))
    logs = []
    for penalty, radius in ((0.0, 0.1), (1e6, 1e-6), (1e6, 0.1)):
        agent = Dqn(**SMALL, failure_penalty=penalty, failure_radius=radius)
        agent.load(file)
        logs.append(attempts_of(agent, tasks, cache, attempts=5))
    plain, narrow, wide = ([attempt.action for attempt in log] for log in logs)
    assert narrow == plain  # nothing lies so close to a failure
    assert wide != plain
    pairs = 0
    for task in tasks:
        attempts = [attempt for attempt in logs[2] if attempt.task == task.id]
        assert len({attempt.action for attempt in attempts}) == 5
        failed = np.array([a.action for a in attempts if a.outcome is Outcome.NOT_SOLVED])
        for one, other in combinations(failed, 2):
            assert np.linalg.norm(one - other) > 0.2
            pairs += 1
    assert pairs


def test_a_time_limit_lowers_the_updates_and_says_so(
    tasks: list[Task], cache: ActionCache, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = 0.0

    def run(self: Updates, count: int, rates: Any) -> float:
        nonlocal now
        now += 0.01 * count
        return make_updates(self, count, rates)

    make_updates = Updates.run
    monkeypatch.setattr(Updates, "run", run)  # a hundred a second, however busy the machine is
    clock = SimpleNamespace(monotonic=lambda: now)
    monkeypatch.setattr("topple.phyre.agents.dqn_updates.time", clock)
    monkeypatch.setattr("topple.phyre.agents.dqn_updates.MEASURE_SECONDS", 0.05)
    agent = Dqn(**{**SMALL, "updates": 10 * CHUNK})
    reports = list(agent.learn(training(tasks, cache), TrainingOptions(minutes=0.01)))
    assert reports[-1].done == reports[-1].planned == agent.updates < 10 * CHUNK
    assert agent.settings["updates"] == agent.updates
    assert (reports[-1].learning_rate or 0.0) < 0.1 * agent.learning_rate


def test_a_checkpoint_is_for_its_own_training(
    tasks: list[Task], cache: ActionCache, tmp_path: Path
) -> None:
    file = tmp_path / "checkpoint.pt"
    agent = Dqn(**SMALL)
    list(agent.learn(training(tasks, cache), TrainingOptions(file)))
    for settings, phase, message in (
        ({"fusion_place": "first"}, training(tasks, cache), "fusion_place = last, not first; use"),
        ({}, training(tasks, cache, seed=5), "another seed; use"),
        ({}, training(tasks[:2], cache), "trained on other tasks"),
    ):
        with pytest.raises(CheckpointError, match=message):
            list(Dqn(**{**SMALL, **settings}).learn(phase, TrainingOptions(file)))
    other = Dqn(**SMALL)
    other.load(file)
    with pytest.raises(CheckpointError, match="trained on other tasks"):
        other.train(training(tasks[:2], cache))


def test_unfinished_training_is_not_evaluated(
    tasks: list[Task], cache: ActionCache, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("topple.phyre.agents.dqn_updates.SAVE_SECONDS", 0.0)
    file = tmp_path / "checkpoint.pt"
    next(iter(Dqn(**SMALL).learn(training(tasks, cache), TrainingOptions(file))))
    with pytest.raises(CheckpointError, match="has 1 of 12 updates; finish it"):
        Dqn(**SMALL).load(file)
    with pytest.raises(ValueError, match="no weights; train it or load"):
        attempts_of(Dqn(**SMALL), tasks, cache)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"updates": 0}, "updates is 0; it has to be 1 or more"),
        (
            {"fusion_place": "middle"},
            "fusion_place is 'middle'; use one of last, first, all, last-single",
        ),
        ({"image_size": 100}, "image_size is 100; use one of 64, 128, 256"),
        (
            {"batch_size": 10, "attempts_per_task": 4},
            "batch_size is 10 and attempts_per_task 4; use a multiple of 8",
        ),
        ({"device": "tpu"}, "device is 'tpu'; use 'cpu', 'cuda' or 'auto'"),
        ({"learning_rate": 0.0}, "learning_rate is 0.0; it has to be above 0"),
        ({"min_distance": -1.0}, "min_distance is -1.0; it has to be 0 or more"),
        ({"failure_radius": 0.0}, "failure_radius is 0.0; it has to be above 0"),
        ({"min_distance": 0.1, "failure_penalty": 4.0}, "cannot be combined with failure_penalty"),
        ({"min_distance": 0.1, "near_miss": 1.0}, "cannot be combined with failure_penalty"),
        ({"near_miss": -1.0}, "near_miss"),
    ],
)
def test_wrong_settings_are_named(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Dqn(**settings)
