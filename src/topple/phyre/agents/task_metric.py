"""Which differences between tasks matter: a distance that is learned from what solves them.

Tasks are at a distance that is a weighted sum of the differences of their measures. The weights are
such that actions which solve the nearest tasks solve a task as well, when each training task is
left out in turn.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.optimize import minimize, nnls
from threadpoolctl import threadpool_limits

Floats = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]

_SHARPNESS = 4.0  # how much more the best actions count than others that are likely to solve a task
_FLOOR = 1e-4  # of chances
_LEAST_LIKENESS = 0.01  # of two tasks, by the solutions that they share
_SCALE = 8.0  # of the first weights, which tell little apart
_EVEN = 0.02  # share of a weight that all measures have at first
_PENALTY = 0.01  # on weights that differ much
_STEPS = 60
_GREATEST = 50.0  # logarithm of a weight
_SAME = 1e-6  # pixels
_DIGITS = 2  # of the logarithms of weights, so that the last bits of sums do not count


def difference(one: Floats, other: Floats) -> Floats:
    """[..., measures] how much measures of tasks differ."""
    return np.abs(one - other)


@dataclass(frozen=True, eq=False)
class TaskMetric:
    """A distance between tasks that the same bodies make up.

    Attributes:
        weights: [measures] of differences.
    """

    weights: Floats

    def nearness(self, tasks: Floats, task: Floats) -> Floats:
        """[tasks] how much each of some tasks tells of another one; the nearest has 1."""
        distance = difference(tasks, task) @ self.weights
        near: Floats = np.exp(distance.min() - distance)
        return near


def learn_metric(tasks: Floats, solved: Flags) -> TaskMetric:
    """Learn which differences matter.

    Args:
        tasks: [tasks, measures].
        solved: [tasks, actions] whether actions solve them, of actions that solve some.
    """
    varies = np.flatnonzero(np.ptp(tasks, axis=0) > _SAME)
    weights = np.zeros(tasks.shape[1])
    if not len(varies) or not solved.any():
        return TaskMetric(weights)
    apart = difference(tasks[:, None, varies], tasks[None, :, varies])
    scale = apart.mean(axis=(0, 1))
    apart /= scale
    with threadpool_limits(1, "blas"):  # the products are small: more threads only wait
        found = minimize(
            _loss,
            np.log(_first_weights(apart, solved)),
            args=(apart, solved.astype(np.float64)),
            jac=True,
            method="L-BFGS-B",
            options={"maxiter": _STEPS},
        )
    weights[varies] = np.exp(np.round(np.minimum(found.x, _GREATEST), _DIGITS)) / scale
    return TaskMetric(weights)


def _first_weights(apart: Floats, solved: Flags) -> Floats:
    """[measures] weights with which tasks are as far apart as their solutions are unlike."""
    counts = solved.sum(axis=1)
    shared = solved.astype(np.float64) @ solved.T.astype(np.float64)
    alike = shared / np.sqrt(np.maximum(np.outer(counts, counts), 1))
    pairs = np.triu_indices(len(solved), 1)
    unlike = -np.log(np.maximum(alike[pairs], _LEAST_LIKENESS))
    columns = np.concatenate([apart[pairs], np.ones((len(unlike), 1))], axis=1)
    weights = _SCALE * nnls(columns, unlike)[0][:-1]
    return weights + _EVEN * max(float(weights.sum()), 0.1) / len(weights)


def _loss(log_weights: Floats, apart: Floats, solved: Floats) -> tuple[float, Floats]:
    """How little the likely actions solve tasks that are left out, and its gradient."""
    weights = np.exp(np.minimum(log_weights, _GREATEST))
    distance = apart @ weights
    np.fill_diagonal(distance, np.inf)
    share = np.exp(distance.min(axis=1, keepdims=True) - distance)
    share /= share.sum(axis=1, keepdims=True)
    chance = share @ solved + _FLOOR
    sharp = chance**_SHARPNESS
    good, every = (sharp * solved).sum(axis=1), sharp.sum(axis=1)
    hit = good / every
    known = solved.any(axis=1)
    off = log_weights - log_weights.mean()
    loss = -np.log(hit + _FLOOR)[known].mean() + _PENALTY * (off**2).mean()
    # Backwards, step by step.
    by_hit = np.where(known, -1 / (hit + _FLOOR), 0.0) / known.sum()
    by_sharp = by_hit[:, None] * (solved - hit[:, None]) / every[:, None]
    by_share = (by_sharp * _SHARPNESS * chance ** (_SHARPNESS - 1)) @ solved.T
    by_distance = share * ((share * by_share).sum(axis=1, keepdims=True) - by_share)
    gradient = weights * np.einsum("ij,ijf->f", by_distance, apart)
    return float(loss), gradient + 2 * _PENALTY * off / len(off)
