"""Rate limits: requests and tokens in any minute, over all threads."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable

WINDOW = 60.0  # s


class StoppedError(Exception):
    """The run was stopped while something waited."""


class RateLimit:
    """Delays requests until they are allowed.

    Args:
        requests: maximum number of requests in any minute; None: no limit.
        tokens: maximum number of tokens in any minute, as far as they are known when a request is
            sent: those of finished requests, and an estimate for others; None: no limit.
        clock: returns the time in seconds.
    """

    def __init__(
        self,
        requests: int | None = None,
        tokens: int | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        for name, value in (("requests", requests), ("tokens", tokens)):
            if value is not None and value < 1:
                raise ValueError(f"{value} {name} a minute; allow at least 1, or leave it out")
        self._requests, self._tokens, self._clock = requests, tokens, clock
        self._lock = threading.Lock()
        self._sent: deque[list[float]] = deque()  # [time, tokens] of the last minute
        self._held_until = 0.0
        self._stop = threading.Event()

    def acquire(self, guess: int) -> list[float]:
        """Wait until a request is allowed; returns a ticket for :meth:`settle`.

        Raises:
            StoppedError: the run was stopped.
        """
        while True:
            with self._lock:
                now = self._clock()
                wait = self._wait(now, guess)
                if wait <= 0 and not self._stop.is_set():
                    ticket = [now, float(guess)]
                    self._sent.append(ticket)
                    return ticket
            self.rest(wait)

    def settle(self, ticket: list[float], tokens: int) -> None:
        """Replace the estimated tokens of a ticket by their number."""
        with self._lock:
            ticket[1] = float(tokens)

    def hold(self, seconds: float) -> None:
        """Send nothing for some time, because the server asked for it."""
        with self._lock:
            self._held_until = max(self._held_until, self._clock() + seconds)

    def rest(self, seconds: float) -> None:
        """Sleep, unless the run is stopped.

        Raises:
            StoppedError: the run was stopped.
        """
        if self._stop.wait(max(0.0, seconds)):
            raise StoppedError

    def stop(self) -> None:
        """Cancel everything that waits."""
        self._stop.set()

    def _wait(self, now: float, guess: int) -> float:
        """Seconds until a request is allowed; call it with the lock held."""
        while self._sent and self._sent[0][0] <= now - WINDOW:
            self._sent.popleft()
        wait = self._held_until - now
        if self._requests is not None and len(self._sent) >= self._requests:
            wait = max(wait, self._sent[-self._requests][0] + WINDOW - now)
        if self._tokens is not None:
            # A request that exceeds the limit by itself is sent when there are no others.
            allowed = max(self._tokens - guess, 0)
            used = sum(tokens for _, tokens in self._sent)
            for sent, tokens in self._sent:
                if used <= allowed:
                    break
                wait = max(wait, sent + WINDOW - now)
                used -= tokens
        return wait
