"""NEIGHBOURS: solutions of the training tasks most like a task, carried over."""

from __future__ import annotations

import numpy as np
import pytest

from support.phases import attempt_tasks, split_tasks
from topple.phyre import Tier, template_tasks
from topple.phyre.agents.mem import Mem
from topple.phyre.agents.neighbours import Neighbours
from topple.phyre.auccess import auccess
from topple.phyre.cache import ActionCache
from topple.phyre.engine.result import Outcome
from topple.phyre.phases import Testing, Training

ACTIONS = 10_000  # all of them are known from the index that comes with the package


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> ActionCache:
    return ActionCache(tmp_path_factory.mktemp("cache"), Tier.BALL)


def score(testing: Testing) -> float:
    first = []
    for task in testing.tasks:
        outcomes = [each.outcome for each in testing.log if each.task == task.id]
        first.append(outcomes.index(Outcome.SOLVED) + 1 if Outcome.SOLVED in outcomes else 0)
    return auccess(first)


# How actions are carried over.


def test_moved_actions_stay_in_the_scene(cache: ActionCache) -> None:
    learned, _ = split_tasks("00002")
    agent = Neighbours(actions=2000)
    agent.train(Training(learned[:9], cache, np.random.default_rng(0)))
    numbers = np.arange(2000)
    shift = np.array([0.3, -0.2, 0.0])
    carried = agent._carried(numbers, shift)
    inside = ((agent._listed + shift >= 0) & (agent._listed + shift <= 1)).all(axis=1)
    assert len(carried) == inside.sum() < 2000
    off = np.abs(agent._listed[carried] - agent._listed[inside] - shift).max(axis=1)
    assert off.mean() < 0.05
    assert (agent._carried(numbers, np.zeros(3)) == numbers).all()
    assert not agent._solves(0, numbers[~inside], shift).any()
    solved = np.flatnonzero(agent._outcomes[0] == Outcome.SOLVED)
    assert agent._solves(0, solved, np.zeros(3)).all()


# Acting.


def test_it_beats_what_knows_the_template_alone(cache: ActionCache) -> None:
    learned, scored = split_tasks("00009")
    found = {
        name: score(attempt_tasks(agent, cache, learned, scored)[1])
        for name, agent in (
            ("moved", Neighbours(actions=ACTIONS)),
            ("as they are", Neighbours(actions=ACTIONS, ways=0)),
            ("mem", Mem(actions=ACTIONS)),
        )
    }
    assert found["moved"] > 0.8
    assert found["moved"] > found["as they are"] + 0.03
    assert found["as they are"] > found["mem"] + 0.1


def test_it_is_the_same_again_and_ends_with_a_solution(cache: ActionCache) -> None:
    learned, scored = split_tasks("00002")
    agents = (Neighbours(actions=5000) for _ in range(2))
    one, other = (attempt_tasks(agent, cache, learned, scored)[1] for agent in agents)
    assert list(one.log) == list(other.log)
    for task in scored:
        outcomes = [each.outcome for each in one.log if each.task == task.id]
        assert Outcome.SOLVED not in outcomes[:-1]
        assert outcomes[-1] == Outcome.SOLVED or len(outcomes) == 100


def test_few_candidates_are_followed_by_others_and_none_comes_twice(cache: ActionCache) -> None:
    learned, scored = split_tasks("00022")
    testing = attempt_tasks(Neighbours(actions=3000, candidates=1, ways=0), cache, learned, scored)[
        1
    ]
    for task in scored:
        tried = [each.action for each in testing.log if each.task == task.id]
        assert len(set(tried)) == len(tried)
    assert max(map(len, ([e for e in testing.log if e.task == task.id] for task in scored))) > 2


@pytest.mark.parametrize("template", ["00013", "00021"])
def test_tasks_with_bodies_of_their_own_are_attempted(template: str, cache: ActionCache) -> None:
    """One has another number of balls than any training task; one is of another template."""
    learned, scored = split_tasks("00012", "00013", "00001")
    scored = [task for task in scored if task.id.template == "00013"]
    if template == "00021":
        scored = list(template_tasks(template)[:5])
    testing = attempt_tasks(Neighbours(actions=2000, ways=1), cache, learned, scored, 5)[1]
    assert {each.task for each in testing.log} == {task.id for task in scored}


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"nearest": 0}, "nearest is 0"),
        ({"ways": -1}, "ways is -1"),
        ({"trust": 1.5}, "trust is 1.5"),
    ],
)
def test_bad_settings_are_named(settings: dict[str, float], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Neighbours(**settings)  # type: ignore[arg-type]
