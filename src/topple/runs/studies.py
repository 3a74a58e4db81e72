"""The runs behind Figures 4 and 5: how many actions to rank, how much to learn online.

Like the paper's, they train on train, are scored on dev, and take the first three folds.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from topple.runs.config import Part, RunConfig
from topple.runs.table2 import SETUPS
from topple.phyre.auccess import MAX_ATTEMPTS
from topple.phyre.fold import Setup

STUDY_FOLDS = (0, 1, 2)
RANKED_ACTIONS = (10, 100, 1_000)  # the paper goes on to 10,000 and 100,000
UPDATE_WEIGHTS = (0.0, 0.5, 1.0, 10.0, 100.0, 1_000.0, 10_000.0)
STUDY_ACTIONS = 1_000  # ranked by MEM-O while its weight is varied


def ranked_actions_study(
    setups: Iterable[Setup] = SETUPS,
    folds: Iterable[int] = STUDY_FOLDS,
    counts: Iterable[int] = RANKED_ACTIONS,
) -> Iterator[RunConfig]:
    """Figure 4: RAND, MEM and OPTIMAL with more and more actions."""
    folds, counts = tuple(folds), tuple(counts)
    for setup in setups:
        for fold in folds:
            for count in counts:
                settings = {"actions": count}
                yield RunConfig("mem", setup, fold, settings, Part.DEV, label="MEM")
                yield RunConfig("optimal", setup, fold, settings, Part.DEV, label="OPTIMAL")
            for count in sorted({min(count, MAX_ATTEMPTS) for count in counts}):
                yield RunConfig("rand", setup, fold, {}, Part.DEV, attempts=count, label="RAND")


def update_weight_study(
    setups: Iterable[Setup] = SETUPS,
    folds: Iterable[int] = STUDY_FOLDS,
    weights: Iterable[float] = UPDATE_WEIGHTS,
) -> Iterator[RunConfig]:
    """Figure 5: MEM-O with more and more weight on its attempts on scored tasks."""
    folds, weights = tuple(folds), tuple(weights)
    for setup in setups:
        for fold in folds:
            for weight in weights:
                settings = {"actions": STUDY_ACTIONS, "weight": weight}
                yield RunConfig("mem-o", setup, fold, settings, Part.DEV, label="MEM-O")
