"""Figures as SVG text, drawn with Matplotlib where it is installed.

Nothing is kept between calls, and equal data give equal text.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from topple.phyre.analysis.difficulty import RandomCurve, TemplateDifficulty
from topple.phyre.analysis.diversity import TemplateDiversity
from topple.phyre.auccess import MAX_ATTEMPTS
from topple.phyre.results import PhyreRecord
from topple.phyre.tables import by_row
from topple.reports.figures import color, label, panels, svg
from topple.runs.agent import Kind

#: (setup, agent) -> number -> scores.
Points = Mapping[tuple[str, str], Mapping[float, Sequence[float]]]


def success_curves(records: Iterable[PhyreRecord]) -> str:
    """Figure 3: tasks solved within so many attempts, mean over folds, one deviation shaded.

    A curve ends where the attempts of its runs end.
    """
    rows = by_row(records)
    setups = list(dict.fromkeys(setup for setup, _ in rows))
    agents = list(dict.fromkeys(agent for _, agent in rows))
    figure, axes = panels(len(setups))
    for axis, setup in zip(axes, setups, strict=True):
        for number, agent in enumerate(agents):
            if (setup, agent) not in rows:
                continue
            runs = rows[setup, agent].values()
            last = min(MAX_ATTEMPTS, *(run.config.attempts for run in runs))
            curves = 100 * np.array([run.results.curve[:last] for run in runs])
            attempts = np.arange(1, last + 1)
            mean, std = curves.mean(axis=0), curves.std(axis=0)
            kind = next(iter(runs)).kind
            # What an agent has learned is drawn solid, what it could simulate is not.
            style = {Kind.IMAGINING: "--", Kind.ORACLE: ":"}.get(kind, "-")
            name = agent if style == "-" else f"{agent} ({kind.value})"
            axis.plot(attempts, mean, style, color=color(number), label=name)
            axis.fill_between(attempts, mean - std, mean + std, color=color(number), alpha=0.15)
        label(axis, setup.value, "attempts per task", "tasks solved, %")
        axis.set_ylim(0, 100)
    return svg(figure)


def study_figure(points: Points, axis_name: str, linear: float) -> str:
    """Figures 4 and 5: scores by a number, mean over folds, one deviation as bars.

    Args:
        points: the scores, in per cent.
        axis_name: what the number is.
        linear: up to here the axis is linear, because it may begin at 0, then logarithmic.
    """
    setups = list(dict.fromkeys(setup for setup, _ in points))
    agents = list(dict.fromkeys(agent for _, agent in points))
    figure, axes = panels(max(1, len(setups)))
    for axis, setup in zip(axes, setups, strict=False):
        for number, agent in enumerate(agents):
            found = sorted(points.get((setup, agent), {}).items())
            if found:
                axis.errorbar(
                    [at for at, _ in found],
                    [float(np.mean(scores)) for _, scores in found],
                    [float(np.std(scores)) for _, scores in found],
                    color=color(number),
                    label=agent,
                    marker="o",
                    capsize=3,
                )
        axis.set_xscale("symlog", linthresh=linear)
        label(axis, setup, axis_name, "AUCCESS, %")
        axis.set_ylim(bottom=0)
    return svg(figure)


def bars_figure(scores: Mapping[str, Mapping[str, Sequence[float]]], axis_name: str) -> str:
    """Figure 6: a bar for each variant in a panel for each setup, one deviation over folds."""
    figure, axes = panels(len(scores))
    for axis, (setup, found) in zip(axes, scores.items(), strict=True):
        axis.bar(
            range(len(found)),
            [float(np.mean(values)) for values in found.values()],
            yerr=[float(np.std(values)) for values in found.values()],
            color=[color(number) for number in range(len(found))],
            capsize=3,
        )
        axis.set_xticks(range(len(found)), list(found), rotation=45, ha="right")
        label(axis, setup, "", axis_name, legend=False)
    return svg(figure)


def random_curves(curves: Mapping[str, RandomCurve]) -> str:
    """Figure 2 (a): tasks solved by random attempts."""
    figure, (axis,) = panels(1)
    for number, (name, curve) in enumerate(curves.items()):
        mean, std = 100 * curve.mean, 100 * curve.std
        axis.errorbar(curve.attempts, mean, std, color=color(number), label=name, capsize=2)
    axis.set_xscale("log")
    axis.set_ylim(0, 100)
    label(axis, "random agent", "attempts per task", "tasks solved, %")
    return svg(figure)


def difficulty_bars(groups: Mapping[str, Sequence[TemplateDifficulty]]) -> str:
    """Figure 2 (b): the chance that a random attempt solves a template, hardest last."""
    figure, axes = panels(len(groups))
    for number, (axis, (name, found)) in enumerate(zip(axes, groups.items(), strict=True)):
        order = sorted(found, key=lambda entry: -entry.mean)
        axis.bar(
            range(len(order)),
            [entry.mean for entry in order],
            yerr=[entry.std for entry in order],
            color=color(number),
        )
        axis.set_xticks(range(len(order)), [entry.template for entry in order], rotation=90)
        axis.tick_params(axis="x", labelsize=6)
        axis.set_yscale("log")
        label(axis, name, "template", "chance of an attempt", legend=False)
    return svg(figure)


def diversity_histograms(found: Sequence[TemplateDiversity]) -> str:
    """Figures 10 and 11: how many actions solve so many tasks of a template."""
    figure, axes = panels(len(found), columns=5)
    for axis, entry in zip(axes, found, strict=True):
        # Actions that solve nothing would hide the rest.
        solved = np.arange(1, entry.tasks + 1)
        axis.bar(solved, entry.histogram[1:], width=1.0, color=color(0))
        axis.set_yscale("symlog", linthresh=1)
        label(axis, entry.template, "tasks solved", "actions", legend=False)
    return svg(figure)


def solvability_figure(shares: Mapping[str, Sequence[float]], p0: float) -> str:
    """Shares of stable solutions among valid attempts, of each task by template."""
    figure, (axis,) = panels(1)
    for number, values in enumerate(shares.values()):
        axis.scatter([number] * len(values), values, s=6, color=color(number), alpha=0.6)
    axis.axhline(p0, color="#888", linewidth=1)
    axis.set_yscale("symlog", linthresh=p0)
    axis.set_xticks(range(len(shares)), list(shares), rotation=90)
    axis.tick_params(axis="x", labelsize=6)
    label(axis, "stable solutions", "template", "share of valid attempts", legend=False)
    return svg(figure)
