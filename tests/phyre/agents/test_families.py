"""Training tasks that a task is like: the distance between them, and ways of carrying over."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from scipy.optimize import check_grad

from topple.phyre import template_tasks
from topple.phyre.agents import task_metric
from topple.phyre.agents.families import AS_THEY_ARE, Families, Way, best_in_turn, ways_of
from topple.phyre.agents.task_metric import learn_metric
from topple.phyre.engine.result import Outcome
from topple.phyre.likeness import measures, parts, structure

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


# Families.


def test_the_nearest_tasks_are_those_with_the_same_solutions() -> None:
    """Whether an action solves a task depends on one body, and so does the distance."""
    tasks = template_tasks("00001")[:40]
    every = np.stack([measures([body for _, body in parts(task.scene)]) for task in tasks])
    place = every[:, np.ptp(every, axis=0).argmax()]
    lines = np.linspace(place.min(), place.max(), 300)
    beside = np.abs(place[:, None] - lines) < 10
    outcomes = np.where(beside, Outcome.SOLVED, Outcome.NOT_SOLVED).astype(np.int8)
    families = Families(tasks[1:], outcomes[1:])
    family, own = families.of(tasks[0])
    assert families.of(tasks[1])[0] is family
    places, near = family.nearest(own, 5)
    assert list(near) == sorted(near, reverse=True)
    found = place[1:][family.rows[places]]
    assert abs(found[0] - place[0]) < 10
    without, near = family.nearest(own, 5, without=int(places[0]))
    assert places[0] not in without
    assert near[0] == 1


def test_a_task_that_is_like_no_other_is_compared_with_all() -> None:
    tasks = [*template_tasks("00001")[:9], *template_tasks("00002")[:9]]
    families = Families(tasks, np.zeros((18, 10), np.int8))
    family, own = families.of(template_tasks("00003")[0])
    assert (family.key, family.metric) == ((), None)
    places, near = family.nearest(own, 3)
    assert list(family.rows[places]) == list(range(18))
    assert (near == 1).all()


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


def test_a_failure_takes_weight_from_those_who_were_wrong() -> None:
    solves = np.array([[1, 1, 0, 0], [0, 0, 1, 0], [0, 0, 1, 1]], bool)
    weights = np.array([0.6, 0.25, 0.15])
    assert list(best_in_turn(weights, solves, 0.5)) == [0, 2, 1, 3]
    assert list(best_in_turn(weights, solves, 1.0)) == [0, 1, 2, 3]
    assert list(best_in_turn(weights, solves, 0.0)) == [0, 2, 1, 3]
    assert list(weights) == [0.6, 0.25, 0.15]
