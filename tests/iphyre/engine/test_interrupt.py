from __future__ import annotations

import signal
import subprocess
import sys
import time
from itertools import pairwise

import numpy as np
import pytest

from topple.iphyre import AT_10_HZ, game_named
from topple.iphyre.engine.batch import simulate_batch

PROGRAM = """
import sys
import numpy as np
from topple.iphyre import AT_60_HZ, game_named
from topple.iphyre.engine.batch import simulate_batch

game = game_named("multi_ball_stack")
count = 500_000
removals = np.full((count, 12), -1)
# All different, because plans share what they have in common.
blocks = list(game.eliminable)
removals[:, blocks] = np.random.default_rng(0).integers(0, 900, (count, len(blocks)))
print("ready", flush=True)
try:
    simulate_batch(
        [game.scene], np.zeros(count, int), removals, AT_60_HZ.request, threads=int(sys.argv[1])
    )
except KeyboardInterrupt:
    print("interrupted", flush=True)
    raise
"""


@pytest.mark.parametrize("threads", ["1", "4"])
def test_ctrl_c_ends_a_batch_soon(threads: str) -> None:
    process = subprocess.Popen(
        [sys.executable, "-c", PROGRAM, threads],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    with process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        time.sleep(0.5)
        assert process.poll() is None, "the batch is meant to last longer"
        process.send_signal(signal.SIGINT)
        start = time.monotonic()
        assert process.stdout.readline() == "interrupted\n"
        # The thread that plays an episode ends it first; the rest is for a busy machine.
        assert time.monotonic() - start < 5.0


def test_progress_ends_at_the_end() -> None:
    seen: list[tuple[int, int]] = []
    count = 3000
    simulate_batch(
        [game_named("hole").scene],
        np.zeros(count, int),
        np.full((count, 12), -1),
        AT_10_HZ.request,
        progress=lambda done, total: seen.append((done, total)),
    )
    assert seen[-1] == (count, count)
    assert all(a <= b for a, b in pairwise(seen))


LONG_STEP = """
import sys
from topple.iphyre import AT_60_HZ, Episode, game_named

# A ball beside its pendulum never rests, so no tick can be left out.
episode = Episode(game_named("hole"), AT_60_HZ)
print("ready", flush=True)
try:
    if sys.argv[1] == "step":
        episode.world.step(2**31 - 1)
    else:
        episode.run(2**31 - 1)
except KeyboardInterrupt:
    print("interrupted", flush=True)
    raise
"""


@pytest.mark.parametrize("method", ["step", "run"])
def test_ctrl_c_ends_a_long_step_soon(method: str) -> None:
    process = subprocess.Popen(
        [sys.executable, "-c", LONG_STEP, method],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    with process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == "ready\n"
            time.sleep(0.3)
            assert process.poll() is None, "the step is meant to last longer"
            process.send_signal(signal.SIGINT)
            process.wait(timeout=5)
            assert process.stdout.readline() == "interrupted\n"
        finally:
            process.kill()
