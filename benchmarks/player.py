"""How much can the player take? A bounded load test on loopback.

Protocol: a server in a process of its own with an empty SQLite database and no rate limits.
*Start*: from the command to the answered gallery of 50 templates, five times after a first
one; processor time includes stopping. *Calls*: so many clients at once, each calling again
as soon as it is answered, for a few seconds; the gallery, a thumbnail, a check of an action,
and an attempt, which is simulated in full, kept on disk and answered with every step. *Live
games*: so many at once for a few seconds, each at 60 ticks a second; the gaps between frames
as they arrive.

Clients and server share the machine, so this is what one machine gives to people around it.
Results are printed and written to benchmarks/results/. Run it with
`python benchmarks/player.py`, on a machine that does nothing else.
"""

from __future__ import annotations

import argparse
import asyncio
import csv
import json
import os
import platform
import resource
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import httpx2
import numpy as np
import websockets
from rich.console import Console
from rich.table import Table

TASK = "00002:017"
GAME = "seesaw"  # lasts the whole 15 seconds if nobody clicks
STARTS = 5
CLIENTS = (1, 8, 50)
GAMES = (1, 8, 32)

SERVER = """
import sys
from topple.player.server import open_socket, serve
from topple.player.settings import Rate, Settings
free = Rate(1e9, 10**9)
settings = Settings(sys.argv[1], calls=free, heavy=free, live_games_per_address=64)
serve(settings, open_socket("127.0.0.1", int(sys.argv[2])), lambda: None)
"""


class Row(NamedTuple):
    """One line of the results."""

    what: str
    clients: int
    per_second: float
    median_ms: float
    p95_ms: float
    p99_ms: float
    measured: int


def row(what: str, clients: int, seconds: list[float], elapsed: float) -> Row:
    middle, late, latest = np.percentile(np.array(seconds) * 1000, [50, 95, 99])
    return Row(what, clients, len(seconds) / elapsed, middle, late, latest, len(seconds))


@contextmanager
def server(folder: Path) -> Iterator[str]:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    url = f"sqlite:///{folder / 'player.sqlite'}"
    process = subprocess.Popen([sys.executable, "-c", SERVER, url, str(port)])
    address = f"127.0.0.1:{port}"
    try:
        while True:
            try:
                httpx2.get(f"http://{address}/api/health")
                break
            except httpx2.TransportError:
                time.sleep(0.01)
        yield address
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait()


def starts(folder: Path) -> list[Row]:
    clock, processor = [], []
    for _ in range(STARTS + 1):
        begun, spent = time.perf_counter(), _processor_time()
        with server(folder) as address:
            answer = httpx2.get(f"http://{address}/api/phyre/templates")
            assert len(answer.json()) == 50
            clock.append(time.perf_counter() - begun)
        processor.append(_processor_time() - spent)
    return [
        row("start to gallery", 1, clock[1:], sum(clock[1:])),
        row("the same, processor time", 1, processor[1:], sum(processor[1:])),
    ]


def _processor_time() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


async def calls(
    what: str, clients: int, seconds: float, call: Callable[[], Awaitable[httpx2.Response]]
) -> Row:
    taken: list[float] = []
    begun = time.perf_counter()

    async def client() -> None:
        while time.perf_counter() - begun < seconds:
            start = time.perf_counter()
            answer = await call()
            assert answer.status_code == 200, answer.text
            taken.append(time.perf_counter() - start)

    await asyncio.gather(*(client() for _ in range(clients)))
    return row(what, clients, taken, time.perf_counter() - begun)


async def live(address: str, games: int, seconds: float) -> Row:
    gaps: list[float] = []
    begun = time.perf_counter()

    async def game() -> None:
        async with httpx2.AsyncClient(base_url=f"http://{address}") as client:
            key = (await client.post("/api/players")).json()["key"]
        url = f"ws://{address}/api/iphyre/games/{GAME}/live?player={key}"
        async with websockets.connect(url) as connection:
            await connection.send('{"type": "start"}')
            first = last = None
            async for text in connection:
                if json.loads(text)["type"] != "frame":
                    continue
                now = time.perf_counter()
                if first is None or last is None:
                    first = now
                else:
                    gaps.append(now - last)
                last = now
                if now - first > seconds:
                    return

    await asyncio.gather(*(game() for _ in range(games)))
    found = row("live game, gap between frames", games, gaps, time.perf_counter() - begun)
    return found._replace(per_second=len(gaps) / sum(gaps))  # ticks a second of one game


async def load(address: str, seconds: float) -> list[Row]:
    rows = []
    limits = httpx2.Limits(max_connections=max(CLIENTS))
    async with httpx2.AsyncClient(
        base_url=f"http://{address}", limits=limits, timeout=60
    ) as client:
        key = (await client.post("/api/players")).json()["key"]
        headers = {"X-Player": key}
        action = {"action": [0.4, 0.8, 0.3]}
        kinds: dict[str, Callable[[], Awaitable[httpx2.Response]]] = {
            "gallery of 50 templates": lambda: client.get("/api/phyre/templates"),
            "thumbnail": lambda: client.get(f"/api/phyre/tasks/{TASK}/thumbnail.png"),
            "check of an action": lambda: client.post(
                f"/api/phyre/tasks/{TASK}/validate", json=action
            ),
            "attempt, simulated and kept": lambda: client.post(
                f"/api/phyre/tasks/{TASK}/attempts", json=action, headers=headers
            ),
        }
        for what, call in kinds.items():
            for clients in CLIENTS:
                rows.append(await calls(what, clients, seconds, call))
    for games in GAMES:
        rows.append(await live(address, games, 2 * seconds))
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--seconds", type=float, default=4.0, help="of each measurement")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        rows = starts(Path(folder))
        with server(Path(folder)) as address:
            rows += asyncio.run(load(address, options.seconds))
    table = Table("what", "at once", "per second", "median ms", "95 %", "99 %", "measured")
    for entry in rows:
        numbers = [f"{value:,.1f}" for value in entry[2:6]]
        table.add_row(entry.what, str(entry.clients), *numbers, str(entry.measured))
    console = Console()
    console.print(f"{platform.processor() or platform.machine()}, {os.cpu_count()} cores")
    console.print(table)
    results = Path(__file__).parent / "results" / "player.csv"
    results.parent.mkdir(exist_ok=True)
    with results.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(Row._fields)
        for entry in rows:
            writer.writerow([*entry[:2], *(f"{value:.2f}" for value in entry[2:6]), entry.measured])


if __name__ == "__main__":
    main()
