"""NEIGHBOURS-O: what solved the tasks that it met before, carried over."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from support.phases import task_testing
from topple.phyre import Tier, template_tasks
from topple.phyre.agents.neighbours_online import NeighboursOnline
from topple.phyre.cache import ActionCache
from topple.phyre.engine.result import Outcome
from topple.phyre.phases import Testing, Training

LEARNED = [task for template in ("00002", "00014") for task in template_tasks(template)[::20]]
SCORED = [task for template in ("00000", "00001") for task in template_tasks(template)[:20]]


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> ActionCache:
    return ActionCache(tmp_path_factory.mktemp("cache"), Tier.BALL)


def played(cache: ActionCache, attempts: int = 100, **settings: Any) -> Testing:
    agent = NeighboursOnline(**{"actions": 2000, **settings})
    agent.train(Training(LEARNED, cache, np.random.default_rng(0)))
    testing = task_testing(SCORED, cache, attempts)
    agent.act(testing)
    return testing


def attempts_on(testing: Testing, task: Any) -> list[Any]:
    return [each for each in testing.log if each.task == task.id]


def test_it_needs_fewer_attempts_on_tasks_like_those_it_met(cache: ActionCache) -> None:
    remembering, forgetting = (
        np.log([len(attempts_on(testing, task)) for task in SCORED]).reshape(2, 20)
        for testing in (played(cache), played(cache, gain=0.0))
    )
    assert (remembering[:, 0] == forgetting[:, 0]).all()  # nothing was met before
    assert remembering[:, 5:].mean() < forgetting[:, 5:].mean() - np.log(1.7)


def test_it_is_the_same_again_and_ends_with_a_solution(cache: ActionCache) -> None:
    one, other = played(cache, 20), played(cache, 20)
    assert list(one.log) == list(other.log)
    for task in SCORED:
        tried = attempts_on(one, task)
        assert Outcome.SOLVED not in [each.outcome for each in tried[:-1]]
        assert tried[-1].outcome == Outcome.SOLVED or len(tried) == 20
        assert len({each.action for each in tried}) == len(tried)


def test_before_anything_is_met_the_most_popular_action_is_tried(cache: ActionCache) -> None:
    outcomes = cache.outcomes(LEARNED, 2000)
    solved = (outcomes == Outcome.SOLVED).sum(axis=0)
    testing = played(cache, attempts=1)
    valid = testing.fits(SCORED[0], 2000)
    best = np.where(valid, solved, -1).argmax()
    assert attempts_on(testing, SCORED[0])[0].action == tuple(cache.actions(2000)[best])


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"actions": 0}, "actions is 0"),
        ({"gain": -1.0}, "gain is -1.0"),
        ({"reach": 0.0}, "reach is 0.0"),
    ],
)
def test_bad_settings_are_named(settings: dict[str, float], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        NeighboursOnline(**settings)  # type: ignore[arg-type]
