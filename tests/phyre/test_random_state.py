from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from topple.phyre.random_state import RandomState


@given(st.integers(0, 2**32 - 1))
def test_draws_equal_numpys(seed: int) -> None:
    ours, theirs = RandomState(seed), np.random.RandomState(seed)
    for high in range(1, 30):
        assert ours.uniform() == theirs.uniform()
        assert ours.uniform(0.2, 0.5) == theirs.uniform(0.2, 0.5)
        assert ours.integer(3, 3 + high) == theirs.randint(3, 4 + high)
        # NumPy takes the platform's logarithm, which may be a unit off.
        assert ours.normal() == pytest.approx(theirs.normal(), rel=1e-15, abs=0)


def test_a_range_of_one_draws_nothing() -> None:
    ours, untouched = RandomState(7), RandomState(7)
    assert ours.integer(5, 5) == 5
    assert ours.uniform() == untouched.uniform()
