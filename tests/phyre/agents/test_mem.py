"""MEM's ranking against the published procedure, told with a heap and plain numbers."""

from __future__ import annotations

import heapq

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from topple.phyre.agents.mem import Mem, MemOnline, Ranking
from topple.phyre.cache.shard import Outcomes

LIMIT = 5  # attempts on a task


def played_with_a_heap(train: Outcomes, test: Outcomes, weight: float) -> list[list[int]]:
    """The actions tried on each test task."""
    heap = []
    tries = []
    for number, column in enumerate(train.T):
        solved, failed = int((column > 0).sum()), int((column < 0).sum())
        tries.append(float(solved + failed + 1))
        heap.append((-(solved / tries[-1]), number))
    heapq.heapify(heap)
    played: list[list[int]] = []
    for outcomes in test:
        valid, tried, back = 0, [], []
        while heap and valid < LIMIT:
            negative, number = heapq.heappop(heap)
            score = -negative
            tried.append(number)
            if outcomes[number] != 0:
                valid += 1
                successes = score * tries[number]
                successes += weight * float(outcomes[number] > 0)
                tries[number] += weight
                score = successes / tries[number]
            back.append((-score, number))
        for entry in back:
            heapq.heappush(heap, entry)
        played.append(tried)
    return played


def played_by_ranking(train: Outcomes, test: Outcomes, weight: float) -> list[list[int]]:
    ranking = Ranking(train, weight)
    played = []
    for outcomes in test:
        order = ranking.order()
        full = np.flatnonzero(np.cumsum(outcomes[order] != 0) == LIMIT)
        tried = order[: full[0] + 1] if len(full) else order
        ranking.update(tried, outcomes[tried])
        played.append(tried.tolist())
    return played


@given(st.integers(0, 2**32 - 1), st.sampled_from([0.0, 0.5, 1.0, 10.0]), st.floats(0.0, 0.5))
def test_ranking_is_the_published_heap(seed: int, weight: float, solvable: float) -> None:
    rng = np.random.default_rng(seed)
    shares = [(1 - solvable) * 0.6, 0.4 * (1 - solvable), solvable]
    train = rng.choice(np.array([-1, 0, 1], np.int8), (9, 40), p=shares)
    test = rng.choice(np.array([-1, 0, 1], np.int8), (12, 40), p=shares)
    assert played_by_ranking(train, test, weight) == played_with_a_heap(train, test, weight)


def test_settings_are_checked() -> None:
    with pytest.raises(ValueError, match="actions is 0"):
        Mem(actions=0)
    with pytest.raises(ValueError, match=r"weight is -1\.0"):
        MemOnline(weight=-1.0)
    assert not Mem().traits.online
    assert MemOnline().traits.online
