"""An OpenAI-compatible chat endpoint over HTTP.

The key is read from the environment, sent in one header, and nowhere else: not in a repr,
not in an error, and it is struck out of what the server says before anybody sees that.
"""

from __future__ import annotations

import email.utils
import ipaddress
import json
import random
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from topple.llm.limits import RateLimit
from topple.llm.reply import Reply, ReplyError, parse_reply

try:
    import httpx
except ImportError:
    raise ImportError("model endpoints need httpx: pip install 'topple[llm]'") from None

MAX_BYTES = 4 << 20  # maximum size of a response; longer ones are cut off and cannot be used
LONGEST_WAIT = 300.0  # s a server may ask to wait; more ends the run, which can be resumed later
FIRST_WAIT = 1.0  # s before the first retry, doubled for each further one
_QUOTED = 300  # characters of a server's message in an error
_BYTES_PER_TOKEN = 4  # to guess a request's tokens before the server has counted them
# Not compressed: a small response could unpack to a huge one.
_HEADERS = {"Content-Type": "application/json", "Accept-Encoding": "identity"}
_TRANSIENT = {408, 409, 425, 429, 500, 502, 503, 504, 529}


class EndpointError(OSError):
    """The endpoint cannot be used; the message says why, without the key."""


class Answered(NamedTuple):
    """A reply with its cost in time and requests."""

    reply: Reply
    seconds: float  # from the first request to the last byte, waits included
    requests: int  # requests sent, retries included


@dataclass(frozen=True)
class Connection:
    """How a model is reached. Nothing here changes what is asked.

    Attributes:
        base_url: URL such as ``https://host/v1``; ``/v1`` is added if it has no path.
        key: API key, sent as a bearer token; "": none.
        timeout: seconds for one answer, from the request to its last byte.
        retries: number of times to repeat a request that failed temporarily.
        concurrency: number of tasks or games worked on concurrently.
        requests_per_minute: maximum number of requests per minute.
        tokens_per_minute: maximum number of tokens per minute.
        max_bytes: maximum size of a response.
        first_wait: seconds before the first retry.
    """

    base_url: str
    key: str = field(default="", repr=False)
    timeout: float = 120.0
    retries: int = 5
    concurrency: int = 1
    requests_per_minute: int | None = None
    tokens_per_minute: int | None = None
    max_bytes: int = MAX_BYTES
    first_wait: float = FIRST_WAIT

    def __post_init__(self) -> None:
        if not 0 < self.timeout <= 3600:
            raise ValueError(f"timeout is {self.timeout} s; it has to be above 0 and at most 3600")
        if not 0 <= self.retries <= 20:
            raise ValueError(f"retries is {self.retries}; it has to be 0 to 20")
        if not 1 <= self.concurrency <= 256:
            raise ValueError(f"concurrency is {self.concurrency}; it has to be 1 to 256")
        if self.key and not self.key.isascii():
            raise ValueError("the key has letters no header can carry; check its variable")
        chat_url(self.base_url, bool(self.key))
        RateLimit(self.requests_per_minute, self.tokens_per_minute)


def chat_url(base_url: str, keyed: bool) -> httpx.URL:
    """Where completions are asked for.

    Raises:
        ValueError: it is no web address, holds a password, or would send a key in the clear.
    """
    try:
        url = httpx.URL(base_url)
    except httpx.InvalidURL:
        raise ValueError("the base URL is none; write it like http://127.0.0.1:8000") from None
    if url.userinfo or url.query or url.fragment:
        raise ValueError(
            "the base URL holds a user, a query or a fragment; give a key by the environment"
        )
    if url.scheme not in ("http", "https") or not url.host:
        raise ValueError(f"base URL {base_url!r}: write it like http://127.0.0.1:8000")
    if keyed and url.scheme == "http" and not is_loopback(url.host):
        raise ValueError(
            f"base URL {base_url!r} would send the key in the clear; use https, or unset the key"
        )
    path = url.path.rstrip("/") or "/v1"
    return url.copy_with(path=f"{path}/chat/completions")


