"""The human yardstick: how badly a mind has to perceive scenes to need as many attempts as people.

Records of the imagining agent with the exact engine on misperceived scenes are points of a curve,
score by noise. Where it meets the score of people is a number for how well they see and foresee.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from topple.phyre.auccess import auccess
from topple.phyre.fold import Setup
from topple.phyre.published import PEOPLE, published_auccess
from topple.phyre.results import PhyreRecord
from topple.reports.figures import color, label, panels, svg
from topple.reports.table import Table
from topple.runs.agent import Kind

if TYPE_CHECKING:
    from matplotlib.axes import Axes

LIMITS = (10, 100)  # attempts that count
_TICKS = (1, 2, 5, 10, 20, 50, 100)


class Point(NamedTuple):
    """A level of noise and what comes of it."""

    noise: float  # pixels, degrees and per cent at once
    tasks: int
    scores: tuple[float, ...]  # AUCCESS in per cent, by LIMITS
    curve: tuple[float, ...] = ()  # tasks solved within 1, 2, ... attempts, in per cent


class Curve(NamedTuple):
    """The points of one setup and fold, by rising noise."""

    setup: Setup
    fold: int
    points: tuple[Point, ...]

    def noise_at(self, score: float, limit: int) -> float | None:
        """The noise at which the curve falls to a score; None if it does not.

        Between two points, the score is taken as a line over the logarithm of one more than the
        noise, as the figure draws it.
        """
        column = LIMITS.index(limit)
        for one, two in zip(self.points, self.points[1:], strict=False):
            high, low = one.scores[column], two.scores[column]
            if high >= score >= low and high > low:
                part = (high - score) / (high - low)
                left, right = np.log1p(one.noise), np.log1p(two.noise)
                return float(np.expm1(left + part * (right - left)))
        return None


def noise_of(record: PhyreRecord) -> float | None:
    """The noise of a record that belongs to a curve; None for any other record."""
    knobs = record.protocol.get("imagination")
    if knobs is None or knobs.get("engine") != "exact" or knobs.get("motion_noise"):
        return None
    noises = {knobs["place_noise"], knobs["angle_noise"], knobs["size_noise"]}
    return float(noises.pop()) if len(noises) == 1 else None


def curves(records: Iterable[PhyreRecord]) -> list[Curve]:
    """The curves that some records make, each of at least two points."""
    found: dict[tuple[Setup, int], dict[float, Point]] = {}
    for record in records:
        selection = record.config.selection
        noise = noise_of(record)
        if noise is None or selection.setup is None or selection.fold is None:
            continue
        if record.kind not in (Kind.IMAGINING, Kind.ORACLE):
            continue
        first = record.results.first_solved
        scores = tuple(100 * auccess(first, limit) for limit in LIMITS)
        place = found.setdefault((selection.setup, selection.fold), {})
        solved = tuple((100 * record.results.curve[: record.config.attempts]).tolist())
        place[noise] = Point(noise, len(first), scores, solved)
    return [
        Curve(setup, fold, tuple(points[noise] for noise in sorted(points)))
        for (setup, fold), points in found.items()
        if len(points) > 1
    ]


def yardstick_table(found: Iterable[Curve]) -> Table:
    """The points of the curves, and where each meets people."""
    rows = []
    for curve in found:
        people = PEOPLE.get(curve.setup)
        met = None if people is None else curve.noise_at(people.score, people.attempts)
        place = [curve.setup.value, str(curve.fold)]
        for point in curve.points:
            scores = [f"{score:.1f}" for score in point.scores]
            rows.append([*place, f"{point.noise:g}", str(point.tasks), *scores, ""])
        if people is not None and met is not None:
            source = f"where people are ({people.score:g}; {people.source})"
            rows.append([*place, f"{met:.1f}", "", f"{people.score:g}", "", source])
    header = ["setup", "fold", "noise", "tasks"]
    header += [f"AUCCESS, {limit} attempts" for limit in LIMITS]
    return Table("The human yardstick", [*header, "note"], rows)


def yardstick_figure(found: Iterable[Curve]) -> str:
    """AUCCESS over noise, with people and published agents as lines; beside it, success curves."""
    drawn = list(found)
    figure, axes = panels(max(1, 2 * len(drawn)), columns=2)
    for place, curve in enumerate(drawn):
        _draw_scores(axes[2 * place], curve)
        _draw_success(axes[2 * place + 1], curve)
    return svg(figure)


def _draw_scores(axis: Axes, curve: Curve) -> None:
    noise = [point.noise for point in curve.points]
    for number, limit in enumerate(LIMITS):
        scores = [point.scores[number] for point in curve.points]
        axis.plot(noise, scores, marker="o", color=color(number), label=f"{limit} attempts")
    people = PEOPLE.get(curve.setup)
    if people is not None:
        axis.axhline(people.score, color=color(0), linestyle="--", linewidth=1)
        axis.axhspan(
            people.score - people.deviation,
            people.score + people.deviation,
            color=color(0),
            alpha=0.1,
            label=f"people, {people.attempts} attempts",
        )
    for number, agent in enumerate(("DQN", "DQN-O"), start=2):
        published = published_auccess(agent, curve.setup, curve.fold)
        if published is not None:
            level = 100 * float(published)
            axis.axhline(level, color=color(number), linestyle=":", label=f"{agent}, published")
    axis.set_xscale("symlog", base=2, linthresh=min((n for n in noise if n), default=1))
    axis.set_xticks(noise, [f"{level:g}" for level in noise])
    axis.set_xlim(0.8 * min(noise, default=0), 1.2 * max(noise, default=1))
    label(axis, _title(curve), "noise (pixels, degrees, per cent)", "AUCCESS, %")
    axis.set_ylim(0, 100)


def _draw_success(axis: Axes, curve: Curve) -> None:
    for number, point in enumerate(curve.points):
        attempts = range(1, len(point.curve) + 1)
        axis.plot(attempts, point.curve, color=color(number), label=f"noise {point.noise:g}")
    axis.set_xscale("log")
    axis.set_xticks(_TICKS, map(str, _TICKS))
    label(axis, _title(curve), "attempts per task", "tasks solved, %")
    axis.set_ylim(0, 100)


def _title(curve: Curve) -> str:
    return f"{curve.setup.value}, fold {curve.fold}"
