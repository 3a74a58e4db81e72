"""The action cache: right, resumable, and never mixed up."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from shutil import rmtree

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from support.folders import folder_contents, whole_files
from support.narrowing import not_none
from topple.phyre import Task, Tier, load_task, template_tasks
from topple.phyre.action import CACHE_SEED, discrete_actions
from topple.phyre.cache import ActionCache
from topple.phyre.cache.grid import Unit
from topple.phyre.cache.shard import (
    SHARD_ACTIONS,
    UNKNOWN,
    CacheError,
    Cells,
    Shard,
    ShardKey,
    merge_shard,
    pack_outcomes,
    read_shard,
)
from topple.phyre.engine.native import SceneSet, simulate_batch
from topple.phyre.engine_hash import engine_hash

#: What the engine does today. If it changes, outcomes have changed: say so in CHANGELOG.md.
ENGINE = "b27c6cf56d1a29af"

KEY = ShardKey("engine", "ball", CACHE_SEED, "00000", 0)


def some_tasks() -> list[Task]:
    return [*template_tasks("00001")[:3], *template_tasks("00004")[:2]]


def test_engine_hash_is_pinned() -> None:
    assert engine_hash() == ENGINE


def test_outcomes_are_those_of_the_rounded_list(tmp_path: Path) -> None:
    tasks = some_tasks()
    cache = ActionCache(tmp_path, Tier.BALL, indexes=())
    actions = discrete_actions(Tier.BALL, 40).astype(np.float32).astype(np.float64)
    assert np.array_equal(cache.actions(40), actions)
    direct = simulate_batch(
        SceneSet([task.scene for task in tasks]),
        np.repeat(np.arange(len(tasks)), 40),
        np.tile(actions, (len(tasks), 1)),
    ).outcome.reshape(len(tasks), 40)
    assert np.array_equal(cache.outcomes(tasks, 40), direct)


def test_any_order_of_requests_gives_the_same_bytes(tmp_path: Path) -> None:
    tasks = some_tasks()
    at_once, bit_by_bit = tmp_path / "one", tmp_path / "two"
    expected = ActionCache(at_once, Tier.BALL, indexes=()).outcomes(tasks, 30)
    cache = ActionCache(bit_by_bit, Tier.BALL, indexes=())
    cache.build(tasks[::-2], [7, 30, 12])
    cache.build(tasks[1:3], 20)
    assert np.array_equal(cache.outcomes(tasks[::-1], 30), expected[::-1])
    assert folder_contents(at_once) == folder_contents(bit_by_bit)


def test_only_what_is_missing_is_simulated(tmp_path: Path) -> None:
    tasks = some_tasks()
    asked: list[int] = []

    def counting(
        function: Callable[[Unit], Cells], units: Iterable[Unit]
    ) -> Iterator[tuple[Unit, Cells]]:
        for unit in units:
            asked.append(int(unit.wanted.sum()))
            yield unit, function(unit)

    reports: list[tuple[int, int]] = []
    cache = ActionCache(
        tmp_path,
        Tier.BALL,
        indexes=(),
        run=counting,
        progress=lambda *report: reports.append(report),
    )
    cache.build(tasks[:2], 10)
    cache.build(tasks, 10)
    cache.build(tasks, 12)
    assert asked == [20, 10, 20, 6, 4]
    assert reports == [(20, 20), (10, 30), (30, 30), (6, 10), (10, 10)]
    known = cache.known(tasks, 15)
    assert (known[:, :12] != UNKNOWN).all()
    assert (known[:, 12:] == UNKNOWN).all()


def test_first_valid_needs_no_simulation(tmp_path: Path) -> None:
    tasks = some_tasks()
    cache = ActionCache(tmp_path, Tier.BALL, indexes=())
    found = cache.first_valid(tasks, 50, within=200)
    assert not folder_contents(tmp_path)
    for numbers, outcomes in zip(found, cache.outcomes(tasks, 200), strict=True):
        assert numbers == np.flatnonzero(outcomes != 0)[:50].tolist()
    assert [len(numbers) < 50 for numbers in cache.first_valid(tasks, 50, within=40)] == [True] * 5


@settings(max_examples=20)
@given(st.data())
def test_packing_is_lossless(data: st.DataObject) -> None:
    seed = data.draw(st.integers(0, 2**32 - 1))
    values = np.array([-1, 0, 1, UNKNOWN], np.int8)
    outcomes = np.random.default_rng(seed).choice(values, (3, SHARD_ACTIONS))
    packed = pack_outcomes(outcomes)
    assert packed.nbytes == outcomes.size // 4
    scenes = {"00000:000": "a", "00000:001": "b", "00000:002": "c"}
    assert np.array_equal(Shard(scenes, packed).rows(scenes), outcomes)


def test_a_changed_scene_is_simulated_again(tmp_path: Path) -> None:
    solved = np.ones((1, SHARD_ACTIONS), np.int8)
    new = {"00000:000": "new"}
    merge_shard(tmp_path, KEY, {"00000:000": "old"}, solved)
    assert (not_none(read_shard(tmp_path, KEY)).rows(new) == UNKNOWN).all()
    merge_shard(tmp_path, KEY, new, -solved)
    assert (not_none(read_shard(tmp_path, KEY)).rows(new) == -1).all()


@pytest.mark.parametrize("damage", ["cut", "flipped", "no header", "no key", "deep", "empty"])
def test_damaged_files_are_refused(tmp_path: Path, damage: str) -> None:
    merge_shard(tmp_path, KEY, {"00000:000": "a"}, np.ones((1, SHARD_ACTIONS), np.int8))
    path = tmp_path / KEY.path
    content = path.read_bytes()
    path.write_bytes(
        {
            "cut": content[:-7],
            "flipped": content[:-1] + bytes([content[-1] ^ 4]),
            "no header": content[20:],
            "no key": content.replace(b'"key"', b'"kez"'),
            "deep": b"[" * 100_000,
            "empty": b"",
        }[damage]
    )
    with pytest.raises(CacheError, match="is damaged; delete it"):
        read_shard(tmp_path, KEY)


def test_files_of_another_format_are_refused(tmp_path: Path) -> None:
    merge_shard(tmp_path, KEY, {"00000:000": "a"}, np.ones((1, SHARD_ACTIONS), np.int8))
    path = tmp_path / KEY.path
    path.write_bytes(path.read_bytes().replace(b'"format":1', b'"format":2'))
    with pytest.raises(CacheError, match="has format 2"):
        read_shard(tmp_path, KEY)


def test_outcomes_that_disappear_are_no_results(tmp_path: Path) -> None:
    cache = ActionCache(tmp_path, Tier.BALL, indexes=(), progress=lambda *_: rmtree(tmp_path))
    with pytest.raises(CacheError, match="disappeared"):
        cache.outcomes(template_tasks("00001")[:1], 10)


WRITERS, WRITES = 3, 40


def write_columns(folder: Path, writer: int) -> None:
    """Fill every third cell of a shard, one at a time."""
    for write in range(WRITES):
        cells = np.full((1, SHARD_ACTIONS), UNKNOWN, np.int8)
        cells[0, WRITERS * write + writer] = 1
        merge_shard(folder, KEY, {"00000:000": "a"}, cells)


def test_writers_lose_nothing_and_readers_see_whole_files(tmp_path: Path) -> None:
    write_columns(tmp_path, 0)
    with ProcessPoolExecutor(WRITERS, get_context("spawn")) as pool:
        writing = [pool.submit(write_columns, tmp_path, writer) for writer in range(WRITERS)]
        reads = 0
        while not all(future.done() for future in writing):
            not_none(read_shard(tmp_path, KEY))  # raises if it is half of one file, half of another
            reads += 1
        for future in writing:
            future.result()
    assert reads > WRITES
    written = not_none(read_shard(tmp_path, KEY)).rows({"00000:000": "a"})
    assert (written[0, : WRITERS * WRITES] == 1).all()


def test_files_of_another_engine_are_refused(tmp_path: Path) -> None:
    merge_shard(tmp_path, KEY, {"00000:000": "a"}, np.ones((1, SHARD_ACTIONS), np.int8))
    other = ShardKey("other", "ball", CACHE_SEED, "00000", 0)
    (tmp_path / other.path).parent.mkdir(parents=True)
    (tmp_path / KEY.path).rename(tmp_path / other.path)
    with pytest.raises(CacheError, match="it was moved or renamed"):
        read_shard(tmp_path, other)


def test_wrong_requests_are_refused(tmp_path: Path) -> None:
    cache = ActionCache(tmp_path, Tier.TWO_BALLS)
    with pytest.raises(ValueError, match="'00000:000' is of tier 'ball'"):
        cache.build([load_task("00000:000")], 1)
    cache = ActionCache(tmp_path, Tier.BALL, indexes=())
    with pytest.raises(ValueError, match="count is -1"):
        cache.build([load_task("00000:000")], -1)
    with pytest.raises(ValueError, match="listed twice"):
        cache.build([load_task("00000:000")] * 2, 1)


KILLED = """
import sys
from pathlib import Path
from topple.phyre import Tier, template_tasks
from topple.phyre.cache import ActionCache

cache = ActionCache(
    Path(sys.argv[1]), Tier.BALL, indexes=(), progress=lambda *_: print("unit", flush=True)
)
cache.build(template_tasks("00001")[:4], 1500)
"""


def test_a_killed_build_goes_on_where_it_was(tmp_path: Path) -> None:
    undisturbed, killed = tmp_path / "one", tmp_path / "two"
    tasks = template_tasks("00001")[:4]
    process = subprocess.Popen(
        [sys.executable, "-c", KILLED, str(killed)], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "unit\n"
    time.sleep(0.05)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    process.stdout.close()
    cache = ActionCache(killed, Tier.BALL, indexes=())
    before = int((cache.known(tasks, 1500) != UNKNOWN).sum())
    assert 0 < before < 4 * 1500
    expected = ActionCache(undisturbed, Tier.BALL, indexes=()).outcomes(tasks, 1500)
    assert np.array_equal(cache.outcomes(tasks, 1500), expected)
    assert whole_files(killed) == folder_contents(undisturbed)
