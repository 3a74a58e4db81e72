"""Programs that are killed while they write: what was stored before is there, or what comes after.

A fault point is a call of the system that a power cut could follow; a program dies at its first,
second and every later one. Other kills come at any moment.
"""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from multiprocessing import get_context
from multiprocessing.process import BaseProcess
from multiprocessing.synchronize import Event
from pathlib import Path
from typing import Any

import httpx2
import numpy as np

from support.folders import folder_contents, whole_files
from topple.phyre import Tier, template_tasks
from topple.phyre.action import CACHE_SEED, discrete_actions
from topple.phyre.cache import ActionCache
from topple.phyre.cache.index import make_index, read_index
from topple.phyre.cache.shard import SHARD_ACTIONS, UNKNOWN, ShardKey, merge_shard, read_shard
from topple.phyre.cache.table import OutcomeTable, load_table
from topple.phyre.fold import Setup
from topple.phyre.selection import TaskSelection
from topple.runs import RunConfig, Runner, read_record, write_record
from topple.runs.record import SUFFIX
from torture.rounds import Round
from torture.server import TASK, running_server

CALLS = ("fsync", "replace", "chmod", "close", "unlink")  # of a writer, each a place to die
WAIT = 300.0  # seconds that a process may take
DEAD = 9  # exit status of a program at its fault point
KEY = ShardKey("engine", "ball", CACHE_SEED, "00000", 0)
CONFIG: RunConfig[TaskSelection] = RunConfig(
    "rand", TaskSelection(Setup.BALL_WITHIN_TEMPLATE, 0, tasks=3), attempts=1
)


def die_at_call(deadly: int, write: Callable[[Path, int], None], folder: Path, value: int) -> None:
    """Write a value, in a process that ends at a call of the system."""
    calls = 0

    def counted(function: Callable[..., Any]) -> Callable[..., Any]:
        def call(*arguments: Any, **named: Any) -> Any:
            nonlocal calls
            calls += 1
            if calls == deadly:
                os._exit(DEAD)
            return function(*arguments, **named)

        return call

    for name in CALLS:
        setattr(os, name, counted(getattr(os, name)))
    write(folder, value)
    os._exit(0)


def write_for_ever(
    begun: Event, write: Callable[[Path, int], None], folder: Path, value: int
) -> None:
    """Write rising values until somebody ends it."""
    begun.set()
    while True:
        write(folder, value)
        value += 1


def write_a_record(folder: Path, value: int) -> None:
    """Replace the record that is there by one with another protocol and other attempts."""
    (path,) = folder.glob(f"*{SUFFIX}")
    write_record(folder, replace(read_record(path), protocol={"value": value}))


def read_a_record(folder: Path) -> int:
    """The value in the record, whose attempts are there, too."""
    (path,) = folder.glob(f"*{SUFFIX}")
    record = read_record(path)
    assert record.results.attempts, f"{path} has lost its attempts"
    return int(record.protocol["value"])


def write_a_shard(folder: Path, value: int) -> None:
    """Fill one more cell."""
    cells = np.full((1, SHARD_ACTIONS), UNKNOWN, np.int8)
    cells[0, value % SHARD_ACTIONS] = 1
    merge_shard(folder, KEY, {"00000:000": "a"}, cells)


def read_a_shard(folder: Path) -> int:
    """The last cell that is filled, as all before it are."""
    shard = read_shard(folder, KEY)
    assert shard is not None, "the shard is gone"
    filled = np.flatnonzero(shard.rows({"00000:000": "a"})[0] != UNKNOWN)
    assert filled.tolist() == list(range(len(filled))), f"cells are lost: {filled}"
    return len(filled) - 1


def write_an_index(folder: Path, value: int) -> None:
    """Replace an index."""
    solving = [np.arange(50, dtype=np.int32)]
    index = make_index("engine", Tier.BALL, value, 100, {"00000:000": "a"}, solving)
    index.save(folder / "some.solutions")


def read_an_index(folder: Path) -> int:
    """The value of the index."""
    index = read_index(folder / "some.solutions")
    assert index.numbers.tolist() == list(range(50))
    return index.seed


def write_a_table(folder: Path, value: int) -> None:
    """Replace a table of outcomes."""
    actions = discrete_actions(Tier.BALL, 100)
    outcome, steps = np.ones((1, 100), np.int8), np.full((1, 100), value % 1000, np.int16)
    OutcomeTable(("00000:000",), actions, outcome, steps, str(value)).save(folder / "table.npz")


