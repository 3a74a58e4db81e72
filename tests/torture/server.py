"""A real player server and clients that mean it harm."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2
import numpy as np
import schemathesis
import websockets
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis.errors import Unsatisfiable
from schemathesis import GenerationMode
from schemathesis.core.result import Ok
from websockets.sync.client import connect

from torture.rounds import Round, damaged

TASK, GAME = "00002:017", "support"
WAIT = 60.0  # seconds that an answer may take
MOST_MEMORY = 640 * 2**10  # KiB that a server may ever take: an MP4 at full size takes 460 MiB
BUSY = 503  # the one server error that a client may provoke
SERVER = """
import sys
from pathlib import Path
from topple.player.server import open_socket, serve
from topple.player.settings import Rate, Settings
free = Rate(1e9, 10**9)
runs = tuple(map(Path, sys.argv[2:]))
settings = Settings(sys.argv[1], runs, calls=free, heavy=free)
listener = open_socket("127.0.0.1", 0)
print(listener.getsockname()[1], flush=True)
serve(settings, listener, lambda: print("ready", flush=True))
"""


@dataclass(frozen=True)
class Running:
    """A server in a process of its own."""

    process: subprocess.Popen[str]
    port: int
    log: Path

    @property
    def address(self) -> str:
        """Where it is called."""
        return f"http://127.0.0.1:{self.port}"

    def check(self) -> None:
        """It still answers, has logged no error, and its memory is bounded."""
        assert httpx2.get(f"{self.address}/api/health", timeout=WAIT).status_code == 200
        said = self.log.read_text(errors="replace")
        assert "Traceback" not in said, said[-3000:]
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        (peak,) = [int(line.split()[1]) for line in status.splitlines() if "VmHWM" in line]
        assert peak < MOST_MEMORY, f"the server took {peak} KiB"


@contextmanager
def running_server(folder: Path, *runs: Path) -> Iterator[Running]:
    """A server without rate limits on a database in a folder."""
    command = [sys.executable, "-c", SERVER, f"sqlite:///{folder / 'player.sqlite'}"]
    log = folder / "server.log"
    with (
        log.open("w") as errors,
        subprocess.Popen(
            [*command, *map(str, runs)], stdout=subprocess.PIPE, stderr=errors, text=True
        ) as process,
    ):
        assert process.stdout is not None
        try:
            port = process.stdout.readline()
            assert process.stdout.readline() == "ready\n", log.read_text()
            yield Running(process, int(port), log)
        finally:
            process.terminate()
            process.wait(WAIT)


# What the OpenAPI document allows and forbids


def known_places(client: Any, player: dict[str, str]) -> dict[str, str]:
    """Ids of things that are there, so that allowed calls get far."""
    blank = client.get("/api/puzzles/blank", params={"benchmark": "iphyre"}).json()
    study = {"name": "fuzz", "benchmark": "iphyre", "pools": ["basic"]}
    return {
        "task": TASK,
        "template": "00002",
        "game": GAME,
        "puzzle": client.post("/api/puzzles", json=blank, headers=player).json()["id"],
        "study": client.post("/api/studies", json=study).json()["id"],
        "participant": "P-ABCDEF",
        "run": "0123456789abcdef",
        "subject": GAME,
        "kind": "gif",
    }


def call_operations(
    client: Any,
    document: dict[str, Any],
    player: dict[str, str],
    examples: int,
    number: int,
    chosen: Callable[[str], bool] = lambda _path: True,
) -> Counter[str]:
    """Call operations with what their document allows and forbids: no surprise, no server error.

    Args:
        client: anything with the methods of an HTTPX client.
        document: the OpenAPI document of the server.
        player: the header of a player.
        examples: of each operation, allowed and forbidden ones.
        number: seed of the examples.
        chosen: tells from a path whether to call its operations.
    """
    places = known_places(client, player)
    seen: Counter[str] = Counter()
    for found in schemathesis.openapi.from_dict(document).get_all_operations():
        assert isinstance(found, Ok)
        operation = found.ok()
        if not chosen(operation.path):
            continue
        documented = set(operation.definition.raw["responses"])

        def call(case: Any, documented: set[str] = documented) -> None:
            request = case.as_transport_kwargs(base_url=str(client.base_url).rstrip("/"))
            request["headers"].pop("Connection", None)
            client.cookies.clear()  # a browser in which somebody takes part is refused most calls
            answer = client.request(
                request["method"],
                request["url"],
                params=request.get("params"),
                headers=request["headers"],
                content=request.get("data"),
                json=request.get("json"),
            )
            assert str(answer.status_code) in documented, (request, answer.text)
            assert answer.status_code < 500, (request, answer.text)
            if answer.status_code >= 400:
                assert set(answer.json()) == {"detail", "field"}
            seen[f"{answer.status_code // 100}xx"] += 1

        names = [
            p["name"] for p in operation.definition.raw.get("parameters", ()) if p["in"] == "path"
        ]
        allowed: dict[str, Any] = {"headers": player}
        if names:
            allowed["path_parameters"] = {name: places[name] for name in names}
        if operation.path.endswith("/solvability"):
            allowed["body"] = {"seconds": 0.05}
        _each_example(
            operation.as_strategy(GenerationMode.POSITIVE, **allowed), call, examples, number
        )
        _each_example(operation.as_strategy(GenerationMode.NEGATIVE), call, examples, number)
    client.delete(f"/api/puzzles/{places['puzzle']}", headers=player)  # a player has a few hundred
    return seen


def _each_example(strategy: Any, call: Callable[[Any], None], examples: int, number: int) -> None:
    """Try some examples; there may be none, such as forbidden ones where all is allowed."""
    quick = settings(
        max_examples=examples,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
        deadline=None,
        database=None,
    )
    with suppress(Unsatisfiable):
        seed(number)(quick(given(case=strategy)(lambda case: call(case))))()


@contextmanager
def requests(counts: Counter[str], folder: Path) -> Iterator[Round]:
    """Requests made from the OpenAPI document, allowed and forbidden ones."""
    with (
        running_server(folder) as server,
        httpx2.Client(base_url=server.address, timeout=WAIT) as client,
    ):
        document = client.get("/openapi.json").json()
        paths = sorted(document["paths"])
        player = {"X-Player": client.post("/api/players").json()["key"]}

        def once(rng: np.random.Generator) -> None:
            path = paths[int(rng.integers(len(paths)))]
            number = int(rng.integers(2**32))
            seen = call_operations(client, document, player, 10, number, lambda p: p == path)
            counts["requests made from the OpenAPI document"] += seen.total()
            server.check()

        yield once


# Bytes that are no requests, and frames that are no messages


def _bodies(rng: np.random.Generator) -> bytes:
    deep = b"[" * 50_000
    plain = json.dumps({"action": [0.4, 0.8, 0.3], "stride": 1}).encode()
    texts = (
        *(deep, plain, b'{"action": [1e999, NaN, -0]}', b'{"name": "\\ud800"}', b"\xff" * 100),
        *(b'{"a":' * 20_000, b'"' + b"x" * 300_000 + b'"', b"{}", b"null", b"[]", b"1" * 5000),
    )
    body = texts[int(rng.integers(len(texts)))]
    return damaged(body, rng)[1] if rng.random() < 0.5 else body


def hostile_request(rng: np.random.Generator, key: str) -> bytes:
    """Bytes that look somewhat like a request."""
    methods = (b"GET", b"POST", b"PUT", b"DELETE", b"PATCH", b"OPTIONS", b"TRACE", b"G\x00T", b"")
    paths = (
        *(b"/api/puzzles", b"/api/players", b"/api/studies", b"/api/me", b"/api/health"),
        *(f"/api/phyre/tasks/{TASK}/attempts".encode(), b"/api/puzzles/check"),
        *(b"/../../../../etc/passwd", b"/%2e%2e/%2e%2e/etc/passwd", b"/static/..%5c..%5cx"),
        *(b"/api/phyre/tasks/' OR 1=1 --/attempts", b"/" + b"a" * 70_000, b"*", b"http://evil/"),
        *(b"/api/puzzles?limit=-1&offset=99999999999999999999", b"/%00", b"/api/runs/\xff\xfe"),
    )
    body = _bodies(rng)
    length = int(rng.choice([len(body), 0, len(body) + 7, 2**40, 10, len(body)]))
    headers = [
        b"Host: 127.0.0.1",
        b"X-Player: " + key.encode(),
        b"Content-Type: application/json",
        b"Content-Length: %d" % length,
    ]
    odd = (
        *(b"Host: evil.example", b"Origin: http://evil.example", b"Transfer-Encoding: chunked"),
        *(b"Content-Length: -1", b"Content-Length: 1e3", b"X: " + b"y" * 70_000, b": nothing"),
        *(b"Expect: 100-continue", b"Range: bytes=0-,-1", b"Upgrade: websocket", b"\x00: \x01"),
        *(b"X-Forwarded-For: 1.2.3.4", b"Sec-Fetch-Site: cross-site", b"Accept-Encoding: gzip;q=x"),
        *(b"If-None-Match: " + b'"a",' * 500, b"Content-Type: \xff", b"X-Player: \xd8\x00"),
    )
    for k in rng.integers(len(odd), size=int(rng.integers(3))):
        headers.insert(int(rng.integers(len(headers) + 1)), odd[k])
    method = methods[int(rng.integers(len(methods)))]
    path = paths[int(rng.integers(len(paths)))]
    request = method + b" " + path + b" HTTP/1.1\r\n" + b"\r\n".join(headers) + b"\r\n\r\n" + body
    return damaged(request, rng)[1] if rng.random() < 0.25 else request


def send_bytes(port: int, request: bytes) -> int | None:
    """The status that bytes are answered with; None if the connection is just closed."""
    with socket.create_connection(("127.0.0.1", port), timeout=WAIT) as connection:
        with suppress(OSError):  # it has hung up already
            connection.sendall(request)
            connection.shutdown(socket.SHUT_WR)
        answer = b""
        with suppress(ConnectionResetError):
            while len(answer) < 2**20 and (part := connection.recv(2**16)):
                answer += part
    if not answer:
        return None
    assert answer.startswith(b"HTTP/1.1 "), answer[:200]
    return int(answer.split()[1])


def _messages(rng: np.random.Generator) -> Iterator[str | bytes]:
    texts = (
        *('{"type": "start"}', '{"type": "stop"}', '{"type": "click", "x": 300, "y": 400}'),
        *('{"type": "remove", "body": 0}', '{"type": "click", "x": 1e999, "y": NaN}'),
        *('{"type": "remove", "body": 99999999999999999999}', '{"type": "' + "x" * 9000 + '"}'),
        *(
            "[" * 4000,
            "null",
            '"\\ud800"',
            '{"type": ["start"]}',
            "",
            "\x00",
            '{"type": "nothing"}',
        ),
    )
    for _ in range(int(rng.integers(1, 12))):
        text = texts[int(rng.integers(len(texts)))]
        if rng.random() < 0.2:
            yield damaged(text.encode(), rng)[1]
        else:
            yield text


def hostile_connection(rng: np.random.Generator, server: Running, key: str) -> int:
    """Open a live game and send it anything; returns how many messages were sent."""
    address = f"ws://127.0.0.1:{server.port}/api/iphyre/games/{GAME}/live?player={key}"
    sent = 0
    with (
        # A refused or broken connection is what such a client deserves.
        suppress(websockets.WebSocketException, OSError, TimeoutError),
        connect(address, open_timeout=WAIT, close_timeout=1) as connection,
    ):
        for message in _messages(rng):
            connection.send(message)
            sent += 1
            if rng.random() < 0.3:
                connection.recv(timeout=WAIT)
        if rng.random() < 0.3:  # bytes that are no frame
            connection.socket.sendall(rng.bytes(200))
            sent += 1
        if rng.random() < 0.3:  # leaves without a word
            connection.socket.close()
    return sent


@contextmanager
def hostile(counts: Counter[str], folder: Path) -> Iterator[Round]:
    """Raw bytes and WebSocket frames."""
    with running_server(folder) as server:
        key = httpx2.post(f"{server.address}/api/players").json()["key"]

        def once(rng: np.random.Generator) -> None:
            for _ in range(20):
                request = hostile_request(rng, key)
                status = send_bytes(server.port, request)
                assert status is None or status < 500 or status == BUSY, (status, request[:2000])
                counts["hostile requests"] += 1
            for _ in range(4):
                counts["hostile messages and frames"] += hostile_connection(rng, server, key)
            time.sleep(0.05)
            server.check()

        yield once
