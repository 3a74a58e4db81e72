"""Progress of long simulations, with rate and time left."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, Progress, ProgressColumn, Task, TextColumn, TimeRemainingColumn
from rich.text import Text

from topple.physics.native import Progress as Report


class RateColumn(ProgressColumn):
    """Attempts per second."""

    def render(self, task: Task) -> Text:
        """The rate of a bar."""
        return Text(f"{task.speed:,.0f}/s" if task.speed else "")


class Bar:
    """A bar that shows what is under way and takes reports of it."""

    def __init__(self, progress: Progress) -> None:
        self._progress = progress
        self._task = progress.add_task("", total=None, start=False)

    def name(self, text: str) -> None:
        """Say what is under way; earlier counts are over."""
        self._progress.reset(self._task, start=False, total=None, description=text)

    @property
    def report(self) -> Report:
        """Takes (attempts done, attempts in all)."""

        def update(done: int, total: int) -> None:
            bar = self._progress.tasks[0]
            if not bar.started or done < bar.completed:
                self._progress.reset(self._task, description=bar.description)
            self._progress.update(self._task, completed=done, total=total)

        return update


@contextmanager
def progress_bar() -> Iterator[Bar]:
    """A bar on the error stream, so that results can be piped."""
    progress = Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.completed:,.0f} attempts"),
        RateColumn(),
        TimeRemainingColumn(),
        console=Console(stderr=True),
        transient=True,
    )
    with progress:
        yield Bar(progress)
