"""A static site of the player, and a host for it that can be cut off."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from topple.player.site import write_site
from topple.player.site_data import Content


class Host:
    """A static host of a folder.

    Attributes:
        address: of the folder, with a slash at its end.
        requests: paths that were asked for.
    """

    def __init__(self, folder: Path) -> None:
        requests: list[str] = []

        class Handler(SimpleHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_: object) -> None:
                requests.append(self.path)

        self.requests = requests
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Handler, directory=folder))
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)
        self._thread.start()
        self.address = f"http://127.0.0.1:{self._server.server_port}/"

    def cut(self) -> None:
        """Never answer again."""
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


@contextmanager
def hosted(folder: Path) -> Iterator[Host]:
    """A static host of a folder, until the end of a test."""
    host = Host(folder)
    try:
        yield host
    finally:
        host.cut()


def small_site(folder: Path, module: Path, runs: Path) -> None:
    """Write a site with a template of each tier and two games."""
    write_site(folder, module, Content(("00009", "00101"), ("support", "hole"), (runs,)))
