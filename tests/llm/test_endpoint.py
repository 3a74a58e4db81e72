"""The endpoint against a real HTTP server that behaves, misbehaves and dies."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping
from email.utils import formatdate
from typing import Any

import pytest

from support.chat_server import KEY, ChatServer, Fault, says, text_reply
from topple.llm.endpoint import Connection, Endpoint, EndpointError
from topple.llm.limits import WINDOW, RateLimit, StoppedError
from topple.llm.reply import Reply, Usage
from topple.llm.scripted.server import Response, failure

BODY = {"model": "random", "messages": [{"role": "user", "content": "hello"}]}


good = says("fine")


def ask(server: ChatServer, **words: Any) -> tuple[Reply, int]:
    connection = Connection(server.url, **{"first_wait": 0.01, "timeout": 5.0, **words})
    with Endpoint(connection) as endpoint:
        answered = endpoint.complete(BODY)
    return answered.reply, answered.requests


def test_a_good_answer_comes_with_its_tokens() -> None:
    with ChatServer(good) as server:
        reply, requests = ask(server, key=KEY)
    assert reply.choice().text == "fine"
    assert reply.usage is not None
    assert reply.usage.prompt > 0
    assert requests == 1
    assert server.headers[0]["Authorization"] == f"Bearer {KEY}"
    assert server.bodies == [BODY]


def test_without_a_key_none_is_sent() -> None:
    with ChatServer(good) as server:
        ask(server)
    assert "Authorization" not in server.headers[0]


def first(fault: Callable[[Mapping[str, Any]], Response], count: int = 2) -> Fault:
    """A fault that goes away after some requests."""
    return lambda number, body: fault(body) if number < count else good(number, body)


def reset(body: Mapping[str, Any]) -> Response:
    raise ConnectionResetError("the server died")


@pytest.mark.parametrize(
    "fault",
    [
        lambda body: failure(500, "boom"),
        lambda body: failure(503, "busy"),
        lambda body: failure(429, "slow down", {"Retry-After": "0.02"}),
        lambda body: Response(200, b"<html>a proxy</html>"),
        lambda body: Response(200, b'{"choices": []}'),
        lambda body: Response(200, b"[" * 100_000),
        reset,
    ],
    ids=["500", "503", "429", "html", "empty", "deep", "reset"],
)
def test_what_may_pass_is_tried_again(fault: Callable[[Mapping[str, Any]], Response]) -> None:
    with ChatServer(first(fault)) as server:
        reply, requests = ask(server)
    assert reply.choice().text == "fine"
    assert requests == 3 == server.requests


@pytest.mark.parametrize("status", [400, 401, 403, 404, 422, 302])
def test_what_will_not_pass_is_not_tried_again(status: int) -> None:
    with (
        ChatServer(lambda number, body: failure(status, "that was wrong")) as server,
        pytest.raises(EndpointError, match=f"status {status}: that was wrong"),
    ):
        ask(server)
    assert server.requests == 1


def test_a_server_that_does_not_get_well_is_given_up() -> None:
    with (
        ChatServer(lambda number, body: failure(500, "boom")) as server,
        pytest.raises(EndpointError, match=r"boom; gave up after 3 requests.* goes on from here"),
    ):
        ask(server, retries=2)
    assert server.requests == 3


def test_a_dead_server_is_given_up() -> None:
    with ChatServer() as server:
        url = server.url
    with (
        Endpoint(Connection(url, retries=1, first_wait=0.01)) as endpoint,
        pytest.raises(EndpointError, match="gave up after 2 requests"),
    ):
        endpoint.complete(BODY)


def test_retry_after_is_heeded() -> None:
    fault = first(lambda body: failure(429, "wait", {"Retry-After": "0.6"}), count=1)
    with ChatServer(fault) as server:
        started = time.monotonic()
        ask(server)
    assert 0.6 <= time.monotonic() - started < 3


@pytest.mark.parametrize("as_date", [False, True])
def test_too_long_a_wait_ends_the_run(as_date: bool) -> None:
    value = formatdate(time.time() + 7200, usegmt=True) if as_date else "7200"
    with (
        ChatServer(lambda number, body: failure(429, "quota", {"Retry-After": value})) as server,
        pytest.raises(
            EndpointError, match=r"quota, and asks to wait 7\d\d\d s; run it again later"
        ),
    ):
        ask(server)
    assert server.requests == 1


def test_a_slow_server_times_out() -> None:
    def slow(number: int, body: Mapping[str, Any]) -> Response | None:
        time.sleep(1.0 if number == 0 else 0)
        return good(number, body)

    with ChatServer(slow) as server:
        reply, requests = ask(server, timeout=0.3)
    assert reply.choice().text == "fine"
    assert requests == 2


def test_a_huge_response_is_cut_off() -> None:
    with ChatServer(says("x" * 300_000)) as server:
        reply, requests = ask(server, max_bytes=100_000)
    assert reply == Reply((), None, "the response is longer than 100000 bytes")
    assert requests == 1


def test_the_key_shows_nowhere() -> None:
    escaped = "".join(f"\\u{ord(letter):04x}" for letter in KEY)

    def fault(number: int, body: Mapping[str, Any]) -> Response:
        answer = text_reply(body, f"your key is {KEY}").body.replace(KEY.encode(), escaped.encode())
        return Response(200, answer)

    connection = Connection("http://127.0.0.1:1", KEY)
    assert KEY not in repr(connection)
    with Endpoint(connection) as endpoint:
        assert KEY not in repr(endpoint)
    with ChatServer(fault) as server:
        assert ask(server, key=KEY)[0].choice().text == "your key is [key]"
    told = failure(401, f"Incorrect API key provided: {KEY}")
    with (
        ChatServer(lambda number, body: told) as server,
        pytest.raises(EndpointError) as caught,
    ):
        ask(server, key=KEY)
    assert KEY not in str(caught.value)
    assert "provided: [key]" in str(caught.value)


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("ftp://host", "write it like"),
        ("127.0.0.1:80", "write it like"),
        ("http://", "write it like"),
        ("http://me:secret@127.0.0.1", "give a key by the environment"),
        ("http://127.0.0.1/v1?key=secret", "give a key by the environment"),
        ("http://10.0.0.1", "in the clear"),
        ("http://example.com", "in the clear"),
    ],
)
def test_bad_addresses_are_refused(url: str, message: str) -> None:
    with pytest.raises(ValueError, match=message) as caught:
        Connection(url, KEY)
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize("url", ["https://example.com/v1", "http://localhost:1", "http://[::1]:1"])
def test_good_addresses_are_taken(url: str) -> None:
    Connection(url, KEY)


@pytest.mark.parametrize(
    "words", [{"timeout": 0}, {"retries": -1}, {"concurrency": 0}, {"requests_per_minute": 0}]
)
def test_bad_limits_are_refused(words: dict[str, int]) -> None:
    with pytest.raises(ValueError, match=r"has to be|allow at least 1"):
        Connection("http://127.0.0.1", **words)  # type: ignore[arg-type]


class Clock:
    """Time that passes only when somebody rests."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


