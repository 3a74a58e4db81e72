"""Figures of the I-PHYRE analyses, from their results."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from topple.files import whole_file
from topple.iphyre.analysis.failures import FailureCounts
from topple.iphyre.published import IPHYRE_HUMAN
from topple.iphyre.score import Average
from topple.iphyre.split import PUBLISHED_SPLITS, Split, split_of
from topple.reports.figures import new_figure, write_figure
from topple.reports.statistics import mean_and_std

_COLORS = {
    Split.BASIC: "#4c72b0",
    Split.NOISY: "#dd8452",
    Split.COMPOSITIONAL: "#55a868",
    Split.MULTI_BALL: "#c44e52",
    Split.UNSEEN_BASIC: "#8172b3",
    None: "#777777",
}


def _new(width: float, height: float, panels: int = 1) -> tuple[Any, Any]:
    figure = new_figure(width, height)
    return figure, figure.subplots(1, panels, sharey=True)


def _save(figure: Any, path: Path) -> None:
    with whole_file(path) as temporary:
        write_figure(figure, temporary, path.suffix.lstrip(".") or "png")


def bars_by_game(
    values: Mapping[str, float], label: str, title: str, path: Path, log: bool = False
) -> None:
    """One bar per game, coloured by split: difficulty, slack, solvability."""
    figure, axes = _new(2 + 0.28 * len(values), 4.5)
    names = list(values)
    axes.bar(names, list(values.values()), color=[_COLORS[split_of(name)] for name in names])
    if log:
        axes.set_yscale("log")
    axes.set_ylabel(label)
    axes.set_title(title)
    axes.tick_params(axis="x", rotation=90)
    axes.margins(x=0.01)
    present = list(dict.fromkeys(split_of(name) for name in names))
    for split in present:
        axes.bar(0, 0, color=_COLORS[split], label=split.value if split else "own games")
    figure.legend(loc="outside lower center", ncols=len(present), frameon=False)
    _save(figure, path)


def failure_shares(counts: Sequence[tuple[str, FailureCounts]], title: str, path: Path) -> None:
    """Of the failures of each group, how many were of timing and how many of order."""
    figure, axes = _new(1.5 + 1.1 * len(counts), 3.5)
    names = [name for name, _ in counts]
    timing = [100 * (count.timing_share or 0.0) for _, count in counts]
    order = [100 * (count.order_share or 0.0) for _, count in counts]
    axes.bar(names, timing, label="right order, wrong timing", color="#4c72b0")
    axes.bar(names, order, bottom=timing, label="wrong order", color="#dd8452")
    axes.set_ylabel("failures (%)")
    axes.set_title(title)
    figure.legend(loc="outside lower center", ncols=2, frameon=False)
    _save(figure, path)


def split_bars(
    rewards: Mapping[str, Mapping[Split, Sequence[float]]],
    title: str,
    path: Path,
    human: bool = True,
) -> None:
    """Figures 2 and A6: a group of bars for each agent, one for each split.

    Lines on the bars are standard deviations over seeds.

    Args:
        rewards: of each agent and split, one for each seed.
        title: over the figure.
        path: where to.
        human: whether a dashed line shows what people earned in each split.
    """
    longest = max(map(len, rewards), default=0)  # names are slanted below the bars
    figure, axes = _new(2 + 0.62 * len(rewards), 3 + 0.05 * longest)
    width = 0.8 / len(PUBLISHED_SPLITS)
    for place, split in enumerate(PUBLISHED_SPLITS):
        left = [number + (place - 1.5) * width for number in range(len(rewards))]
        bars = [mean_and_std(seeds.get(split, [0.0])) for seeds in rewards.values()]
        heights, spread = zip(*bars, strict=True)
        axes.bar(left, heights, width, color=_COLORS[split], label=split.value)
        axes.errorbar(left, heights, spread, fmt="none", ecolor="#555555", elinewidth=0.7)
        if human:
            axes.axhline(IPHYRE_HUMAN[split], color=_COLORS[split], linestyle="--", linewidth=0.8)
    axes.set_xticks(range(len(rewards)), list(rewards), rotation=45, ha="right")
    axes.set_ylabel("mean reward")
    axes.set_title(title)
    figure.legend(loc="outside lower center", ncols=len(PUBLISHED_SPLITS), frameon=False)
    _save(figure, path)


def noise_curve(
    points: Mapping[float, Sequence[Average]], people: Average, title: str, path: Path
) -> None:
    """Rewards and solved games by noise of perception, with people as lines.

    Args:
        points: averages at each level of noise, one for each seed.
        people: what people reach.
        title: over the figure.
        path: where to.
    """
    figure, left = _new(5.2, 3.4)
    right = left.twinx()
    levels = sorted(points)
    rewards = [[each.reward for each in points[level]] for level in levels]
    shares = [[100 * each.success_rate for each in points[level]] for level in levels]
    for axis, name, found, line, shade in (
        (left, "mean reward", rewards, people.reward, "#4c72b0"),
        (right, "games solved (%)", shares, 100 * people.success_rate, "#dd8452"),
    ):
        means, spread = zip(*map(mean_and_std, found), strict=True)
        axis.errorbar(levels, means, spread, color=shade, marker="o", markersize=4, capsize=2)
        axis.axhline(line, color=shade, linestyle="--", linewidth=0.9)
        axis.set_ylabel(name, color=shade)
    left.set_ylim(0, 1000)
    right.set_ylim(0, 100)
    left.set_xscale("symlog", base=2, linthresh=1)
    left.set_xticks(levels, [f"{level:g}" for level in levels])
    left.set_xlabel("noise of perception (px); dashed: people")
    left.set_title(title)
    _save(figure, path)


class Curve(NamedTuple):
    """How an agent's reward grew."""

    label: str
    steps: Sequence[int]
    rewards: Sequence[Sequence[float]]  # one curve for each seed


def training_curves(groups: Mapping[str, Sequence[Curve]], title: str, path: Path) -> None:
    """Figure 3: rewards in training, mean and range of seeds, a panel for each strategy."""
    figure, axes = _new(1 + 3.2 * len(groups), 3.6, len(groups))
    panels = [axes] if len(groups) == 1 else list(axes)
    for panel, (name, curves) in zip(panels, groups.items(), strict=True):
        for curve in curves:
            steps = [step / 1000 for step in curve.steps]
            seeds = np.asarray(curve.rewards)
            [line] = panel.plot(steps, seeds.mean(axis=0), label=curve.label, lw=1)
            color = line.get_color()
            panel.fill_between(
                steps, seeds.min(axis=0), seeds.max(axis=0), color=color, alpha=0.2, lw=0
            )
        panel.set_title(name, fontsize=9)
        panel.set_xlabel("thousand steps")
        panel.legend(fontsize=7, frameon=False)
    panels[0].set_ylabel("mean reward of episodes")
    figure.suptitle(title)
    _save(figure, path)
