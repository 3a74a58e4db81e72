"""The metric against a slow, obvious reference."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from topple.phyre.auccess import MAX_ATTEMPTS, auccess, success_at, success_curve

first_solved = st.lists(st.integers(0, MAX_ATTEMPTS), min_size=1, max_size=60)


def share_solved_within(numbers: list[int], attempts: int) -> Fraction:
    return Fraction(sum(1 for number in numbers if 1 <= number <= attempts), len(numbers))


@given(first_solved)
def test_curve_is_the_share_of_tasks_solved_within_k(numbers: list[int]) -> None:
    curve = success_curve(numbers)
    assert curve.shape == (MAX_ATTEMPTS,)
    for k in range(1, MAX_ATTEMPTS + 1):
        assert curve[k - 1] == float(share_solved_within(numbers, k))
        assert success_at(numbers, k) == curve[k - 1]


@given(first_solved, st.integers(1, MAX_ATTEMPTS))
def test_auccess_is_the_weighted_mean_of_the_curve(numbers: list[int], attempts: int) -> None:
    weights = [math.log((k + 1) / k) for k in range(1, attempts + 1)]
    shares = [float(share_solved_within(numbers, k)) for k in range(1, attempts + 1)]
    expected = math.fsum(w * s for w, s in zip(weights, shares, strict=True)) / math.fsum(weights)
    assert auccess(numbers, attempts) == pytest.approx(expected, abs=1e-12)


@given(first_solved)
def test_order_of_tasks_does_not_matter(numbers: list[int]) -> None:
    assert auccess(sorted(numbers)) == auccess(numbers)


@given(first_solved, st.integers(0, 59))
def test_solving_a_task_sooner_never_scores_less(numbers: list[int], place: int) -> None:
    place %= len(numbers)
    sooner = list(numbers)
    sooner[place] = max(1, numbers[place] - 1) if numbers[place] else MAX_ATTEMPTS
    assert auccess(sooner) >= auccess(numbers)


def test_bounds() -> None:
    assert auccess([1, 1, 1]) == pytest.approx(1.0, abs=1e-12)
    assert auccess([0, 0]) == 0.0
    # A task solved at its tenth attempt earns about half: the paper's remark on the weights.
    assert auccess([10]) == pytest.approx(0.5, abs=0.02)


@pytest.mark.parametrize(
    "wrong", [[], [101], [-1], [0.5], np.zeros((2, 2), int)], ids=lambda wrong: repr(wrong)
)
def test_wrong_arrays_are_refused(wrong: npt.ArrayLike) -> None:
    with pytest.raises(ValueError, match="first_solved has"):
        auccess(wrong)


@pytest.mark.parametrize("attempts", [0, 101])
def test_wrong_budgets_are_refused(attempts: int) -> None:
    with pytest.raises(ValueError, match=f"attempts is {attempts}"):
        auccess([1], attempts)
    with pytest.raises(ValueError, match=f"attempts is {attempts}"):
        success_at([1], attempts)
