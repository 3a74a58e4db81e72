"""NEIGHBOURS: solutions of the training tasks most like a task, carried over."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
import pytest
from scipy.optimize import check_grad

from support.phases import task_testing
from topple.phyre import Tier, template_tasks
from topple.phyre.agents import task_metric
from topple.phyre.agents.mem import Mem
from topple.phyre.agents.neighbours import AS_THEY_ARE, Guess, Neighbours, Way, ways_of
from topple.phyre.agents.task_metric import learn_metric
from topple.phyre.auccess import auccess
from topple.phyre.cache import ActionCache
from topple.phyre.engine.result import Outcome
from topple.phyre.likeness import measures, parts, structure
from topple.phyre.phases import Testing, Training
from topple.phyre.task import Task
from topple.runs import Agent

ACTIONS = 10_000  # all of them are known from the index that comes with the package


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> ActionCache:
    return ActionCache(tmp_path_factory.mktemp("cache"), Tier.BALL)


def split(*templates: str) -> tuple[list[Task], list[Task]]:
    """Tasks to learn from, and ten of each template to be scored on."""
    learned, scored = [], []
    for template in templates:
        tasks = template_tasks(template)
        learned += [task for number, task in enumerate(tasks) if number % 5]
        scored += list(tasks[::10])
    return learned, scored


def attempted(
    agent: Agent[Training, Testing],
    cache: ActionCache,
    learned: Sequence[Task],
    scored: Sequence[Task],
    attempts: int = 100,
) -> Testing:
    agent.train(Training(learned, cache, np.random.default_rng(0)))
    testing = task_testing(scored, cache, attempts)
    agent.act(testing)
    return testing


def score(testing: Testing) -> float:
    first = []
    for task in testing.tasks:
        outcomes = [each.outcome for each in testing.log if each.task == task.id]
        first.append(outcomes.index(Outcome.SOLVED) + 1 if Outcome.SOLVED in outcomes else 0)
    return auccess(first)


# The distance between tasks.


def tasks_of_a_line() -> Any:
    """Tasks with three measures, of which the second decides what solves them."""
    rng = np.random.default_rng(0)
    tasks = rng.uniform(0, 100, (60, 3))
    tasks[:, 2] = 7.0
    best = np.linspace(0, 100, 200)
    return tasks, np.abs(tasks[:, 1:2] - best) < 5


def test_the_measure_that_decides_counts_most() -> None:
    tasks, solved = tasks_of_a_line()
    metric = learn_metric(tasks, solved)
    assert metric.weights[1] > 20 * metric.weights[0]
    assert metric.weights[2] == 0
    near = metric.nearness(tasks[1:], tasks[0])
    assert near.max() == 1
    assert abs(tasks[1:][near.argmax(), 1] - tasks[0, 1]) < 5


def test_the_gradient_is_that_of_the_loss() -> None:
    tasks, solved = tasks_of_a_line()
    solved[3] = False
    apart = task_metric.difference(tasks[:, None, :2], tasks[None, :, :2])
    apart /= apart.mean(axis=(0, 1))
    known = solved.astype(np.float64)
    for weights in ((0.5, 1.0), (-1.0, 2.0)):

        def part(x: Any, number: int) -> Any:
            return task_metric._loss(x, apart, known)[number]

        loss, gradient = partial(part, number=0), partial(part, number=1)
        assert check_grad(loss, gradient, np.array(weights)) < 1e-5


def test_tasks_that_nothing_tells_apart_have_no_distance() -> None:
    same = learn_metric(np.ones((9, 4)), np.ones((9, 3), bool))
    assert not same.weights.any()
    assert (same.nearness(np.ones((3, 4)), np.zeros(4)) == 1).all()
    assert not learn_metric(np.arange(9.0)[:, None], np.zeros((9, 3), bool)).weights.any()


def test_tasks_of_a_template_have_the_same_structure() -> None:
    assert len({structure(task.scene) for task in template_tasks("00001")}) == 1
    assert len({structure(task.scene) for task in template_tasks("00013")}) > 9
    task = template_tasks("00001")[0]
    bodies = [body for _, body in parts(task.scene)]
    assert [part.role for part, _ in parts(task.scene)].count(1) == 1
    found = measures(bodies).reshape(len(bodies), 4)
    np.testing.assert_array_equal(found[:, :2], [body.position for body in bodies])
    np.testing.assert_array_equal(found[:, 3], [body.diameter for body in bodies])


# How actions are carried over.


def test_bodies_that_move_alike_are_one_way() -> None:
    rng = np.random.default_rng(0)
    place = rng.uniform(0.2, 0.8, (20, 1, 2))
    still = np.full((20, 1, 2), 0.5)
    centres = np.concatenate([still, place, place + 0.1, 1 - place], axis=1)
    assert ways_of(centres) == [
        AS_THEY_ARE,
        *(
            Way(body, *way)
            for body in (1, 3)
            for way in ((True, True), (True, False), (False, True))
        ),
    ]


def test_a_failure_speaks_against_tasks_that_it_would_have_solved() -> None:
    solves = np.array([[1, 1, 0, 0], [0, 0, 1, 0], [0, 0, 1, 1]], bool)
    guess = Guess(np.array([40, 30, 20, 10]), solves, np.array([0.6, 0.25, 0.15]))
    agent = Neighbours(trust=0.5)
    assert list(agent._order(guess)) == [40, 20, 30, 10]
    assert list(Neighbours(trust=1.0)._order(guess)) == [40, 30, 20, 10]
    assert list(Neighbours(trust=0.0)._order(guess)) == [40, 20, 30, 10]


def test_moved_actions_stay_in_the_scene(cache: ActionCache) -> None:
    learned, _ = split("00002")
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
    learned, scored = split("00009")
    found = {
        name: score(attempted(agent, cache, learned, scored))
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
    learned, scored = split("00002")
    agents = (Neighbours(actions=5000) for _ in range(2))
    one, other = (attempted(agent, cache, learned, scored) for agent in agents)
    assert list(one.log) == list(other.log)
    for task in scored:
        outcomes = [each.outcome for each in one.log if each.task == task.id]
        assert Outcome.SOLVED not in outcomes[:-1]
        assert outcomes[-1] == Outcome.SOLVED or len(outcomes) == 100


def test_few_candidates_are_followed_by_others_and_none_comes_twice(cache: ActionCache) -> None:
    learned, scored = split("00022")
    testing = attempted(Neighbours(actions=3000, candidates=1, ways=0), cache, learned, scored)
    for task in scored:
        tried = [each.action for each in testing.log if each.task == task.id]
        assert len(set(tried)) == len(tried)
    assert max(map(len, ([e for e in testing.log if e.task == task.id] for task in scored))) > 2


@pytest.mark.parametrize("template", ["00013", "00021"])
def test_tasks_with_bodies_of_their_own_are_attempted(template: str, cache: ActionCache) -> None:
    """One has another number of balls than any training task; one is of another template."""
    learned, scored = split("00012", "00013", "00001")
    scored = [task for task in scored if task.id.template == "00013"]
    if template == "00021":
        scored = list(template_tasks(template)[:5])
    testing = attempted(Neighbours(actions=2000, ways=1), cache, learned, scored, attempts=5)
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
