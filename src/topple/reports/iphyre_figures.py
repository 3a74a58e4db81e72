"""Figures of the I-PHYRE analyses, from their results."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from topple.iphyre.analysis.failures import FailureCounts
from topple.iphyre.split import Split, split_of
from topple.observe.frame_files import whole_file

_COLORS = {
    Split.BASIC: "#4c72b0",
    Split.NOISY: "#dd8452",
    Split.COMPOSITIONAL: "#55a868",
    Split.MULTI_BALL: "#c44e52",
    Split.UNSEEN_BASIC: "#8172b3",
    None: "#777777",
}


class FigureError(ValueError):
    """A figure cannot be drawn; the message says what to do."""


def _new(width: float, height: float) -> tuple[Any, Any]:
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise FigureError("figures need matplotlib: pip install 'topple[plots]'") from None
    figure = Figure(figsize=(width, height), layout="constrained")
    return figure, figure.subplots()


def _save(figure: Any, path: Path) -> None:
    with whole_file(path) as temporary:
        figure.savefig(temporary, dpi=150, format=path.suffix.lstrip(".") or "png")


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
