"""How scores of agents are summed up and compared over folds."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from scipy import stats

Floats = npt.NDArray[np.float64]

SIGNIFICANCE = 0.01  # of the published comparisons
BOOTSTRAP_DRAWS = 10_000
BOOTSTRAP_SEED = 0
CONFIDENCE = 0.95


def mean_and_std(scores: Sequence[float]) -> tuple[float, float]:
    """Mean and sample standard deviation over folds; one fold alone has a deviation of 0.

    Dividing by one less than the number of folds is what gives the deviations of Table 1.
    """
    array = np.asarray(scores, np.float64)
    return float(array.mean()), float(array.std(ddof=1)) if len(array) > 1 else 0.0


def wilcoxon_greater(scores: Sequence[float], others: Sequence[float]) -> float:
    """p-value that an agent's scores are not greater than another's, fold by fold.

    The one-sided signed-rank test, called with the paper's arguments. Equal vectors, which
    the test cannot rank, give 1.
    """
    if len(scores) != len(others):
        raise ValueError(f"{len(scores)} scores cannot be paired with {len(others)}")
    if np.array_equal(scores, others):
        return 1.0
    result = stats.wilcoxon(
        np.asarray(scores, np.float64),
        np.asarray(others, np.float64),
        zero_method="wilcox",
        correction=False,
        alternative="greater",
    )
    return float(result.pvalue)


def bootstrap_interval(
    scores: Sequence[float],
    confidence: float = CONFIDENCE,
    draws: int = BOOTSTRAP_DRAWS,
    seed: int = BOOTSTRAP_SEED,
) -> tuple[float, float]:
    """An interval for the mean over folds, from means of folds drawn with replacement.

    Folds share tasks, so it says how much the mean depends on which folds one takes, and not
    how well it would carry over to new templates. For two agents, give the differences.
    """
    low, high = bootstrap_band(np.asarray(scores, np.float64), confidence, draws, seed)
    return float(low), float(high)


def bootstrap_band(
    curves: Floats,
    confidence: float = CONFIDENCE,
    draws: int = BOOTSTRAP_DRAWS,
    seed: int = BOOTSTRAP_SEED,
) -> tuple[Floats, Floats]:
    """[runs, ...] numbers to the lower and upper ends of an interval for their mean over runs."""
    rng = np.random.default_rng(seed)
    means = curves[rng.integers(0, len(curves), size=(draws, len(curves)))].mean(axis=1)
    tail = (1 - confidence) / 2
    low, high = np.quantile(means, [tail, 1 - tail], axis=0)
    return low, high


def is_best(scores: Sequence[float], others: Sequence[Sequence[float]]) -> bool:
    """Whether an agent is better than all others, the meaning of a star in Table 1."""
    return bool(others) and all(wilcoxon_greater(scores, other) < SIGNIFICANCE for other in others)
