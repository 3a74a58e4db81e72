"""Processes that work for another one end with it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from topple.runs.executors.processes import ProcessExecutor

DRIVER = """
import sys
from functools import partial
from test_processes import sleep
from topple.runs.executors.processes import ProcessExecutor

if __name__ == "__main__":
    list(ProcessExecutor(2).map(partial(sleep, sys.argv[1]), range(2)))
"""


def double(number: int) -> int:
    """An item of work."""
    return 2 * number


def sleep(folder: str, number: int) -> None:
    """Say which process this is, and work for long."""
    Path(folder, f"{number}.pid").write_text(str(os.getpid()))
    time.sleep(600)


def is_running(process: int) -> bool:
    """Whether there is such a process, and not only what is left of one."""
    try:
        return ") Z" not in Path(f"/proc/{process}/stat").read_text()
    except OSError:
        return False


def wait_until(holds: Callable[[], bool], seconds: float = 60.0) -> None:
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.05)


def test_items_come_back_with_their_results() -> None:
    executor = ProcessExecutor(2)
    try:
        assert dict(executor.map(double, range(7))) == {k: 2 * k for k in range(7)}
    finally:
        executor.close()


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="processes are looked up in /proc")
def test_workers_of_a_killed_process_end(tmp_path: Path) -> None:
    driver = tmp_path / "driver.py"
    driver.write_text(DRIVER)
    path = os.pathsep.join([str(Path(__file__).parent), os.environ.get("PYTHONPATH", "")])
    started = subprocess.Popen(
        [sys.executable, str(driver), str(tmp_path)], env={**os.environ, "PYTHONPATH": path}
    )
    files = [tmp_path / f"{number}.pid" for number in range(2)]
    try:
        wait_until(lambda: all(file.exists() and file.read_text() for file in files))
        workers = [int(file.read_text()) for file in files]
        assert all(map(is_running, workers))
    finally:
        started.send_signal(signal.SIGKILL)
        started.wait()
    wait_until(lambda: not any(map(is_running, workers)))
