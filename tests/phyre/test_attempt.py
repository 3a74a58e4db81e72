from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from topple.phyre.attempt import AttemptError, AttemptLog
from topple.phyre.engine.result import Outcome
from topple.phyre.task import TaskId

TASKS = [TaskId("00000", number) for number in range(3)]
tries = st.lists(st.tuples(st.sampled_from(TASKS), st.sampled_from(list(Outcome))), max_size=80)


@given(tries, st.integers(1, 4))
def test_the_log_counts_as_one_would_by_hand(
    made: list[tuple[TaskId, Outcome]], limit: int
) -> None:
    log = AttemptLog(TASKS, limit)
    kept: list[tuple[TaskId, Outcome]] = []
    for task, outcome in made:
        earlier = [entry for entry in kept if entry[0] == task]
        assert log.remaining(task) == limit - len(earlier)
        if outcome == Outcome.INVALID:
            assert not log.append(task, (0.1, 0.2, 0.3), outcome)
        elif len(earlier) == limit:
            with pytest.raises(AttemptError, match=f"'{task}' already has {limit} attempts"):
                log.append(task, (0.1, 0.2, 0.3), outcome)
        else:
            assert log.append(task, (0.1, 0.2, 0.3), outcome)
            kept.append((task, outcome))
    assert [(attempt.task, attempt.outcome) for attempt in log] == kept
    assert log.invalid == sum(outcome == Outcome.INVALID for _, outcome in made)
    for place, task in enumerate(TASKS):
        outcomes = [outcome for entry, outcome in kept if entry == task]
        solved = [number for number, outcome in enumerate(outcomes, 1) if outcome.is_solved]
        assert log.first_solved()[place] == (solved[0] if solved else 0)
        assert log.attempts_made()[place] == len(outcomes)
        assert log.is_solved(task) == bool(solved)


def test_attempts_keep_their_actions() -> None:
    log = AttemptLog(TASKS)
    log.append(TASKS[1], np.array([0.5, 0.25, 1.0], np.float32), Outcome.SOLVED)
    assert log[0].action == (0.5, 0.25, 1.0)
    assert len(log) == 1


def test_mistakes_name_the_task_or_the_number() -> None:
    log = AttemptLog(TASKS)
    with pytest.raises(AttemptError, match="'00001:000' is not one of the test tasks"):
        log.append(TaskId("00001", 0), (), Outcome.SOLVED)
    with pytest.raises(AttemptError, match="limit is 101"):
        AttemptLog(TASKS, 101)
    with pytest.raises(AttemptError, match="listed twice"):
        AttemptLog([TASKS[0], TASKS[0]])


def test_a_log_takes_in_another() -> None:
    part = AttemptLog(TASKS[1:2])
    for outcome in (Outcome.INVALID, Outcome.NOT_SOLVED, Outcome.SOLVED):
        part.append(TASKS[1], (0.1, 0.2, 0.3), outcome)
    log = AttemptLog(TASKS)
    log.append(TASKS[0], (0.5, 0.5, 0.5), Outcome.SOLVED)
    log.extend(part)
    assert log.first_solved().tolist() == [1, 2, 0]
    assert len(log) == 3
    assert log.invalid == 1
    with pytest.raises(AttemptError, match="not one of the test tasks"):
        AttemptLog(TASKS[2:]).extend(part)
