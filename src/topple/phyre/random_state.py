"""The random numbers behind the four templates that are drawn from a seed.

They were drawn with NumPy's legacy ``RandomState``: a Mersenne Twister seeded by
Knuth's rule. Python's own generator is the same twister, so it only has to be
given the seeded state. Normal numbers need a logarithm, and NumPy takes the
platform's; ours is correctly rounded, so the scenes are the same everywhere.
"""

from __future__ import annotations

import math
import random

from topple.phyre.scene import exact_math

WORDS = 624  # length of the twister's state
WORD_MASK = 0xFFFFFFFF


class RandomState:
    """A stream of draws that equals ``numpy.random.RandomState(seed)``."""

    def __init__(self, seed: int) -> None:
        word = seed & WORD_MASK
        words = [word]
        for i in range(1, WORDS):
            word = (1812433253 * (word ^ (word >> 30)) + i) & WORD_MASK
            words.append(word)
        self._twister = random.Random(0)  # any seed: it is overwritten
        self._twister.setstate((3, (*words, WORDS), None))
        self._spare: float | None = None

    def uniform(self, low: float = 0.0, high: float = 1.0) -> float:
        """A double in [low, high)."""
        return low + (high - low) * self._twister.random()

    def integer(self, low: int, high: int) -> int:
        """A whole number from ``low`` to ``high``, both included."""
        spread = high - low
        if spread == 0:
            return low
        mask = (1 << spread.bit_length()) - 1
        while True:
            draw = self._twister.getrandbits(32) & mask
            if draw <= spread:
                return low + draw

    def normal(self) -> float:
        """A standard normal number, by the polar method; every second one is kept over."""
        if self._spare is not None:
            value, self._spare = self._spare, None
            return value
        while True:
            x = 2.0 * self._twister.random() - 1.0
            y = 2.0 * self._twister.random() - 1.0
            square = x * x + y * y
            if 0.0 < square < 1.0:
                break
        factor = math.sqrt(-2.0 * exact_math.log(square) / square)
        self._spare = factor * x
        return factor * y
