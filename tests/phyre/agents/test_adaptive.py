"""ADAPTIVE: what it sees of its failures decides what it tries next."""

from __future__ import annotations

import numpy as np
import pytest

from support.phases import task_testing
from topple.phyre import Tier, load_task, template_task_ids
from topple.phyre.agents.adaptive import Adaptive
from topple.phyre.agents.rand import Rand
from topple.phyre.cache import ActionCache
from topple.phyre.engine.result import Outcome

TASKS = [load_task(template_task_ids(name)[0]) for name in ("00000", "00004", "00012", "00023")]


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> ActionCache:
    return ActionCache(tmp_path_factory.mktemp("cache"), Tier.BALL)


def attempts(cache: ActionCache, **settings: float) -> list[tuple[str, tuple[float, ...], bool]]:
    testing = task_testing(TASKS, cache, attempts=30)
    Adaptive(candidates=500, **settings).act(testing)
    return [(str(a.task), a.action, a.outcome is Outcome.SOLVED) for a in testing.log]


def test_without_a_belief_it_tries_what_the_random_agent_tries(cache: ActionCache) -> None:
    testing = task_testing(TASKS, cache, attempts=30)
    Rand().act(testing)
    tried = {str(task.id): [a.action for a in testing.log if a.task == task.id] for task in TASKS}
    indifferent = attempts(cache, failure_penalty=0.0, near_miss=0.0)
    for task in TASKS:
        own = [action for name, action, _ in indifferent if name == str(task.id)]
        assert own
        assert own == tried[str(task.id)][: len(own)]


def test_it_ends_with_a_solution_and_is_the_same_again(cache: ActionCache) -> None:
    found = attempts(cache)
    assert found == attempts(cache)
    for task in TASKS:
        outcomes = [solved for name, _, solved in found if name == str(task.id)]
        assert not any(outcomes[:-1])
        assert outcomes[-1] or len(outcomes) == 30


def test_it_keeps_away_from_failures(cache: ActionCache) -> None:
    near, far = (
        np.array(
            [action for name, action, _ in attempts(cache, **settings) if name == str(TASKS[-1].id)]
        )
        for settings in (
            {"failure_penalty": 0.0, "near_miss": 0.0},
            {"failure_penalty": 4.0, "near_miss": 0.0},
        )
    )
    apart = [
        np.linalg.norm(tried[:, None] - tried[None], axis=2)[np.triu_indices(len(tried), 1)].min()
        for tried in (near, far)
    ]
    assert len(near) == len(far) == 30
    assert apart[1] > 2 * apart[0]


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"candidates": 0}, "candidates is 0"),
        ({"near_miss": -1.0}, "near_miss is -1.0"),
        ({"failure_radius": 0.0}, "failure_radius is 0.0"),
    ],
)
def test_bad_settings_are_named(settings: dict[str, float], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Adaptive(**settings)  # type: ignore[arg-type]
