"""One bar for work that comes in parts, with rate and time left."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from rich.progress import Progress

from topple.cli.messages import progress
from topple.progress import Progress as Report


class Bar:
    """A bar that shows what is under way and takes reports of it."""

    def __init__(self, shown: Progress) -> None:
        self._shown = shown
        self._task = shown.task_ids[0]

    def name(self, text: str) -> None:
        """Say what is under way; earlier counts are over."""
        self._shown.reset(self._task, total=0, description=text)

    def describe(self, text: str) -> None:
        """Say more about what is under way; counts go on."""
        self._shown.update(self._task, description=text)

    def note(self, text: str) -> None:
        """A line that stays, above the bar."""
        self._shown.console.print(text, highlight=False)

    @property
    def report(self) -> Report:
        """Takes (attempts done, attempts in all)."""

        def update(done: int, total: int) -> None:
            if done < self._shown.tasks[0].completed:  # another part has begun
                self._shown.reset(self._task)
            self._shown.update(self._task, completed=done, total=total)

        return update


@contextmanager
def progress_bar() -> Iterator[Bar]:
    """A bar on the error stream, so that results can be piped; it goes when the work is done."""
    with progress("", 0) as shown:
        yield Bar(shown)
        shown.live.transient = True
