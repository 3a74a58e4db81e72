"""Batches: balanced, uniform, shared, and the same whenever they are made again."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from topple.phyre.agents.dqn_updates import CHUNK, Batches, split_evenly
from topple.phyre.cache.shard import UNKNOWN, Outcomes

SEED = 3


def table(tasks: int = 5, actions: int = 40, seed: int = 0) -> Outcomes:
    """Outcomes of every kind; task 0 has no solution."""
    rng = np.random.default_rng(seed)
    found = rng.choice(
        np.array([-1, 0, 1, UNKNOWN], np.int8), (tasks, actions), p=[0.5, 0.2, 0.2, 0.1]
    )
    found[0, found[0] == 1] = -1
    found[1:, 0], found[:, 1] = 1, -1
    return found


def drawn(outcomes: Outcomes, batches: Batches, share: int) -> npt.NDArray[np.int8]:
    chunk = batches.chunk(0)
    tasks = np.repeat(chunk.tasks, share, axis=1)
    assert tasks.shape == chunk.numbers.shape == chunk.solved.shape
    found: npt.NDArray[np.int8] = outcomes[tasks, chunk.numbers]
    assert ((found == 1) == (chunk.solved == 1)).all()
    assert set(np.unique(found)) <= {-1, 1}  # never invalid, never unknown
    return found


@given(st.integers(0, 1000), st.sampled_from([1, 2, 4]))
def test_half_of_a_batch_are_solutions(seed: int, share: int) -> None:
    outcomes = table(seed=seed)
    found = drawn(outcomes, Batches(outcomes, 16, per_task=share, seed=seed), share)
    assert ((found == 1).sum(axis=1) == 8).all()


def test_unbalanced_batches_hold_solutions_by_their_share() -> None:
    outcomes = table()
    found = drawn(outcomes, Batches(outcomes, 16, balanced=False, seed=SEED), 1)
    share = (outcomes == 1).sum() / np.isin(outcomes, [-1, 1]).sum()
    assert abs((found == 1).mean() - share) < 0.02


@pytest.mark.parametrize("share", [1, 4])
def test_every_solution_and_failure_is_drawn_equally_often(share: int) -> None:
    outcomes = table()
    chunk = Batches(outcomes, 64, per_task=share, seed=SEED).chunk(0)
    tasks = np.repeat(chunk.tasks, share, axis=1)
    counts = np.zeros(outcomes.shape)
    np.add.at(counts, (tasks, chunk.numbers), 1)
    for kind in (1, -1):
        of_kind = counts[outcomes == kind]
        assert of_kind.min() > 0
        # Members of a group depend on each other, so that shared counts scatter more.
        assert of_kind.std() < (2 if share == 1 else 4) * np.sqrt(of_kind.mean())


def test_chunks_depend_on_seed_and_number_alone() -> None:
    outcomes = table()
    first, again = (Batches(outcomes, 16, seed=SEED) for _ in range(2))
    first.chunk(0)
    for name in ("tasks", "numbers", "solved"):
        assert (getattr(first.chunk(7), name) == getattr(again.chunk(7), name)).all()
    assert (first.chunk(7).numbers != first.chunk(8).numbers).any()
    assert (first.chunk(7).numbers != Batches(outcomes, 16, seed=4).chunk(7).numbers).any()
    assert first.chunk(7).numbers.shape == (CHUNK, 16)


@given(st.integers(0, 1000), st.lists(st.integers(0, 50), min_size=1, max_size=6))
def test_a_total_is_split_in_proportion(total: int, weights: list[int]) -> None:
    if not any(weights):
        total = 0
    parts = split_evenly(total, weights)
    assert parts.sum() == total
    exact = total * np.array(weights) / max(sum(weights), 1)
    assert (np.abs(parts - exact) < 1).all()


def test_every_batch_has_as_many_attempts_of_each_stratum_in_their_order() -> None:
    outcomes = table(tasks=9)
    strata = np.array([0, 2, 0, 2, 2, 0, 2, 4, 2])
    batches = Batches(outcomes, 32, even=True, strata=strata, seed=SEED)
    chunk = batches.chunk(0, 50)
    assert batches.sizes.tolist() == [8, 0, 20, 0, 4]  # task 0 has no solution
    assert (strata[chunk.tasks] == np.repeat(np.arange(5), batches.sizes)).all()
    assert set(chunk.tasks.ravel().tolist()) == set(range(1, 9))
    assert (chunk.tasks[:, ::2] == chunk.tasks[:, 1::2]).all()
    assert (chunk.solved == np.tile([1, 0], 16)).all()


def test_nothing_to_draw_from_is_said() -> None:
    with pytest.raises(ValueError, match="no solutions among 40 actions on 1 training tasks"):
        Batches(table()[:1], 16, seed=SEED)
    with pytest.raises(ValueError, match="no solutions among 40 actions on 0 training tasks"):
        Batches(table()[:0], 16, seed=SEED)
    with pytest.raises(ValueError, match="no failures among 3 actions"):
        Batches(np.ones((2, 3), np.int8), 16, seed=SEED)
    with pytest.raises(ValueError, match="a batch of 6 cannot be halved into groups of 2"):
        Batches(table(), 6, per_task=2, seed=SEED)
