"""Programs in processes of their own, and Ctrl-C pressed in them, on every system."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]
READY, INTERRUPTED = "ready\n", "interrupted\n"  # what a program prints
# Windows sends Ctrl-C to all processes of a console, but Ctrl-Break to a group of them.
PRELUDE = """
import signal
if hasattr(signal, "SIGBREAK"):
    signal.signal(signal.SIGBREAK, signal.default_int_handler)
"""


def no_threads() -> None:
    """Leave a new process no memory for the stack of a thread; Linux only."""
    import resource

    resource.setrlimit(resource.RLIMIT_STACK, (1 << 40, resource.RLIM_INFINITY))
    resource.setrlimit(resource.RLIMIT_AS, (1 << 36, 1 << 36))


@contextmanager
def running(
    program: str, *arguments: str, threadless: bool = False
) -> Iterator[subprocess.Popen[str]]:
    """A program under way, which has printed READY."""
    flags = 0
    if sys.platform == "win32":
        flags = subprocess.CREATE_NEW_PROCESS_GROUP
    process = subprocess.Popen(
        [sys.executable, "-c", PRELUDE + program, *arguments],
        cwd=TESTS,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        creationflags=flags,
        preexec_fn=no_threads if threadless else None,
        env={**os.environ, "OPENBLAS_NUM_THREADS": "1"},  # NumPy's own threads are not the subject
    )
    with process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == READY
            yield process
        finally:
            process.kill()


def seconds_until_interrupted(process: subprocess.Popen[str], after: float = 0.5) -> float:
    """Press Ctrl-C after some seconds; returns how long the program went on."""
    time.sleep(after)
    assert process.poll() is None, "the program is meant to last longer"
    if sys.platform == "win32":
        process.send_signal(signal.CTRL_BREAK_EVENT)
    else:
        process.send_signal(signal.SIGINT)
    sent = time.monotonic()
    assert process.stdout is not None
    assert process.stdout.readline() == INTERRUPTED
    seconds = time.monotonic() - sent
    _, errors = process.communicate(timeout=10)
    assert "KeyboardInterrupt" in errors
    return seconds
