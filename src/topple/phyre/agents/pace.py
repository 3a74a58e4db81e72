"""The pace of training: when to report, when to save, and what a time limit allows.

Nothing here changes what an update does, so that training is the same at any pace; only under
a time limit the number of updates comes from the clock.
"""

from __future__ import annotations

import time

REPORT_SECONDS = 2.0  # between reports, about
SAVE_SECONDS = 30.0  # between checkpoints, at least
MEASURE_SECONDS = 6.0  # of updates before their number is planned from a time limit
_STEADY = 4  # updates in a row from which on their rate counts; the first ones are slow


class Pace:
    """Keeps time while updates are made.

    Args:
        minutes: of updates at most, about; None: no limit.

    Attributes:
        part: updates to make before the next report.
        rate: updates a second since the last report.
    """

    def __init__(self, minutes: float | None = None) -> None:
        self.part = 1
        self.rate = 0.0
        self._start = self._last = self._saved = time.monotonic()
        self._seconds = None if minutes is None else 60 * minutes
        self._count, self._spent = 0, 0.0  # of steady updates
        self._first = True

    def begin(self) -> None:
        """Updates begin; what came between is not theirs."""
        self._last = time.monotonic()

    def made(self, count: int) -> None:
        """So many updates were made since :meth:`begin`."""
        spent = time.monotonic() - self._last
        self.rate = count / spent
        # The first one waits for batches to be drawn and kernels to be found, however long.
        if not self._first and (count >= _STEADY or spent > REPORT_SECONDS):
            self._count, self._spent = self._count + count, self._spent + spent
        self._first = False
        # Soon enough for people, rarely enough not to wait for the device all the time.
        self.part = max(1, min(2 * self.part, int(REPORT_SECONDS * self.rate)))

    def plan(self, done: int, wanted: int) -> int:
        """Updates to make in all, once, when their rate is known; until then what is wanted."""
        if self._seconds is None or self._spent < MEASURE_SECONDS:
            return wanted
        left = max(0.0, self._seconds - (time.monotonic() - self._start))
        self._seconds = None
        return max(done, min(wanted, done + int(left * self._count / self._spent)))

    def is_time_to_save(self) -> bool:
        """Whether the last checkpoint is old; asking for it makes it new."""
        now = time.monotonic()
        if now - self._saved < SAVE_SECONDS:
            return False
        self._saved = now
        return True
