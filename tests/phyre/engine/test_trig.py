"""Sine and cosine against the rule behind the published results, evaluated independently."""

from __future__ import annotations

import math
import struct
from collections.abc import Iterator

import numpy as np
import numpy.typing as npt
import pytest

from topple.phyre.engine.native import rotations

Doubles = npt.NDArray[np.float64]
Words = npt.NDArray[np.uint32]

SINE = [float.fromhex(c) for c in (
    "-0x1.a947e1674b58ap-26", "0x1.71d7264e6b5b4p-19", "-0x1.a019f8b4bd1f9p-13",
    "0x1.1111110c2688bp-7", "-0x1.5555555551cd9p-3",
)]  # fmt: skip
COSINE = [float.fromhex(c) for c in (
    "-0x1.23c97dd8844d7p-22", "0x1.a00eb9ac43ccp-16", "-0x1.6c16b348b6874p-10",
    "0x1.55555545c50c7p-5", "-0x1.ffffffffe98aep-2",
)]  # fmt: skip
SMALL_SINE = (float.fromhex("-0x1.555555543d49dp-3"), float.fromhex("0x1.110f475cec8c5p-7"))
SMALL_COSINE = (float.fromhex("-0x1.fffffff5cc6fdp-2"), float.fromhex("0x1.55514b178dac5p-5"))
FOUR_OVER_PI = float.fromhex("0x1.45f306dc9c883p+0")
HALF_PI = float.fromhex("0x1.921fb54442d18p+0")
HALF_PI_HIGH, HALF_PI_LOW = float.fromhex("0x1.921fb544p+0"), float.fromhex("0x1.0b4611a626332p-34")
QUARTER_PI_WORD, NINE_QUARTER_PI_WORD = 0x3F490FDB, 0x40E231D6


def as_float(word: int) -> float:
    return float(struct.unpack("<f", struct.pack("<I", word))[0])


def as_word(value: float) -> int:
    return int(struct.unpack("<I", struct.pack("<f", value))[0])


def horner(coefficients: list[float], y: float) -> float:
    total = 0.0
    for c in coefficients:
        total = (total + c) * y if total else c * y
    return total


def pair_by_rule(word: int) -> tuple[int, int]:
    """The rule for one angle, in Python's floats."""
    t, size = as_float(word), word & 0x7FFFFFFF
    a = abs(t)
    if size == 0:
        return word, as_word(1.0)
    if a < 2.0**-27:
        return as_word(t - t * 2.0**-50), as_word(1 - a)
    if a < 2.0**-5:
        y = t * t
        u = t * y  # the slip: a cube where a square belongs
        p = y * (SMALL_SINE[0] + u * SMALL_SINE[1])
        q = y * (SMALL_COSINE[0] + u * SMALL_COSINE[1])
        return as_word(t + t * p), as_word(1 + q)
    if size < QUARTER_PI_WORD:
        return as_word(t + t * horner(SINE, t * t)), as_word(1 + horner(COSINE, t * t))
    n = int(a * FOUR_OVER_PI) + 1
    k = n // 2
    near = size < NINE_QUARTER_PI_WORD
    r = a - k * HALF_PI if near else (a - k * HALF_PI_HIGH) - k * HALF_PI_LOW
    s, c = r + r * horner(SINE, r * r), 1 + horner(COSINE, r * r)
    if n & 2:
        s, c = c, s
    negative = word >> 31
    return (
        as_word(-s if (n >> 2 & 1) != negative else s),
        as_word(-c if (n + 2) >> 2 & 1 else c),
    )


def pairs_by_rule(words: Words) -> tuple[Words, Words]:
    """The rule for angles from 2^-27 to 2^23, all at once."""
    t = words.view(np.float32).astype(np.float64)
    size, negative = words & np.uint32(0x7FFFFFFF), (words >> np.uint32(31)).astype(np.int64)
    a = np.abs(t)

    def polynomial(coefficients: list[float], y: Doubles) -> Doubles:
        total = coefficients[0] * y
        for c in coefficients[1:]:
            total = (total + c) * y
        return total

    n = (a * FOUR_OVER_PI).astype(np.int64) + 1
    k = (n >> 1).astype(np.float64)
    near = size < NINE_QUARTER_PI_WORD
    r = np.where(near, a - k * HALF_PI, (a - k * HALF_PI_HIGH) - k * HALF_PI_LOW)
    direct = size < QUARTER_PI_WORD
    r = np.where(direct, t, r)
    s, c = r + r * polynomial(SINE, r * r), 1 + polynomial(COSINE, r * r)
    swap = ~direct & ((n & 2) != 0)
    s, c = np.where(swap, c, s), np.where(swap, s, c)
    s = np.where(~direct & ((n >> 2 & 1) != negative), -s, s)
    c = np.where(~direct & (((n + 2) >> 2 & 1) != 0), -c, c)

    tiny = a < 2.0**-5
    y = t * t
    u = t * y
    s = np.where(tiny, t + t * (y * (SMALL_SINE[0] + u * SMALL_SINE[1])), s)
    c = np.where(tiny, 1 + y * (SMALL_COSINE[0] + u * SMALL_COSINE[1]), c)
    return s.astype(np.float32).view(np.uint32), c.astype(np.float32).view(np.uint32)


