"""Parts of figures as SVG text, drawn with Matplotlib where it is installed.

Nothing is kept between calls, and equal data give equal text.
"""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

PANEL = (4.2, 3.2)  # inches
_COLORS = ("#4269d0", "#efb118", "#ff725c", "#6cc5b0", "#3ca951", "#ff8ab7", "#a463f2", "#97bbf5")


class FigureError(ValueError):
    """A figure cannot be drawn; the message says what to do."""


def new_figure(width: float, height: float) -> Figure:
    """An empty figure of a size in inches.

    Raises:
        FigureError: Matplotlib is not installed.
    """
    try:
        from matplotlib.figure import Figure as NewFigure
    except ImportError:
        raise FigureError("figures need Matplotlib: pip install 'topple[plots]'") from None
    return NewFigure(figsize=(width, height), layout="constrained")


def panels(count: int, columns: int = 2) -> tuple[Figure, list[Axes]]:
    """A figure with so many panels, in so many columns at most."""
    columns = min(columns, count)
    rows = -(-count // columns)
    figure = new_figure(PANEL[0] * columns, PANEL[1] * rows)
    axes = np.atleast_1d(figure.subplots(rows, columns)).ravel().tolist()
    for spare in axes[count:]:
        spare.set_visible(False)
    return figure, axes[:count]


def svg(figure: Figure) -> str:
    """A figure as SVG text."""
    buffer = io.StringIO()
    write_figure(figure, buffer, "svg")
    text = buffer.getvalue()
    return text[text.index("<svg") :]


def write_figure(figure: Figure, target: Any, kind: str) -> None:
    """Write a figure to a file or buffer as SVG, PNG and so on."""
    from matplotlib import rc_context

    # A fixed salt and no date: the same data give the same bytes.
    own: Any = {"metadata": {"Date": None, "Creator": None}} if kind == "svg" else {"dpi": 150}
    with rc_context({"svg.hashsalt": "topple", "svg.fonttype": "none"}):
        figure.savefig(target, format=kind, **own)


def color(number: int) -> str:
    """The colour of the line or bar with a number."""
    return _COLORS[number % len(_COLORS)]


def label(axis: Any, title: str, x: str, y: str, legend: bool = True) -> None:
    """Label a panel and its axes."""
    axis.set_title(title, fontsize=9)
    axis.set_xlabel(x, fontsize=8)
    axis.set_ylabel(y, fontsize=8)
    axis.tick_params(labelsize=7)
    if legend and axis.get_legend_handles_labels()[0]:
        axis.legend(fontsize=7, frameon=False)
