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

FIRST_BITS = 128  # fractional bits tried first; enough for nearly every argument
# Rounding down costs less than one unit per operation; no series here is
# longer than 2^10 operations at a precision in use.
ERROR_UNITS = 1 << 10


@lru_cache(maxsize=4096)
def sin(x: float) -> float:
    """Sine of ``x`` radians, correctly rounded."""
    if x == 0.0:
        return x
    return _rounded(lambda bits: (_sin_cos_fixed(x, bits)[0], 1 << bits))


@lru_cache(maxsize=4096)
def cos(x: float) -> float:
    """Cosine of ``x`` radians, correctly rounded."""
    return _rounded(lambda bits: (_sin_cos_fixed(x, bits)[1], 1 << bits))


@lru_cache(maxsize=4096)
def tan(x: float) -> float:
    """Tangent of ``x`` radians, correctly rounded."""
    if x == 0.0:
        return x
    return _rounded(lambda bits: _tan_ratio(x, bits))


@lru_cache(maxsize=4096)
def log(x: float) -> float:
    """Natural logarithm of a positive ``x``, correctly rounded."""
    if not 0.0 < x < math.inf:
        raise ValueError(f"the logarithm needs a positive finite number, got {x}")
    if x == 1.0:
        return 0.0
    return _rounded(lambda bits: (_log_fixed(x, bits), 1 << bits))


def _rounded(ratio: Callable[[int], tuple[int, int]]) -> float:
    """The double nearest to a limit, approached by ``ratio(bits)`` as bits grow."""
    bits = FIRST_BITS
    while True:
        numerator, denominator = ratio(bits)
        # Python divides integers with correct rounding.
        low = (numerator - ERROR_UNITS) / denominator
        if low == (numerator + ERROR_UNITS) / denominator:
            return low
        bits *= 2


def _tan_ratio(x: float, bits: int) -> tuple[int, int]:
    """Tangent as (numerator, denominator), the error as of one fixed-point number."""
    sine, cosine = _sin_cos_fixed(x, 2 * bits)
    # The quotient's error is the cosine's over the cosine squared: at twice the
    # precision it stays below 2^-bits while the cosine is above 2^(-bits / 2).
    if abs(cosine) < 1 << (3 * bits // 2):
        return _tan_ratio(x, 2 * bits)
    return (sine << bits) // cosine, 1 << bits


@lru_cache(maxsize=256)
def _sin_cos_fixed(x: float, bits: int) -> tuple[int, int]:
    """Sine and cosine of ``x`` times 2^bits, each within ERROR_UNITS."""
    numerator, denominator = x.as_integer_ratio()
    # Reducing a large argument loses as many bits as its whole part has.
    guard = 16 + max(0, numerator.bit_length() - denominator.bit_length())
    half_pi = _pi_fixed(bits + 2 * guard) >> 1
    quadrant, rest = divmod((numerator << (bits + 2 * guard)) // denominator, half_pi)
    rest >>= 2 * guard
    one = 1 << bits
    square = rest * rest >> bits
    sine = cosine = 0
    power, n = one, 0
    while power:  # power is rest^n / n!, n even
        cosine += power if n % 4 == 0 else -power
        odd = power * rest // (n + 1) >> bits
        sine += odd if n % 4 == 0 else -odd
        power = power * square // ((n + 1) * (n + 2)) >> bits
        n += 2
    turns = ((sine, cosine), (cosine, -sine), (-sine, -cosine), (-cosine, sine))
    return turns[quadrant % 4]


def _log_fixed(x: float, bits: int) -> int:
    """Natural logarithm of ``x`` times 2^bits, within ERROR_UNITS."""
    mantissa, exponent = math.frexp(x)  # mantissa in [0.5, 1)
    if mantissa < math.sqrt(0.5):
        mantissa, exponent = 2 * mantissa, exponent - 1
    numerator, denominator = mantissa.as_integer_ratio()
    # ln m = 2 artanh((m - 1) / (m + 1)), and |m - 1| / (m + 1) < 0.172
    whole = exponent * _ln2_fixed(bits + 16) >> 16
    return whole + 2 * _artanh_fixed(numerator - denominator, numerator + denominator, bits)


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
