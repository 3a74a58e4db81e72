from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from support.interrupt import running, seconds_until_interrupted
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
    with running(PROGRAM, threads) as process:
        # The thread that plays an episode ends it first; the rest is for a busy machine.
        assert seconds_until_interrupted(process) < 5.0


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
    with running(LONG_STEP, method) as process:
        assert seconds_until_interrupted(process, after=0.3) < 5.0
