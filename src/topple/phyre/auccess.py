"""AUCCESS: how many tasks an agent solves, and how soon.

Everything here is a function of ``first_solved``: for each test task, the number of the
first attempt that solved it, counted from 1, or 0 if none did. Attempts are the valid ones;
see :mod:`topple.phyre.attempt`.

With s_k the share of tasks solved within k attempts and w_k = ln(k + 1) - ln(k), AUCCESS is
the mean of s_1 ... s_100 weighted by w_1 ... w_100.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

MAX_ATTEMPTS = 100  # on a task; later ones never count

# math.log, as the published scores were computed with: NumPy's may differ in the last bit.
WEIGHTS: Floats = np.array(
    [math.log(k + 1) - math.log(k) for k in range(1, MAX_ATTEMPTS + 1)], dtype=np.float64
)


def _checked(first_solved: npt.ArrayLike) -> npt.NDArray[np.int64]:
    array = np.asarray(first_solved)
    if array.ndim != 1 or array.size == 0 or array.dtype.kind not in "iu":
        raise ValueError(
            f"first_solved has shape {array.shape} and type {array.dtype}; it is a vector of "
            "whole numbers, one per test task"
        )
    bad = (array < 0) | (array > MAX_ATTEMPTS)
    if bad.any():
        raise ValueError(
            f"first_solved has {array[bad][0]}; it counts attempts from 1 to {MAX_ATTEMPTS}, "
            "and is 0 for a task that was not solved"
        )
    return array.astype(np.int64)


def _solved_by(first_solved: npt.ArrayLike) -> tuple[npt.NDArray[np.int64], int]:
    """[100] how many tasks were solved within k attempts, and how many tasks there are."""
    checked = _checked(first_solved)
    counts = np.bincount(checked, minlength=MAX_ATTEMPTS + 1)
    return np.cumsum(counts[1:]), len(checked)


def success_curve(first_solved: npt.ArrayLike) -> Floats:
    """[100] the share of tasks solved within 1, 2, ... 100 attempts."""
    solved, tasks = _solved_by(first_solved)
    return solved / tasks


def success_at(first_solved: npt.ArrayLike, attempts: int) -> float:
    """The share of tasks solved within so many attempts."""
    if not 1 <= attempts <= MAX_ATTEMPTS:
        raise ValueError(f"attempts is {attempts}; the curve runs from 1 to {MAX_ATTEMPTS}")
    return float(success_curve(first_solved)[attempts - 1])


def auccess(first_solved: npt.ArrayLike, attempts: int = MAX_ATTEMPTS) -> float:
    """AUCCESS, between 0 and 1; with fewer attempts, of the curve up to there.

    Sums run from the first attempt to the last and the number of tasks divides at the end,
    as in the published evaluation, so that tables agree to the last printed digit.
    """
    if not 1 <= attempts <= MAX_ATTEMPTS:
        raise ValueError(f"attempts is {attempts}; the curve runs from 1 to {MAX_ATTEMPTS}")
    solved, tasks = _solved_by(first_solved)
    # cumsum adds one by one; sum would add in pairs.
    area = np.cumsum(WEIGHTS * solved)[attempts - 1]
    whole = np.cumsum(WEIGHTS)[attempts - 1]
    return float(area / whole / tasks)


def auccess_of_curve(curve: npt.ArrayLike) -> float:
    """AUCCESS of a success curve that is an expectation: [100] shares of solved tasks."""
    return float(np.average(np.asarray(curve, np.float64), weights=WEIGHTS))
