"""The real thing: `topple play` as a process, over sockets, killed and started again."""

from __future__ import annotations

import asyncio
import json
import os
import resource
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Coroutine, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, TypeVar

import httpx2
import pytest
import websockets

from support.command_line import topple_mistake
from support.lesson import free_port
from support.player_client import plan_of
from topple.iphyre import game_named, play
from topple.player.settings import MAX_MESSAGE

COMMAND = [sys.executable, "-c", "from topple.cli.main import main; main()", "play", "--no-browser"]
# From the command to the gallery, at most so many times what importing its libraries costs.
WARM_START = 2.3
LIBRARIES = "import fastapi, sqlalchemy.orm, uvicorn, numpy, typer, rich, PIL.Image, websockets"


Result = TypeVar("Result")


def run_apart(work: Coroutine[Any, Any, Result]) -> Result:
    """Run a coroutine in a thread of its own: Playwright keeps a loop in this one."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, work).result()


class Server:
    """A server in a process of its own."""

    def __init__(self, folder: Path, *arguments: str) -> None:
        port = free_port()
        self.http = f"http://127.0.0.1:{port}"
        self.ws = f"ws://127.0.0.1:{port}"
        started = time.monotonic()
        self.process = subprocess.Popen(
            [*COMMAND, "--port", port, *arguments],
            env={**os.environ, "TOPPLE_DATA": str(folder), "TOPPLE_RUNS": str(folder / "none")},
            stderr=subprocess.PIPE,
            text=True,
        )
        while True:
            try:
                httpx2.get(f"{self.http}/api/health")
                return
            except httpx2.TransportError:
                assert self.process.poll() is None, self.process.stderr
                assert time.monotonic() - started < 60
                time.sleep(0.02)

    def stop(self, number: int) -> int:
        self.process.send_signal(number)
        code = self.process.wait(20)
        assert self.process.stderr is not None
        self.said = self.process.stderr.read()
        self.process.stderr.close()
        return code


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """One for all tests that leave it running."""
    server = Server(tmp_path_factory.mktemp("shared"))
    yield server
    server.stop(signal.SIGKILL)


@pytest.fixture
def own_server(tmp_path: Path) -> Iterator[Server]:
    """One to be stopped."""
    server = Server(tmp_path)
    yield server
    if server.process.poll() is None:
        server.stop(signal.SIGKILL)


def new_player(server: Server) -> str:
    key: str = httpx2.post(f"{server.http}/api/players").json()["key"]
    return key


async def play_live(server: Server, key: str, game: str) -> tuple[dict[str, Any], float]:
    """Remove every gray block at once; gives how it ended and how long it took."""
    url = f"{server.ws}/api/iphyre/games/{game}/live?player={key}"
    async with websockets.connect(url) as connection:
        begun = time.monotonic()
        await connection.send('{"type": "start"}')
        for body in game_named(game).eliminable:
            await connection.send(json.dumps({"type": "remove", "body": body}))
        async for text in connection:
            message: dict[str, Any] = json.loads(text)
            if message["type"] == "ended":
                return message["attempt"], time.monotonic() - begun
    raise AssertionError("the game did not end")


def test_two_people_play_at_once_in_real_time(server: Server) -> None:
    async def both() -> list[tuple[dict[str, Any], float]]:
        keys = [new_player(server) for _ in range(2)]
        plays = (play_live(server, key, "support") for key in keys)
        return await asyncio.gather(*plays)

    for attempt, seconds in run_apart(both()):
        score = play(game_named("support"), plan_of(attempt))
        assert (attempt["solved"], attempt["reward"]) == (True, score.reward)
        # Sixty ticks a second and no faster; a busy machine may be slower.
        assert score.ticks / 60 - 0.3 < seconds < score.ticks / 60 + 20.0


def test_nothing_is_lost_when_the_server_is_killed(tmp_path: Path, own_server: Server) -> None:
    server = own_server
    key = new_player(server)
    headers = {"X-Player": key}
    action = {"action": [0.4, 0.8, 0.3]}
    path = f"{server.http}/api/phyre/tasks/00002:017/attempts"
    assert httpx2.post(path, json=action, headers=headers).status_code == 200

    async def start_and_kill() -> None:
        url = f"{server.ws}/api/iphyre/games/support/live?player={key}"
        async with websockets.connect(url) as connection:
            await connection.send('{"type": "start"}')
            await connection.send('{"type": "remove", "body": 0}')
            async for text in connection:
                message = json.loads(text)
                if message["type"] == "frame" and message["removed"]:
                    server.process.kill()
                    return

    run_apart(start_and_kill())
    server.stop(signal.SIGKILL)

    again = Server(tmp_path)
    try:
        past = httpx2.get(
            f"{again.http}/api/phyre/tasks/00002:017/attempts", headers=headers
        ).json()
        assert [row["action"] for row in past] == [action["action"]]
        game = httpx2.get(f"{again.http}/api/iphyre/games/support", headers=headers).json()
        [attempt] = game["attempts"]
        assert attempt["abandoned"]
        assert [row["body"] for row in attempt["plan"]] == [0]
        assert attempt["reward"] == play(game_named("support"), plan_of(attempt)).reward
        assert game["progress"]["attempts"] == 1
    finally:
        again.stop(signal.SIGKILL)


def test_a_message_that_is_too_large_closes_the_connection(server: Server) -> None:
    async def send() -> int | None:
        url = f"{server.ws}/api/iphyre/games/support/live?player={new_player(server)}"
        async with websockets.connect(url) as connection:
            await connection.recv()
            await connection.send("x" * (MAX_MESSAGE + 1))
            try:
                while True:
                    await connection.recv()
            except websockets.ConnectionClosed as closed:
                return closed.rcvd.code if closed.rcvd else None

    assert run_apart(send()) == 1009
    assert httpx2.get(f"{server.http}/api/health").status_code == 200


def test_other_sites_cannot_open_a_live_game(server: Server) -> None:
    async def knock(origin: str) -> None:
        url = f"{server.ws}/api/iphyre/games/support/live?player={new_player(server)}"
        async with websockets.connect(url, origin=websockets.Origin(origin)) as connection:
            await connection.recv()

    run_apart(knock(server.http))
    with pytest.raises(websockets.InvalidStatus):
        run_apart(knock("https://evil.example"))


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_stops_it_cleanly(own_server: Server, number: int) -> None:
    server = own_server
    server.stop(number)
    address, *rest = server.said.splitlines()
    assert address.startswith(f"{server.http}/")
    assert "Traceback" not in server.said
    if number == signal.SIGINT:
        assert rest == ["stopped"]


def test_a_warm_start_shows_the_gallery_soon(tmp_path: Path) -> None:
    # Time of the processor, which a busy machine stretches less than the clock, and as a ratio,
    # because machines differ.
    def processor_time() -> float:
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        return used.ru_utime + used.ru_stime

    ratios = []
    for _ in range(3):  # the first one warms up
        before = processor_time()
        subprocess.run([sys.executable, "-c", LIBRARIES], check=True)
        libraries = processor_time() - before
        server = Server(tmp_path)
        with httpx2.Client(base_url=server.http) as client:
            cards = client.get("/api/phyre/templates").json()
            assert client.get("/").status_code == 200
            games = client.get("/api/iphyre/games").json()
        server.stop(signal.SIGTERM)
        ratios.append((processor_time() - before - libraries) / libraries)
        assert (len(cards), len(games)) == (50, 50)
    assert min(ratios[1:]) < WARM_START, ratios


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--database", "nonsense"], "not an SQLAlchemy URL"),
        (["--runs", "no/such/folder"], "no/such/folder"),
        (["--host", "no such host"], "not an address of this machine"),
        (["--study", "../x"], "no study id"),
    ],
)
def test_a_start_that_fails_says_why(
    arguments: list[str], words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TOPPLE_DATA", str(tmp_path))
    assert words in topple_mistake("play", "--no-browser", *arguments)


@pytest.mark.parametrize("words", ["play --no-browser", "llm-server"])
def test_a_port_that_is_taken_is_named(
    words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TOPPLE_DATA", str(tmp_path))
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        said = topple_mistake(*words.split(), "--port", port)
    assert f"port {port}: Address already in use; choose another --port" in said


def test_a_forwarded_address_is_not_believed_without_a_named_proxy(server: Server) -> None:
    with httpx2.Client(base_url=server.http) as client:
        codes = {
            client.get(
                "/api/owner", params={"key": "x"}, headers={"X-Forwarded-For": f"203.0.113.{k}"}
            ).status_code
            for k in range(200)
        }
    assert 429 in codes