def engine_pairs(words: Words) -> tuple[Words, Words]:
    sine, cosine = rotations(words.view(np.float32))
    return sine.view(np.uint32), cosine.view(np.uint32)


def sampled_words(count: int) -> Iterator[int]:
    rng = np.random.default_rng(20)
    edges = (0, 1, 0x31FFFFFF, 0x32000000, 0x3CFFFFFF, 0x3D000000, 0x3F490FDA, 0x3F490FDB)
    more = (0x3FC90FDB, 0x40490FDB, 0x40C90FDB, 0x40E231D5, 0x40E231D6, 0x42F00000, 0x4AFFFFFF)
    for word in (*edges, *more, *rng.integers(0, 0x4B000000, count).tolist()):
        yield word
        yield word | 0x80000000


def test_samples_follow_the_rule() -> None:
    words = np.array(list(sampled_words(20_000)), np.uint32)
    expected = np.array([pair_by_rule(int(word)) for word in words], np.uint32)
    sine, cosine = engine_pairs(words)
    np.testing.assert_array_equal(sine, expected[:, 0])
    np.testing.assert_array_equal(cosine, expected[:, 1])


def test_the_two_evaluations_of_the_rule_agree() -> None:
    words = np.array([w for w in sampled_words(5_000) if w & 0x7FFFFFFF >= 0x32000000], np.uint32)
    expected = np.array([pair_by_rule(int(word)) for word in words], np.uint32)
    sine, cosine = pairs_by_rule(words)
    np.testing.assert_array_equal(sine, expected[:, 0])
    np.testing.assert_array_equal(cosine, expected[:, 1])


def test_the_rule_is_nearly_correctly_rounded() -> None:
    words = np.array(list(sampled_words(50_000)), np.uint32)
    angles = words.view(np.float32).astype(np.float64)
    for got, exact in zip(engine_pairs(words), (np.sin(angles), np.cos(angles)), strict=True):
        rounded = exact.astype(np.float32).view(np.uint32)
        off = np.abs(got.astype(np.int64) - rounded.astype(np.int64))
        assert off.max() <= 1
        assert (off > 0).mean() < 0.02


def test_the_slip_shows_and_is_not_symmetric() -> None:
    words = np.arange(0x3CF00000, 0x3D000000, 37, dtype=np.uint32)
    plus, minus = engine_pairs(words), engine_pairs(words | np.uint32(0x80000000))
    assert (plus[1] != minus[1]).any()
    exact = np.cos(words.view(np.float32).astype(np.float64)).astype(np.float32).view(np.uint32)
    assert (plus[1] != exact).mean() > 0.01


def check_range(first: int, last: int, stride: int) -> None:
    block = 1 << 22
    for start in range(first, last, block * stride):
        end = min(start + block * stride, last)
        words = np.arange(start, end, stride, dtype=np.uint32)
        for sign in (0, 0x80000000):
            signed = words | np.uint32(sign)
            for got, expected in zip(engine_pairs(signed), pairs_by_rule(signed), strict=True):
                np.testing.assert_array_equal(got, expected)


def test_a_sweep_over_all_magnitudes() -> None:
    check_range(0x32000000, as_word(120.0), 997)


@pytest.mark.slow
def test_every_angle_that_simulations_meet() -> None:
    """All float32 from 2^-12 to 120 of both signs: 2 x 158 million."""
    check_range(as_word(2.0**-12), as_word(120.0), 1)


@pytest.mark.slow
def test_a_dense_sweep_of_everything_else() -> None:
    check_range(0x32000000, as_word(2.0**-12), 7)
    check_range(as_word(120.0), as_word(8388607.0), 7)


def test_multiples_of_a_right_angle() -> None:
    for quarter in range(-400, 401):
        word = as_word(quarter * math.pi / 2)
        sine, cosine = engine_pairs(np.array([word], np.uint32))
        assert (int(sine[0]), int(cosine[0])) == pair_by_rule(word)
