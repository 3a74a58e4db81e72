"""Limits on what clients may ask for: how often, and how much at once."""

from __future__ import annotations

import threading
import time
from collections import Counter, deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import lru_cache

from topple.player.errors import BusyError
from topple.player.settings import Rate

MAX_CLIENTS = 10_000  # remembered at once; the least recently seen are forgotten


class Bucket:
    """A token bucket: every call takes a token, and tokens come back with time."""

    def __init__(self, rate: Rate, clock: Callable[[], float] = time.monotonic) -> None:
        self._rate = rate
        self._clock = clock
        self._tokens = float(rate.burst)
        self._seen = clock()

    def take(self) -> float:
        """Take a token and return 0, or return the seconds until there is one."""
        now = self._clock()
        earned = (now - self._seen) * self._rate.per_second
        self._tokens = min(float(self._rate.burst), self._tokens + earned)
        self._seen = now
        if self._tokens < 1.0:
            return (1.0 - self._tokens) / self._rate.per_second
        self._tokens -= 1.0
        return 0.0


class Buckets:
    """A token bucket for each client."""

    def __init__(self, rate: Rate) -> None:
        self._bucket = lru_cache(MAX_CLIENTS)(lambda _client: Bucket(rate))

    def take(self, client: str) -> float:
        """Take a token from a client's bucket; see `Bucket.take`."""
        return self._bucket(client).take()


class ConcurrencyLimit:
    """Lets so many threads work at once and so many more wait, who take turns as they came.

    A thread that waits is one that no other call can use, so calls beyond that are refused. A
    semaphore would do, were it fair: there, a thread that comes late can go first.
    """

    def __init__(self, at_once: int, waiting: int, timeout: float) -> None:
        self._lock = threading.Lock()
        self._free = at_once
        self._waiting = waiting
        self._turns: deque[threading.Event] = deque()
        self._timeout = timeout

    @contextmanager
    def slot(self) -> Iterator[None]:
        """Wait for a free slot and hold it.

        Raises:
            BusyError: too many are waiting already, or none became free in time.
        """
        self._acquire()
        try:
            yield
        finally:
            with self._lock:
                if self._turns:
                    self._turns.popleft().set()
                else:
                    self._free += 1

    def _acquire(self) -> None:
        busy = BusyError("the server is busy; try again in a moment", retry_after=2)
        with self._lock:
            if self._free:
                self._free -= 1
                return
            if len(self._turns) >= self._waiting:
                raise busy
            turn = threading.Event()
            self._turns.append(turn)
        if not turn.wait(self._timeout):
            with self._lock:
                if not turn.is_set():  # else it came just now
                    self._turns.remove(turn)
                    raise busy


class ConnectionLimit:
    """Counts the open live games, in all, by player and by address."""

    def __init__(self, most: int, per_player: int, per_address: int) -> None:
        self._most, self._per_player, self._per_address = most, per_player, per_address
        self._open: Counter[tuple[str, str]] = Counter()

    def acquire(self, player: str, address: str) -> bool:
        """Count one more game, unless that would be too many."""
        by_player = sum(n for (who, _), n in self._open.items() if who == player)
        by_address = sum(n for (_, where), n in self._open.items() if where == address)
        if self._open.total() >= self._most:
            return False
        if by_player >= self._per_player or by_address >= self._per_address:
            return False
        self._open[player, address] += 1
        return True

    def release(self, player: str, address: str) -> None:
        """Count one game less."""
        self._open[player, address] -= 1
        if not self._open[player, address]:
            del self._open[player, address]