def read_a_table(folder: Path) -> int:
    """The value of the table."""
    table = load_table(folder / "table.npz")
    value = int(table.digest)
    assert (table.steps == value % 1000).all()
    return value


@dataclass(frozen=True)
class Writer:
    """Something that replaces what it wrote before."""

    name: str
    write: Callable[[Path, int], None]
    read: Callable[[Path], int]


WRITERS = (
    Writer("run records", write_a_record, read_a_record),
    Writer("cache shards", write_a_shard, read_a_shard),
    Writer("solution indexes", write_an_index, read_an_index),
    Writer("outcome tables", write_a_table, read_a_table),
)


def first_folder(writer: Writer, folder: Path) -> Path:
    """A folder with the value 0 of a writer."""
    place = folder / writer.name.replace(" ", "-")
    place.mkdir()
    if writer.write is write_a_record:
        record = Runner(folder / "cache").run(CONFIG)
        write_record(place, replace(record, protocol={"value": 0}))
    else:
        writer.write(place, 0)
    return place


CONTEXT = get_context("forkserver")  # its processes start at once, with all modules in memory
CONTEXT.set_forkserver_preload([__name__])


def start(function: Callable[..., None], *arguments: object) -> BaseProcess:
    """Start a process."""
    process = CONTEXT.Process(target=function, args=arguments)
    process.start()
    return process


def kill_after(process: BaseProcess, begun: Event, seconds: float) -> None:
    """Kill a process some time after it has begun to work."""
    assert begun.wait(WAIT), "a writer did not begin"
    process.join(seconds)
    process.kill()
    process.join()


def die_at_every_call(writer: Writer, folder: Path, value: int) -> list[int]:
    """Let writers of the next value die at each call in turn; returns the values read after."""
    seen = []
    for deadly in range(1, 100):
        process = start(die_at_call, deadly, writer.write, folder, value + 1)
        process.join()
        seen.append(writer.read(folder))
        if process.exitcode == 0:
            break
        assert process.exitcode == DEAD, f"{writer.name} ended with status {process.exitcode}"
    assert set(seen[:-1]) <= {value, value + 1}, f"{writer.name} read {seen} after {value}"
    assert seen == sorted(seen), f"an old value came back: {seen}"
    assert seen[-1] == value + 1
    return seen


@contextmanager
def fault_points(counts: Counter[str], folder: Path) -> Iterator[Round]:
    """Every writer dies at each of its fault points."""
    places = {writer: first_folder(writer, folder) for writer in WRITERS}

    def once(rng: np.random.Generator) -> None:
        writer = WRITERS[int(rng.integers(len(WRITERS)))]
        value = writer.read(places[writer])
        counts["kills at fault points"] += len(die_at_every_call(writer, places[writer], value)) - 1

    yield once


@contextmanager
def by_chance(counts: Counter[str], folder: Path) -> Iterator[Round]:
    """Writers, several of them for a shard, are killed at any moment; sweeps, too."""
    places = {writer: first_folder(writer, folder) for writer in WRITERS}
    configs = [
        replace(CONFIG, selection=TaskSelection(Setup.BALL_WITHIN_TEMPLATE, fold, tasks=2))
        for fold in range(3)
    ]
    undisturbed = folder / "undisturbed"
    list(Runner(folder / "cache").sweep(configs, undisturbed))

    def kill_a_writer(rng: np.random.Generator) -> None:
        writer = WRITERS[int(rng.integers(len(WRITERS)))]
        place = places[writer]
        before = writer.read(place)
        if writer.write is write_a_shard and before > SHARD_ACTIONS - 200:
            (place / KEY.path).unlink()
            writer.write(place, 0)
            before = 0
        begun = CONTEXT.Event()
        process = start(write_for_ever, begun, writer.write, place, before + 1)
        kill_after(process, begun, float(rng.uniform(0.0, 0.15)))
        assert process.exitcode == -signal.SIGKILL, f"{writer.name}: the writer ended by itself"
        counts[f"kills of writers of {writer.name}"] += 1
        after = writer.read(place)
        assert after >= before, f"{writer.name}: {after} after {before}"

    def kill_a_sweep(rng: np.random.Generator) -> None:
        place = folder / f"sweep-{counts['kills of sweeps']}"
        begun = CONTEXT.Event()
        process = start(sweep, begun, folder / "cache", configs, place)
        kill_after(process, begun, float(rng.uniform(0.0, 0.1)))
        counts["kills of sweeps"] += 1
        list(Runner(folder / "cache").sweep(configs, place))
        assert whole_files(place) == folder_contents(undisturbed)

    def once(rng: np.random.Generator) -> None:
        for _ in range(5):
            kill_a_writer(rng)
        kill_a_sweep(rng)

    yield once


