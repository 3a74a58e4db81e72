"""Progress bars on standard error, so that results can be piped."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    Task,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)
from rich.text import Text


class _Rate(ProgressColumn):
    """Steps per second, once they are known."""

    def render(self, task: Task) -> Text:
        speed = task.finished_speed or task.speed
        return Text("" if speed is None else f"{speed:,.0f}/s", style="progress.data.speed")


class _Progress(Progress):
    """Progress bars that can disappear without a trace."""

    def stop(self) -> None:
        """Leave a line behind only if the bars stay."""
        if self.live.transient:
            self.live.stop()
        else:
            super().stop()


class Bar:
    """A progress bar for one piece of work after another."""

    def __init__(self, shown: Progress) -> None:
        self._shown = shown
        self._task = shown.task_ids[0]

    def start(self, text: str, total: int = 0) -> None:
        """Begin another piece of work and count from zero."""
        self._shown.reset(self._task, total=total, description=text)

    def describe(self, text: str) -> None:
        """Change the description; the count stays."""
        self._shown.update(self._task, description=text)

    def note(self, text: str) -> None:
        """Print a line that stays above the bar."""
        self._shown.console.print(text, highlight=False)

    def advance(self, steps: float = 1) -> None:
        """Count further steps."""
        self._shown.advance(self._task, steps)

    def report(self, done: float, total: float) -> None:
        """Show how many steps are done, and of how many."""
        if done < self._shown.tasks[0].completed:  # another piece of work has begun
            self._shown.reset(self._task)
        self._shown.update(self._task, completed=done, total=total)


@contextmanager
def progress_bar(
    label: str = "", total: int = 0, done: int = 0, *, stays: bool = True
) -> Iterator[Bar]:
    """Show a progress bar while the block runs; `stays` leaves it there afterwards."""
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        _Rate(),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
    )
    with _Progress(*columns, console=Console(stderr=True)) as shown:
        shown.add_task(label, total=total, completed=done)
        try:
            yield Bar(shown)
        except BaseException:
            shown.live.transient = True  # so that only the error line remains
            raise
        shown.live.transient = not stays
