"""Studies in reports: people in groups, and agents on exactly the same puzzles beside them.

A run of a study is that of a participant or of an agent. Those with the same label are a group;
its mean is over the participants, or over the seeds of an agent, and so are intervals and bands.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from topple.reports.figures import color, label, panels, svg
from topple.reports.statistics import (
    BOOTSTRAP_DRAWS,
    CONFIDENCE,
    bootstrap_band,
    bootstrap_interval,
)
from topple.reports.table import Table
from topple.runs.record import RunRecord

_BAND_DRAWS = 2000


@dataclass(frozen=True)
class StudyRun:
    """The results of a participant or an agent on the puzzles of a study.

    Attributes:
        study: the id of the study.
        group: the label that participants of a group, or runs of an agent, share.
        score: the score over the puzzles that have a result.
        curve: [attempts] the share of these puzzles solved within k attempts.
        scored: puzzles that have a result.
        missing: puzzles without one, which are no failures.
        known: puzzles that were left out because the participant knew them before.
    """

    study: str
    group: str
    score: float
    curve: Sequence[float]
    scored: int
    missing: int
    known: int

    @classmethod
    def of(
        cls, record: RunRecord[Any, Any], score: float, curve: Sequence[float], scored: int
    ) -> StudyRun:
        """The results of a record of either benchmark."""
        config, protocol = record.config, record.protocol
        missing, known = protocol.get("missing_tasks", 0), protocol.get("known_tasks", 0)
        return cls(config.selection.study, config.label, score, curve, scored, missing, known)


def _groups(runs: Iterable[StudyRun]) -> dict[tuple[str, str], list[StudyRun]]:
    groups: dict[tuple[str, str], list[StudyRun]] = {}
    for run in runs:
        groups.setdefault((run.study, run.group), []).append(run)
    return groups


def group_table(runs: Iterable[StudyRun], metric: str, scale: float = 1.0) -> Table:
    """Every group with the mean of its scores and an interval, and the counts behind it.

    Args:
        runs: the runs of studies.
        metric: the name of the score.
        scale: a factor of the score, such as 100 for per cent.
    """
    rows = []
    for (study, group), found in _groups(runs).items():
        scores = [run.score * scale for run in found]
        low, high = bootstrap_interval(scores)
        last = [run.curve[-1] for run in found]
        rows.append(
            [
                study,
                group,
                str(len(found)),
                str(sum(run.scored for run in found)),
                str(sum(run.missing for run in found)),
                str(sum(run.known for run in found)),
                f"{np.mean(scores):.2f}",
                f"{low:.2f} to {high:.2f}" if len(found) > 1 else "",
                f"{100 * np.mean([run.curve[0] for run in found]):.1f}",
                f"{100 * np.mean(last):.1f}",
                str(len(found[0].curve)),
            ]
        )
    header = ["study", "group", "runs", "scored", "missing", "known", metric]
    header += [f"{CONFIDENCE:.0%} interval", "solved at once, %", "solved, %", "attempts"]
    return Table(
        "Studies: people and agents on the same puzzles",
        header,
        rows,
        "A run is one participant, or one seed of an agent. Scored puzzles were finished or have "
        "an attempt; missing ones were not reached and are no failures; known ones were tried or "
        "seen by the participant before the study and are left out. The mean is over runs, each "
        f"over its scored puzzles; the interval is a bootstrap over runs, {BOOTSTRAP_DRAWS:,} "
        "draws, and is left out for a single run.",
    )


def group_curves(runs: Sequence[StudyRun]) -> str:
    """Success curves of every group, a panel per study, with bands; they end with the attempts."""
    groups = _groups(runs)
    studies = list(dict.fromkeys(study for study, _ in groups))
    figure, axes = panels(len(studies))
    for axis, study in zip(axes, studies, strict=True):
        own = [(group, found) for (where, group), found in groups.items() if where == study]
        for number, (group, found) in enumerate(own):
            length = min(len(run.curve) for run in found)
            curves = 100 * np.array([run.curve[:length] for run in found])
            attempts = np.arange(1, length + 1)
            name = f"{group} ({len(found)})" if len(found) > 1 else group
            dot = "o" if length == 1 else None  # a line of one point would be invisible
            mean = curves.mean(axis=0)
            axis.plot(attempts, mean, color=color(number), label=name, marker=dot)
            if len(found) > 1:
                ends = bootstrap_band(curves, draws=_BAND_DRAWS)
                axis.fill_between(attempts, *ends, color=color(number), alpha=0.15)
        label(axis, f"study {study}", "attempts per puzzle", "puzzles solved, %")
        axis.set_ylim(0, 100)
    return svg(figure)
