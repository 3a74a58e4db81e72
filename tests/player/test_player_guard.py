"""Who may call, how often, and how much at once."""

from __future__ import annotations

import threading
import time

import pytest
from fastapi.testclient import TestClient
from starlette.websockets import WebSocketDisconnect

from support.player_client import MakeClient
from topple.player.errors import BusyError
from topple.player.limits import MAX_CLIENTS, Bucket, Buckets, ConcurrencyLimit
from topple.player.middleware import host_name
from topple.player.settings import MAX_BODY, Rate

HERE = "http://127.0.0.1:8765"
LIVE = "ws://127.0.0.1:8765/api/iphyre/games/support/live"


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1.evil.example", "", "[", "10.0.0.1"])
def test_other_names_are_refused(client: TestClient, host: str) -> None:
    for path in ("/", "/api/health", "/openapi.json"):
        assert client.get(path, headers={"Host": host}).status_code == 403
    with pytest.raises(WebSocketDisconnect), client.websocket_connect(LIVE, headers={"Host": host}):
        pass


@pytest.mark.parametrize("host", ["localhost:8765", "127.0.0.1", "[::1]:8765", "LOCALHOST"])
def test_own_names_are_answered(client: TestClient, host: str) -> None:
    assert client.get("/api/health", headers={"Host": host}).status_code == 200


def test_allowed_names_are_answered(make_client: MakeClient) -> None:
    client = make_client(hosts=frozenset({"lab.example"}))
    assert client.get("/api/health", headers={"Host": "lab.example:80"}).status_code == 200
    assert client.get("/api/health").status_code == 403


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "https://evil.example"},
        {"Origin": "null"},
        {"Origin": "http://127.0.0.1:9999"},
        {"Origin": "http://["},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site", "Origin": HERE},
        {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate"},
    ],
)
def test_pages_of_other_sites_cannot_change_anything(
    client: TestClient, headers: dict[str, str]
) -> None:
    assert client.post("/api/players", headers=headers).status_code == 403
    with pytest.raises(WebSocketDisconnect), client.websocket_connect(LIVE, headers=headers):
        pass


def test_the_own_page_and_programs_may(client: TestClient) -> None:
    for headers in ({}, {"Origin": HERE}, {"Origin": HERE, "Sec-Fetch-Site": "same-origin"}):
        assert client.post("/api/players", headers=headers).status_code == 200


def test_a_link_on_another_page_may_be_followed_but_nothing_embedded(client: TestClient) -> None:
    follow = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate"}
    assert client.get("/api/health", headers=follow).status_code == 200
    embed = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors"}
    assert client.get("/api/health", headers=embed).status_code == 403


def test_answers_carry_protecting_headers(client: TestClient) -> None:
    for path in ("/", "/api/health", "/api/nothing"):
        headers = client.get(path).headers
        assert "default-src 'none'" in headers["content-security-policy"]
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["referrer-policy"] == "no-referrer"


@pytest.mark.parametrize(
    "path",
    ["/..%2fapp.py", "/%2e%2e/app.py", "/..%2f..%2f..%2fpyproject.toml", "//etc/passwd", "/app.py"],
)
def test_only_the_pages_own_files_are_served(client: TestClient, path: str) -> None:
    assert client.get(path).status_code == 404


def test_large_bodies_are_refused_whatever_they_declare(
    client: TestClient, player: dict[str, str]
) -> None:
    big = b"x" * (MAX_BODY + 1)
    assert client.post("/api/puzzles/check", content=big).status_code == 413
    chunks = (b"x" * 1024 for _ in range(MAX_BODY // 1024 + 2))  # no Content-Length
    assert client.post("/api/puzzles/check", content=chunks).status_code == 413
    lie = {"Content-Length": "10 000"}
    assert client.post("/api/puzzles/check", content=b"{}", headers=lie).status_code == 413
    just = b" " * (MAX_BODY - 2) + b"{}"
    answer = client.post(
        "/api/puzzles/check", content=just, headers={"Content-Type": "application/json"}
    )
    assert answer.status_code == 422


@pytest.mark.parametrize("content", [b"", b"{", b"\xff\xfe", b"[]", b"null", b"[" * 5000, b"1e999"])
def test_malformed_bodies_are_explained(client: TestClient, content: bytes) -> None:
    answer = client.post(
        "/api/puzzles/check", content=content, headers={"Content-Type": "application/json"}
    )
    assert answer.status_code in (400, 422)
    assert answer.json()["detail"]


def test_calls_are_limited_by_client(make_client: MakeClient) -> None:
    client = make_client(calls=Rate(0.001, 5))
    codes = [client.get("/api/health").status_code for _ in range(7)]
    assert codes == [200] * 5 + [429] * 2
    answer = client.get("/api/health")
    assert int(answer.headers["retry-after"]) > 0
    assert "too many" in answer.json()["detail"]


def test_heavy_calls_are_limited_more(make_client: MakeClient) -> None:
    client = make_client(heavy=Rate(0.001, 2))
    path = "/api/replays/iphyre/support"
    assert [client.get(path).status_code for _ in range(3)] == [200, 200, 429]
    assert client.get("/api/health").status_code == 200


def test_a_bucket_fills_up_again() -> None:
    now = 0.0
    bucket = Bucket(Rate(2.0, 3), clock=lambda: now)
    assert [bucket.take() for _ in range(3)] == [0.0] * 3
    assert bucket.take() == 0.5
    now = 0.5
    assert bucket.take() == 0.0
    now = 100.0
    assert [bucket.take() > 0 for _ in range(4)] == [False] * 3 + [True]


def test_buckets_of_one_client_leave_others_alone_and_are_bounded() -> None:
    buckets = Buckets(Rate(0.001, 1))
    assert buckets.take("a") == 0.0
    assert buckets.take("a") > 0.0
    assert buckets.take("b") == 0.0
    for number in range(MAX_CLIENTS):
        buckets.take(str(number))
    assert buckets.take("a") == 0.0  # forgotten


def test_who_waits_has_a_turn_in_the_order_of_coming() -> None:
    limit = ConcurrencyLimit(1, 20, timeout=60.0)
    served: list[int] = []

    def work(number: int) -> None:
        with limit.slot():
            served.append(number)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(20)]
    with limit.slot():
        for count, thread in enumerate(threads, 1):
            thread.start()
            while len(limit._turns) < count:
                time.sleep(0.001)
    for thread in threads:
        thread.join()
    assert served == list(range(20))
    with limit.slot():  # and the slot is free again
        pass


@pytest.mark.parametrize(
    "limit", [ConcurrencyLimit(1, 0, timeout=60.0), ConcurrencyLimit(1, 5, timeout=0.01)]
)
def test_who_would_wait_too_long_is_refused(limit: ConcurrencyLimit) -> None:
    with limit.slot():
        second = limit.slot()
        with pytest.raises(BusyError, match="busy"):
            second.__enter__()
    with limit.slot():
        pass  # free again


@pytest.mark.parametrize(
    ("host", "name"),
    [("a:1", "a"), ("A", "a"), ("[::1]:80", "::1"), ("", ""), ("[", ""), ("a b", "a b")],
)
def test_host_names(host: str, name: str) -> None:
    assert host_name(host) == name