def sweep(begun: Event, cache: Path, configs: list[RunConfig[Any]], folder: Path) -> None:
    """Run some configs."""
    begun.set()
    list(Runner(cache).sweep(configs, folder))


@contextmanager
def servers(counts: Counter[str], folder: Path) -> Iterator[Round]:
    """The player is killed while people play: every attempt that was answered is stored."""
    acknowledged: set[int] = set()

    def once(rng: np.random.Generator) -> None:
        with running_server(folder) as server:
            key = httpx2.post(f"{server.address}/api/players").json()["key"]

            def play(client: int) -> None:
                body = {"action": [0.4, 0.8, 0.1 + client / 20], "stride": 60}
                path = f"{server.address}/api/phyre/tasks/{TASK}/attempts"
                try:
                    while True:
                        answer = httpx2.post(path, json=body, headers={"X-Player": key})
                        assert answer.status_code == 200, answer.text
                        acknowledged.add(answer.json()["id"])
                except httpx2.TransportError:
                    return

            with ThreadPoolExecutor(4) as pool:
                clients = [pool.submit(play, client) for client in range(4)]
                wanted = len(acknowledged) + int(rng.integers(1, 20))
                while len(acknowledged) < wanted and not any(c.done() for c in clients):
                    time.sleep(0.01)
                time.sleep(float(rng.uniform(0.0, 0.1)))
                server.process.kill()
            for done in clients:
                done.result()
        counts["kills of players"] += 1
        with sqlite3.connect(folder / "player.sqlite") as database:
            assert database.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
            stored = {number for (number,) in database.execute("SELECT id FROM attempts")}
        database.close()
        assert acknowledged <= stored, f"{len(acknowledged - stored)} attempts are lost"
        counts["attempts answered before a kill, and found after it"] = len(acknowledged)

    yield once


RAY_DRIVER = """
import sys
from pathlib import Path
from topple.phyre import Tier, template_tasks
from topple.phyre.cache import ActionCache
from topple.runs.executors.ray import RayExecutor
executor = RayExecutor(workers=2)
cache = ActionCache(
    Path(sys.argv[1]), Tier.BALL, indexes=(), run=executor.map,
    progress=lambda *_: print("unit", flush=True),
)
print("ready", flush=True)
cache.build([*template_tasks("00002")[:2], *template_tasks("00005")[:2]], 1000)
"""


@contextmanager
def ray_cluster(counts: Counter[str], folder: Path) -> Iterator[Round]:
    """Workers or the driver of a Ray cluster are killed: the cache has the same bytes."""
    tasks = [*template_tasks("00002")[:2], *template_tasks("00005")[:2]]
    undisturbed = folder / "undisturbed"
    ActionCache(undisturbed, Tier.BALL, indexes=()).build(tasks, 1000)

    def once(rng: np.random.Generator) -> None:
        place = folder / f"ray-{counts['kills of Ray drivers'] + counts['kills of Ray workers']}"
        command = [sys.executable, "-c", RAY_DRIVER, str(place)]
        with subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        ) as driver:
            assert driver.stdout is not None
            if driver.stdout.readline() != "ready\n":  # Ray gives up on a busy machine
                counts["Ray clusters that did not start"] += 1
                return
            for _ in range(int(rng.integers(3))):
                driver.stdout.readline()
            if rng.random() < 0.5:
                driver.kill()
                counts["kills of Ray drivers"] += 1
            else:
                for worker in _workers(driver.pid)[:1]:
                    os.kill(worker, signal.SIGKILL)
                    counts["kills of Ray workers"] += 1
                assert driver.wait(WAIT) == 0, "the driver did not survive its worker"
                assert whole_files(place) == folder_contents(undisturbed)
        ActionCache(place, Tier.BALL, indexes=()).build(tasks, 1000)
        assert whole_files(place) == folder_contents(undisturbed)

    yield once


def _workers(driver: int) -> list[int]:
    """The processes of Ray's workers below a driver."""
    below, found = {driver}, []
    for process in sorted(map(int, (place.name for place in Path("/proc").glob("[0-9]*")))):
        with suppress(OSError):  # it has just ended
            stat = Path(f"/proc/{process}/stat").read_text()
            if int(stat.rpartition(")")[2].split()[1]) in below:
                below.add(process)
                if (
                    Path(f"/proc/{process}/cmdline")
                    .read_bytes()
                    .startswith((b"ray::_apply", b"ray::IDLE"))
                ):
                    found.append(process)
    return found