class Rested(RateLimit):
    """A limit whose waiting costs no time."""

    def __init__(self, clock: Clock, **words: Any) -> None:
        super().__init__(**words, clock=clock)
        self.passing = clock

    def rest(self, seconds: float) -> None:
        super().rest(0)
        self.passing.now += max(seconds, 1e-6)


@pytest.mark.parametrize("words", [{"requests": 5}, {"tokens": 500}])
def test_no_minute_has_more_than_allowed(words: dict[str, int]) -> None:
    clock = Clock()
    limit = Rested(clock, **words)
    times = []
    for _ in range(23):
        limit.acquire(100)
        times.append(clock.now)
        clock.now += 0.5
    for start in times:
        assert sum(start <= time < start + WINDOW for time in times) <= 5
    assert times[-1] - times[0] < 5 * WINDOW


def test_counted_tokens_replace_the_guess() -> None:
    clock = Clock()
    limit = Rested(clock, tokens=1000)
    limit.settle(limit.acquire(900), 10)
    limit.acquire(900)
    assert clock.now == 1000.0
    limit.acquire(900)
    assert clock.now > 1000.0


def test_one_that_is_too_large_goes_alone() -> None:
    clock = Clock()
    limit = Rested(clock, tokens=100)
    limit.acquire(5000)
    limit.acquire(5000)
    assert clock.now == pytest.approx(1000.0 + WINDOW)


def test_a_stopped_limit_turns_everybody_away() -> None:
    limit = RateLimit(requests=1)
    limit.acquire(1)
    limit.stop()
    with pytest.raises(StoppedError):
        limit.acquire(1)


def test_replies_survive_json() -> None:
    with ChatServer(lambda number, body: text_reply(body, "one", "two")) as server:
        reply = ask(server)[0]
    assert len(reply.choices) == 2
    assert Reply.from_data(json.loads(json.dumps(reply.to_data()))) == reply
    assert isinstance(reply.usage, Usage)
