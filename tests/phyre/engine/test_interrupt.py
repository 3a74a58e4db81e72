"""Long batches: they can be stopped, and they report how far they are."""

from __future__ import annotations

import sys

import numpy as np
import pytest

from support.interrupt import running, seconds_until_interrupted
from support.small_scenes import ball, walled
from topple.phyre.engine.native import SceneSet, simulate_batch
from topple.phyre.engine.request import Request

LONG_BATCH = """
import sys
import numpy as np
from support.interrupt import running, seconds_until_interrupted
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
    with running(LONG_BATCH, threads) as process:
        assert seconds_until_interrupted(process) < 1.0


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux can be made to refuse threads")
def test_ctrl_c_ends_a_batch_that_has_no_threads() -> None:
    with running(LONG_BATCH, "4", threadless=True) as process:
        assert seconds_until_interrupted(process) < 1.0


THREADLESS = """
import numpy as np
from topple.iphyre import AT_10_HZ, game_named
from topple.iphyre.engine.batch import simulate_batch as play_batch
from topple.phyre.action import discrete_actions
from topple.phyre.engine.native import SceneSet, simulate_batch, valid_actions
from topple.phyre.task import template_tasks
from topple.phyre.tier import Tier
from topple.threads import can_start_threads

assert not can_start_threads(), "this process is meant to have no threads"
scenes = SceneSet([task.scene for task in template_tasks("00000")])
actions = discrete_actions(Tier.BALL, 100)
valid = valid_actions(scenes, actions, threads=4)
reported = []
batch = simulate_batch(
    scenes, np.arange(100), actions, threads=4, progress=lambda *at: reported.append(at)
)
assert reported == [(100, 100)], reported
game = game_named("hole")
removals = np.full((50, 12), -1)
removals[:, game.eliminable[0]] = np.arange(50)
played = play_batch([game.scene], np.zeros(50, int), removals, AT_10_HZ.request, threads=4)
print("ready", flush=True)
print(valid.sum(), batch.outcome.tolist(), played.ticks.tolist(), flush=True)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux can be made to refuse threads")
def test_a_batch_runs_inline_where_no_thread_can_be_started() -> None:
    program = THREADLESS.replace("assert not can_start_threads()", "assert can_start_threads()")
    program = program.replace("assert reported ==", "assert reported[-1:] ==")
    results = []
    for source, threadless in ((THREADLESS, True), (program, False)):
        with running(source, threadless=threadless) as process:
            assert process.stdout is not None
            results.append(process.stdout.read())
    assert results[0] == results[1]
    assert results[0], "the program is meant to print its results"


def test_progress_is_reported_and_ends_at_the_total() -> None:
    scenes = SceneSet([walled(*(ball(20 + 23 * i, 200 - 9 * i, 11) for i in range(9)))])
    count = 4000  # for three quarters of a second; reports come five times a second
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
