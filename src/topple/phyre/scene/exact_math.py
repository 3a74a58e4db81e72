"""Correctly rounded sine, cosine, tangent and logarithm, in whole numbers only.

The published scenes were made with a C library whose results were correctly
rounded. Today's libraries are a little faster and now and then one unit in the
last place off, each in its own places, so a scene computed with them depends on
the machine. Here every function is evaluated in fixed-point integers, with the
error counted, and precision is raised until both ends of the error interval
round to the same double. That double is the correct one on every platform.

A call costs some ten microseconds; results are cached because templates use
few angles.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache

FIRST_BITS = 88  # fractional bits tried first; enough for nearly every argument


@lru_cache(maxsize=4096)
def sin_cos(x: float) -> tuple[float, float]:
    """Sine and cosine of ``x`` radians, correctly rounded."""
    if x == 0.0:
        return 0.0, 1.0
    sine, cosine = _rounded(_sin_cos_fixed, x)
    return sine, cosine


@lru_cache(maxsize=4096)
def tan(x: float) -> float:
    """Tangent of ``x`` radians, correctly rounded."""
    return _rounded(_tan_fixed, x)[0] if x else 0.0


@lru_cache(maxsize=4096)
def log(x: float) -> float:
    """Natural logarithm of a positive ``x``, correctly rounded."""
    if not 0.0 < x < math.inf:
        raise ValueError(f"the logarithm needs a positive finite number, got {x}")
    return _rounded(_log_fixed, x)[0] if x != 1.0 else 0.0


def _rounded(fixed: Callable[[float, int], tuple[int, ...]], x: float) -> list[float]:
    """The doubles nearest to a function's values, of which it gives any number of bits.

    A fixed-point value may be off by as many units as it has bits. That covers
    all series here: a term costs a unit or two of rounding and gains four bits.
    """
    bits = FIRST_BITS
    while True:
        one = 1 << bits
        doubles = []
        for value in fixed(x, bits):
            # Python divides integers with correct rounding.
            double = (value - bits) / one
            if double != (value + bits) / one:
                break
            doubles.append(double)
        else:
            return doubles
        bits *= 2


def _tan_fixed(x: float, bits: int) -> tuple[int]:
    """Tangent of ``x`` times 2^bits, to within ``bits`` units."""
    # The quotient's error is the cosine's over the cosine squared, so a small
    # cosine needs the more bits; 4 of them cover the width of the error.
    wide = 2 * bits
    sine, cosine = _sin_cos_fixed(x, wide)
    while abs(cosine) < 1 << (wide + bits) // 2 + 4:
        wide *= 2
        sine, cosine = _sin_cos_fixed(x, wide)
    return ((sine << bits) // cosine,)


def _sin_cos_fixed(x: float, bits: int) -> tuple[int, int]:
    """Sine and cosine of ``x`` times 2^bits, both to within ``bits`` units."""
    numerator, denominator = x.as_integer_ratio()
    shift = denominator.bit_length() - 1
    # Reducing a large argument loses as many bits as its whole part has.
    guard = 16 + max(0, numerator.bit_length() - shift)
    wide = bits + 2 * guard
    half_pi = _pi_fixed(wide) >> 1
    # The remainder lies within a quarter of pi, so the cosine is well above 0.
    quarter_pi = half_pi >> 1
    quadrant, rest = divmod((numerator << wide >> shift) + quarter_pi, half_pi)
    rest = (rest - quarter_pi) >> 2 * guard
    square = rest * rest >> bits
    quotient = 0
    for coefficient in _sine_coefficients(bits):
        quotient = coefficient - (quotient * square >> bits)
    sine = quotient * rest >> bits
    cosine = math.isqrt((1 << 2 * bits) - sine * sine)
    turns = ((sine, cosine), (cosine, -sine), (-sine, -cosine), (-cosine, sine))
    return turns[quadrant % 4]


@lru_cache(maxsize=64)
def _sine_coefficients(bits: int) -> tuple[int, ...]:
    """1 / n! for odd n, times 2^bits, the smallest first."""
    coefficients = []
    coefficient, n = 1 << bits, 1
    while coefficient:
        coefficients.append(coefficient)
        coefficient //= (n + 1) * (n + 2)
        n += 2
    return tuple(reversed(coefficients))


def _log_fixed(x: float, bits: int) -> tuple[int]:
    """Natural logarithm of ``x`` times 2^bits, to within ``bits`` units."""
    mantissa, exponent = math.frexp(x)  # mantissa in [0.5, 1)
    if mantissa < math.sqrt(0.5):
        mantissa, exponent = 2 * mantissa, exponent - 1
    numerator, denominator = mantissa.as_integer_ratio()
    # ln m = 2 artanh((m - 1) / (m + 1)), and |m - 1| / (m + 1) < 0.172
    whole = exponent * _ln2_fixed(bits + 16) >> 16
    artanh = _artanh_fixed(numerator - denominator, numerator + denominator, bits)
    return (whole + 2 * artanh,)


def _artanh_fixed(numerator: int, denominator: int, bits: int) -> int:
    """Inverse hyperbolic tangent of a ratio below one half, times 2^bits."""
    term = (abs(numerator) << bits) // denominator
    square = term * term >> bits
    total, n = 0, 1
    while term:
        total += term // n
        term = term * square >> bits
        n += 2
    return total if numerator > 0 else -total


@lru_cache(maxsize=64)
def _ln2_fixed(bits: int) -> int:
    """The logarithm of 2, times 2^bits."""
    return 2 * _artanh_fixed(1, 3, bits + 16) >> 16


@lru_cache(maxsize=64)
def _pi_fixed(bits: int) -> int:
    """Pi times 2^bits, by Machin's formula."""
    wide = bits + 16
    return 4 * (4 * _arccot_fixed(5, wide) - _arccot_fixed(239, wide)) >> 16


def _arccot_fixed(n: int, bits: int) -> int:
    """Inverse cotangent of an integer above one, times 2^bits."""
    term = (1 << bits) // n
    total, k = 0, 1
    while term:
        total += term // k if k % 4 == 1 else -(term // k)
        term //= n * n
        k += 2
    return total
