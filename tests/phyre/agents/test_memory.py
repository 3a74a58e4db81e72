"""What attempts on earlier tasks say of a task that the same bodies make up."""

from __future__ import annotations

import numpy as np
import pytest

from topple.phyre import template_tasks
from topple.phyre.agents.families import AS_THEY_ARE, Way, likenesses, moved_by, ways_of
from topple.phyre.agents.memory import Memory
from topple.phyre.engine.result import Outcome

ONE, OTHER = template_tasks("00000")[:2]
BEFORE, AFTER = next(likenesses(ONE)), next(likenesses(OTHER))
WAY = Way(0, right=True, up=True)
SOLUTION, FAILURE = np.array([0.4, 0.6, 0.5]), np.array([0.1, 0.1, 0.1])


def attempted() -> Memory:
    """After a failure and a solution on one task."""
    memory = Memory(reach=0.05)
    outcomes = np.array([Outcome.NOT_SOLVED, Outcome.SOLVED], np.int8)
    memory.add(ONE, np.stack([FAILURE, SOLUTION]), outcomes)
    return memory


def test_an_action_moves_along_with_a_body_or_not_at_all() -> None:
    shift = moved_by(WAY, BEFORE.centres, AFTER.centres, 3)
    np.testing.assert_allclose(shift[:2], AFTER.centres[0] - BEFORE.centres[0])
    assert shift[2] == 0
    assert not moved_by(AS_THEY_ARE, BEFORE.centres, AFTER.centres, 3).any()


def test_evidence_is_where_solutions_would_be_now() -> None:
    memory = attempted()
    shift = moved_by(WAY, BEFORE.centres, AFTER.centres, 3)
    actions = np.stack([SOLUTION, SOLUTION + shift, FAILURE, np.ones(3)])
    found = memory.evidence(OTHER, actions)
    np.testing.assert_allclose(found[:2], 1, atol=1e-3)
    assert found[2] < 0
    assert abs(found[3]) < 1e-6
    for way in ways_of(np.stack([BEFORE.centres, AFTER.centres]))[1:]:
        memory._trust[AFTER.key, way] = 0.5
    found = memory.evidence(OTHER, actions)
    assert found[0] == pytest.approx(1, abs=1e-3)
    assert found[1] == pytest.approx(max(0.5, np.exp(-((shift**2).sum()) / (2 * 0.05**2))))
    elsewhere = template_tasks("00001")[0]
    assert not memory.evidence(elsewhere, actions).any()


def test_a_way_that_would_have_led_to_the_solution_is_trusted() -> None:
    memory = attempted()
    memory._trust[AFTER.key, WAY] = 0.5
    shift = moved_by(WAY, BEFORE.centres, AFTER.centres, 3)
    memory.add(OTHER, (SOLUTION + shift)[None], np.array([Outcome.SOLVED], np.int8))
    assert memory._trust[AFTER.key, WAY] == pytest.approx(0.55)
    assert memory._trust[AFTER.key, AS_THEY_ARE] < 1


def test_the_nearest_task_counts_most() -> None:
    """Of two tasks, one of which is the task itself, that one has the most to say."""
    actions = np.stack([SOLUTION, 1 - SOLUTION])
    solved = np.array([Outcome.SOLVED], np.int8)
    for first, second in ((ONE, OTHER), (OTHER, ONE)):
        memory = Memory(reach=0.01)
        memory.add(first, actions[:1], solved)
        memory.add(second, actions[1:], solved)
        memory._trust.clear()
        near, far = memory.evidence(ONE, actions)[:: 1 if first is ONE else -1]
        assert (near, far) == pytest.approx((1, 0.9), abs=1e-3)