def is_loopback(host: str) -> bool:
    """Whether a host is this machine."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


class Endpoint:
    """Sends chat requests within rate limits, and repeats those that fail temporarily.

    Threads may share one. Close it, or use it in a ``with`` statement.
    """

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._url = chat_url(connection.base_url, bool(connection.key))
        self.limit = RateLimit(connection.requests_per_minute, connection.tokens_per_minute)
        headers = {"Authorization": f"Bearer {connection.key}"} if connection.key else {}
        self._client = httpx.Client(
            headers=headers,
            timeout=connection.timeout,
            follow_redirects=False,  # a redirect could carry the key elsewhere
            trust_env=not is_loopback(self._url.host),  # proxies are for what is not here
            limits=httpx.Limits(max_connections=connection.concurrency),
        )

    def __repr__(self) -> str:
        return f"Endpoint({str(self._url)!r})"

    def __enter__(self) -> Endpoint:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the connection; waiting requests are cancelled."""
        self.limit.stop()
        self._client.close()

    def complete(self, body: Mapping[str, Any], key: str = "") -> Answered:
        """Send a request, and send it again while the failure may be temporary.

        Args:
            body: the request.
            key: idempotency key, the same whenever this request is sent; "": none.

        Raises:
            EndpointError: the server refuses the request, or does not get well.
            StoppedError: the run was stopped meanwhile.
        """
        content = json.dumps(body).encode()
        started = time.monotonic()
        for number in range(self._connection.retries + 1):
            try:
                reply = self._send(content, int(body.get("max_tokens") or 0), key)
                return Answered(reply, time.monotonic() - started, number + 1)
            except _PassingError as error:
                failure = error
            if number < self._connection.retries:
                self._pause(number, failure)
        raise EndpointError(
            f"{self._url.host}: {failure}; gave up after {self._connection.retries + 1} requests. "
            "Answers are kept: the same command goes on from here"
        )

    def _pause(self, number: int, failure: _PassingError) -> None:
        wait = failure.wait
        if wait is None:
            wait = self._connection.first_wait * 2**number * random.uniform(0.5, 1.0)
        if wait > LONGEST_WAIT:
            raise EndpointError(
                f"{self._url.host}: {failure}, and asks to wait {wait:.0f} s; run it again later"
            )
        if failure.wait is not None:
            self.limit.hold(wait)  # the limit holds for all threads
        self.limit.rest(wait)

    def _send(self, content: bytes, answer: int, key: str) -> Reply:
        ticket = self.limit.acquire(len(content) // _BYTES_PER_TOKEN + answer)
        deadline = time.monotonic() + self._connection.timeout
        try:
            headers = {**_HEADERS, "Idempotency-Key": key} if key else _HEADERS
            with self._client.stream(
                "POST", self._url, content=content, headers=headers
            ) as response:
                text = self._read(response, deadline)
        except httpx.TimeoutException:
            raise _PassingError(f"no answer within {self._connection.timeout:g} s") from None
        except httpx.HTTPError as error:
            raise _PassingError(self._clean(str(error)) or type(error).__name__) from None
        if text is None:
            return Reply(
                (), None, f"the response is longer than {self._connection.max_bytes} bytes"
            )
        if response.status_code in _TRANSIENT:
            raise _PassingError(self._said(response, text), _retry_after(response))
        if response.status_code != httpx.codes.OK:
            raise EndpointError(f"{self._url.host}: {self._said(response, text)}")
        try:
            # Serialized again first, so that no escape sequence hides the key.
            body = self._clean(json.dumps(json.loads(text), ensure_ascii=False))
            reply = parse_reply(json.loads(body))
        except (ReplyError, ValueError, RecursionError) as error:
            raise _PassingError(f"the answer is no chat completion ({str(error)[:80]})") from None
        if reply.usage is not None:
            self.limit.settle(ticket, sum(reply.usage))
        return reply

    def _read(self, response: httpx.Response, deadline: float) -> str | None:
        """The body, or None if it is too long."""
        body = bytearray()
        for part in response.iter_bytes():
            body += part
            if len(body) > self._connection.max_bytes:
                return None
            if time.monotonic() > deadline:  # byte by byte, no single read times out
                raise httpx.ReadTimeout("the answer takes too long")
        return body.decode(errors="replace")

    def _said(self, response: httpx.Response, text: str) -> str:
        try:
            body = json.loads(text)
            text = body["error"]["message"]
        except (ValueError, KeyError, TypeError, RecursionError):
            pass
        words = " ".join(self._clean(str(text)).split())[:_QUOTED]
        return f"status {response.status_code}" + (f": {words}" if words else "")

    def _clean(self, text: str) -> str:
        key = self._connection.key
        return text.replace(key, "[key]") if key else text


class _PassingError(Exception):
    """A request failed temporarily."""

    def __init__(self, message: str, wait: float | None = None) -> None:
        super().__init__(message)
        self.wait = wait  # s, as the server asked


def _retry_after(response: httpx.Response) -> float | None:
    """Seconds a server asks to wait, from a number or a date."""
    text = response.headers.get("Retry-After", "")
    try:
        return max(0.0, float(text))
    except ValueError:
        pass
    try:
        return max(0.0, email.utils.parsedate_to_datetime(text).timestamp() - time.time())
    except (ValueError, TypeError):
        return None
