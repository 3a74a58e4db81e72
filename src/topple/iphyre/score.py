"""Scores: what episodes earned, and their averages."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from topple.iphyre.split import Split, by_split


class Score(NamedTuple):
    """How one episode ended."""

    reward: float
    solved: bool
    ticks: int  # played, the solving tick included
    removed: int  # blocks


class Average(NamedTuple):
    """Over games."""

    reward: float
    success_rate: float  # 0 to 1
    games: int


def average(scores: Mapping[str, Score]) -> Average:
    """Mean reward and success rate over games.

    Raises:
        ValueError: there are no scores.
    """
    if not scores:
        raise ValueError("no scores to average")
    count = len(scores)
    return Average(
        sum(score.reward for score in scores.values()) / count,
        sum(score.solved for score in scores.values()) / count,
        count,
    )


def averages(scores: Mapping[str, Score]) -> dict[Split, Average]:
    """Averages of each split that has a score, by the names of its games."""
    return {split: average(own) for split, own in by_split(scores).items()}
