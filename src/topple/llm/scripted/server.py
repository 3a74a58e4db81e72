"""A chat server on this machine whose models are functions."""

from __future__ import annotations

import json
import sys
import threading
from collections.abc import Callable, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple

Script = Callable[[Mapping[str, Any]], Any]  # from a request to the answer its form asks for

HOST = "127.0.0.1"
MAX_REQUEST = 64 << 20  # bytes
_CHARACTERS_PER_TOKEN = 4  # a made-up count, so that there is something to account for


class Response(NamedTuple):
    """What is sent back."""

    status: int
    body: bytes
    headers: Mapping[str, str] = {}


class _Http(ThreadingHTTPServer):
    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing of clients that hang up."""
        if not isinstance(sys.exc_info()[1], ConnectionError):
            super().handle_error(request, client_address)


class ScriptServer:
    """Serves scripted models on loopback, in a thread of its own.

    Args:
        scripts: by the name of the model.
        port: 0: any that is free.

    Attributes:
        requests: how many came.

    Raises:
        OSError: the port is taken.
    """

    def __init__(self, scripts: Mapping[str, Script], port: int = 0) -> None:
        self._scripts = dict(scripts)
        self._lock = threading.Lock()
        self.requests = 0
        try:
            self._http = _Http((HOST, port), self._handler())
        except OSError as error:
            reason = error.strerror or str(error)
            raise OSError(
                f"cannot serve at {HOST}, port {port}: {reason}; choose another --port"
            ) from None
        self._thread = threading.Thread(target=self._http.serve_forever, args=(0.05,), daemon=True)

    @property
    def url(self) -> str:
        """The base URL."""
        return f"http://{HOST}:{self._http.server_address[1]}"

    def __enter__(self) -> ScriptServer:
        self._thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._http.shutdown()
        self._http.server_close()

    def respond(self, body: Any, headers: Mapping[str, str]) -> Response:
        """The response to a request."""
        try:
            script = self._scripts[body["model"]]
        except (TypeError, KeyError):
            message = f"no such model; there are {', '.join(self._scripts)}"
            return failure(404, message)
        try:
            answers = [script({**body, "sample": k}) for k in range(int(body.get("n") or 1))]
        except Exception as error:  # a script may fail in any way, and the client should know
            return failure(500, f"the script failed: {type(error).__name__}: {error}")
        return completion(body, [_message(body, answer) for answer in answers])

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        server = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True

            def do_POST(self) -> None:
                with server._lock:
                    server.requests += 1
                length = int(self.headers.get("Content-Length") or 0)
                if length > MAX_REQUEST or not self.path.endswith("/chat/completions"):
                    self.close_connection = True
                    self._send(failure(404, "post a chat completion of a bounded length"))
                    return
                try:
                    body = json.loads(self.rfile.read(length))
                except ValueError:
                    self._send(failure(400, "the request is no JSON"))
                    return
                try:
                    self._send(server.respond(body, dict(self.headers)))
                except ConnectionError:
                    self.close_connection = True  # nobody waits for it any more

            def _send(self, response: Response) -> None:
                self.send_response(response.status)
                for name, value in response.headers.items():
                    self.send_header(name, value)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(response.body)))
                self.end_headers()
                self.wfile.write(response.body)

            def log_message(self, format: str, *args: object) -> None:
                """Keep quiet."""

        return Handler


def failure(status: int, message: str, headers: Mapping[str, str] | None = None) -> Response:
    """An error as chat servers send it."""
    return Response(status, json.dumps({"error": {"message": message}}).encode(), headers or {})


def completion(body: Mapping[str, Any], messages: list[dict[str, Any]]) -> Response:
    """A chat completion."""
    prompt = len(json.dumps(body["messages"])) // _CHARACTERS_PER_TOKEN
    written = sum(len(json.dumps(message)) for message in messages) // _CHARACTERS_PER_TOKEN
    content = {
        "object": "chat.completion",
        "model": body["model"],
        "choices": [
            {"index": k, "message": {"role": "assistant", **message}, "finish_reason": "stop"}
            for k, message in enumerate(messages)
        ],
        "usage": {
            "prompt_tokens": prompt,
            "completion_tokens": written,
            "total_tokens": prompt + written,
        },
    }
    return Response(200, json.dumps(content).encode())


def _message(body: Mapping[str, Any], answer: Any) -> dict[str, Any]:
    """An answer as text, or as a call of `propose` where tools are on offer."""
    text = json.dumps(answer)
    if not body.get("tools"):
        return {"content": text}
    call = {"id": "call_0", "type": "function", "function": {"name": "propose", "arguments": text}}
    return {"content": None, "tool_calls": [call]}
