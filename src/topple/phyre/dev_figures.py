"""Which records on dev tasks make Figures 4, 5 and 6.

In the paper these are trained on train and scored on dev, with the first three folds. Here they
are drawn from whatever records there are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

from topple.phyre.figures import Points, bars_figure, study_figure
from topple.phyre.results import PhyreRecord
from topple.phyre.selection import Part

#: Figure 6: variants of DQN, as in configs/phyre, and what the paper calls them.
VARIANTS: Mapping[str, str] = {
    "": "Baseline",
    **{name: name for name in ("NoBalancing", "Act1024", "Act1024x2")},
    **{name: name for name in ("FuseFirst", "FuseAll", "FuseGlobal")},
}


class Study(NamedTuple):
    """A figure of scores by a number."""

    name: str
    title: str
    axis: str
    value: Callable[[PhyreRecord], float | None]  # where a record lies; None: not in this figure
    linear: float  # up to here the axis is linear, then logarithmic


def _ranked(record: PhyreRecord) -> float | None:
    if record.protocol.get("learning") != "offline" or record.config.settings.get("min_distance"):
        return None
    # RAND ranks nothing; what it may choose from is its attempts.
    return float(record.protocol.get("candidates") or record.config.attempts)


def _setting(name: str) -> Callable[[PhyreRecord], float | None]:
    def value(record: PhyreRecord) -> float | None:
        found = record.config.settings.get(name)
        return float(found) if isinstance(found, int | float) else None

    return value


def _online(record: PhyreRecord) -> float | None:
    # Offline ones of DQN are the zero of DQN-O only where they carry its name.
    return _setting("online_updates")(record) if record.config.agent != "dqn" else None


def _distance(record: PhyreRecord) -> float | None:
    return (
        _setting("min_distance")(record) if record.protocol.get("learning") == "offline" else None
    )


STUDIES = (
    Study("figure4", "Figure 4: actions ranked", "actions ranked", _ranked, 10),
    Study(
        "figure5_mem",
        "Figure 5: online updates of MEM-O",
        "weight of an attempt on a scored task",
        _setting("weight"),
        0.5,
    ),
    Study(
        "figure5_dqn",
        "Figure 5: online updates of DQN-O",
        "updates after each scored task",
        _online,
        1,
    ),
    Study(
        "distance",
        "Diversity: near attempts put off",
        "smallest distance between attempts",
        _distance,
        0.1,
    ),
)


def study_points(records: Iterable[PhyreRecord], study: Study) -> Points:
    """AUCCESS in per cent on dev tasks, by setup and label, then by the study's number.

    Unless ranked actions are what is studied, a line is of records that ranked as many: those
    with most points.
    """
    lines: dict[tuple[str, str], dict[float, dict[float, list[float]]]] = {}
    for record in records:
        at = study.value(record) if record.config.selection.part is Part.DEV else None
        if at is not None:
            key = record.config.selection.group, record.config.title
            ranked = 0.0 if study.value is _ranked else record.protocol.get("candidates") or 0.0
            line = lines.setdefault(key, {}).setdefault(ranked, {})
            line.setdefault(at, []).append(100 * record.results.auccess)
    return {key: max(found.values(), key=len) for key, found in lines.items()}


def draw_study(records: Iterable[PhyreRecord], study: Study) -> str | None:
    """The figure of a study; None if no agent has two points in it."""
    points = study_points(records, study)
    if not any(len(line) > 1 for line in points.values()):
        return None
    return study_figure(points, study.axis, study.linear)


def study_named(name: str) -> Study:
    """The study with this name."""
    return next(study for study in STUDIES if study.name == name)


def ablation_scores(records: Iterable[PhyreRecord]) -> dict[str, dict[str, list[float]]]:
    """Figure 6: AUCCESS in per cent on dev tasks, by setup and variant.

    The baseline may have been scored with several numbers of ranked actions; those count that
    a variant was scored with, too.
    """
    found = [
        record
        for record in records
        if record.config.selection.part is Part.DEV
        and record.config.agent == "dqn"
        and record.config.variant in VARIANTS
        and _ranked(record) is not None
    ]
    ranks = {
        (record.config.selection.setup, _ranked(record))
        for record in found
        if record.config.variant
    }
    scores: dict[str, dict[str, list[float]]] = {}
    for variant, name in VARIANTS.items():
        for record in found:
            if (
                record.config.variant == variant
                and (record.config.selection.setup, _ranked(record)) in ranks
            ):
                of_setup = scores.setdefault(record.config.selection.group, {})
                of_setup.setdefault(name, []).append(100 * record.results.auccess)
    return scores


def dev_figures(records: Sequence[PhyreRecord]) -> dict[str, str]:
    """Every figure the records on dev tasks are enough for, by its title."""
    drawn = {study.title: draw_study(records, study) for study in STUDIES}
    figures = {title: figure for title, figure in drawn.items() if figure is not None}
    scores = ablation_scores(records)
    if scores:
        figures["Figure 6: ablations of DQN"] = bars_figure(scores, "AUCCESS, %")
    return figures
