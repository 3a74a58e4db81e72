"""Long batches: they can be stopped, and they report how far they are."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from support.small_scenes import ball, walled
from topple.phyre.engine.native import SceneSet, simulate_batch
from topple.phyre.engine.request import Request

LONG_BATCH = """
import sys
import numpy as np
from support.small_scenes import ball, walled
from topple.phyre.engine.native import SceneSet, simulate_batch
from topple.phyre.engine.request import Request

scenes = SceneSet([walled(*(ball(20 + 23 * i, 200 - 9 * i, 11) for i in range(9)))])
count = 3_000_000
actions = np.zeros((count, 0))
request = Request(max_steps=300, shortcuts=False)
print("ready", flush=True)
try:
    simulate_batch(scenes, np.zeros(count, int), actions, request, threads=int(sys.argv[1]))
except KeyboardInterrupt:
    print("interrupted", flush=True)
    raise
"""


@pytest.mark.parametrize("threads", ["1", "4"])
def test_ctrl_c_ends_a_batch_within_a_second(threads: str) -> None:
    process = subprocess.Popen(
        [sys.executable, "-c", LONG_BATCH, threads],
        cwd=Path(__file__).resolve().parents[2],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        time.sleep(0.5)
        assert process.poll() is None, "the batch is meant to last longer"
        process.send_signal(signal.SIGINT)
        sent = time.monotonic()
        assert process.stdout.readline() == "interrupted\n"
        assert time.monotonic() - sent < 1.0
        _, errors = process.communicate(timeout=10)
        assert "KeyboardInterrupt" in errors
    finally:
        process.kill()
        process.wait()


def test_progress_is_reported_and_ends_at_the_total() -> None:
    scenes = SceneSet([walled(*(ball(20 + 23 * i, 200 - 9 * i, 11) for i in range(9)))])
    count = 1000
    seen: list[tuple[int, int]] = []
    simulate_batch(
        scenes,
        np.zeros(count, int),
        np.zeros((count, 0)),
        Request(max_steps=1000, shortcuts=False),
        threads=1,
        progress=lambda done, total: seen.append((done, total)),
    )
    assert seen[-1] == (count, count)
    assert {total for _, total in seen} == {count}
    done = [step for step, _ in seen]
    assert done == sorted(done)
    assert len(seen) >= 2, "the batch lasts longer than the time between two reports"


def test_a_short_batch_reports_its_end() -> None:
    seen: list[tuple[int, int]] = []
    scenes = SceneSet([walled()])
    simulate_batch(scenes, [0], np.zeros((1, 0)), progress=lambda *at: seen.append(at))
    assert seen[-1] == (1, 1)
