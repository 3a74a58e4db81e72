"""Every value is compared with a decimal one of eighty digits, rounded once."""

from __future__ import annotations

import math
from decimal import Decimal, localcontext

import pytest
from hypothesis import given
from hypothesis import strategies as st

from topple.phyre.scene import exact_math

DIGITS = 80
ANGLE = st.floats(-30, 30).filter(lambda x: abs(x) > 1e-6)


def decimal_sin_cos(x: float) -> tuple[Decimal, Decimal]:
    """Both by their power series; to be called with enough digits."""
    exact = Decimal(x)
    sums = [Decimal(0), Decimal(0)]
    term, n = Decimal(1), 0
    while abs(term) > Decimal(10) ** -(DIGITS - 5) or n < abs(x):
        sums[n % 2] += term if n % 4 < 2 else -term
        n += 1
        term = term * exact / n
    return sums[1], sums[0]


@given(ANGLE)
def test_sine_cosine_and_tangent_are_correctly_rounded(x: float) -> None:
    with localcontext() as context:
        context.prec = DIGITS + 20
        sine, cosine = decimal_sin_cos(x)
        expected = float(sine), float(cosine), float(sine / cosine)
    assert (*exact_math.sin_cos(x), exact_math.tan(x)) == expected


@given(st.floats(1e-300, 1e300))
def test_logarithms_are_correctly_rounded(x: float) -> None:
    with localcontext() as context:
        context.prec = DIGITS
        expected = float(Decimal(x).ln())
    assert exact_math.log(x) == expected


@given(st.floats(-1e300, 1e300))
def test_no_value_is_far_from_the_platforms(x: float) -> None:
    sine, cosine = exact_math.sin_cos(x)
    assert sine == pytest.approx(math.sin(x), rel=1e-15, abs=1e-300)
    assert cosine == pytest.approx(math.cos(x), rel=1e-15)
    assert exact_math.tan(x) == pytest.approx(math.tan(x), rel=1e-15, abs=1e-300)


def test_values_at_the_corners() -> None:
    assert exact_math.sin_cos(0.0) == (0.0, 1.0)
    assert exact_math.sin_cos(math.pi) == (1.2246467991473532e-16, -1.0)
    assert exact_math.sin_cos(math.pi / 2) == (1.0, 6.123233995736766e-17)
    assert exact_math.tan(math.pi / 2) == 1.633123935319537e16
    assert exact_math.tan(0.0) == 0.0
    assert exact_math.log(1.0) == 0.0
    assert exact_math.sin_cos(5e-324) == (5e-324, 1.0)


@pytest.mark.parametrize("x", [0.0, -1.0, math.inf, math.nan])
def test_logarithms_need_positive_numbers(x: float) -> None:
    with pytest.raises(ValueError, match="positive finite"):
        exact_math.log(x)
