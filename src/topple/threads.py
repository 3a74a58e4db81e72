"""Threads and checked numbers of an engine call: how many threads, steps or events."""

from __future__ import annotations

import os
import threading
from numbers import Integral

MAX_COUNT = 2**31 - 1  # the engines count with 32 bits
_MAX_THREADS = 256  # more only wait for each other


def check_count(name: str, value: object, least: int, most: int = MAX_COUNT) -> None:
    """Raise a ValueError unless a value is a whole number within bounds."""
    if not isinstance(value, Integral) or not least <= int(value) <= most:
        raise ValueError(
            f"{name} is {value}; it has to be a whole number of at least {least} and at most {most}"
        )


def default_threads() -> int:
    """The cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def can_start_threads() -> bool:
    """Whether the system has a thread to give; browsers and restricted hosts have none."""
    try:
        thread = threading.Thread(target=int)
        thread.start()
    except RuntimeError:
        return False
    thread.join()
    return True


def thread_count(threads: int | None, work: int) -> int:
    """How many threads to start for so many independent pieces of work.

    Args:
        threads: at most this many; all cores by default.
        work: how many attempts or episodes there are; more threads would have nothing to do.

    Raises:
        ValueError: if `threads` is not a whole number of at least 1.
    """
    if threads is not None:
        check_count("threads", threads, 1)
    return min(threads or default_threads(), max(work, 1), _MAX_THREADS)
