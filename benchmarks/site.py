"""How fast is the static site? Transfer, time to the first puzzle, and frames per second.

Protocol: `make site` first. A host on loopback serves build/site to Chromium with an empty cache,
once as it is and once compressing texts, as public hosts do; it counts the bytes that it sends,
headers included. *First puzzle*: the link to the first puzzle is opened, until a ball can be
placed and simulated; then the same from the first page on, where Play is pressed. *Slow network*:
the same with 1.6 Mbit/s and 150 ms, which Lighthouse calls slow 4G. *Frames*: those that the
browser shows in a second while an attempt is played back and while a live game runs, and the
ticks of the live game in its worker. *Offline*: what the service worker stores after the first
page, so that everything can be played without a network.

Results are printed and written to benchmarks/results/. Run it with `python benchmarks/site.py`,
on a machine that does nothing else.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import json
import platform
import shutil
import statistics
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import NamedTuple

from playwright.sync_api import Browser, Page, sync_playwright
from rich.console import Console
from rich.table import Table

TEXTS = (".html", ".js", ".css", ".json", ".svg", ".webmanifest")
SLOW = {"latency": 150, "downloadThroughput": 200_000, "uploadThroughput": 90_000}  # bytes/s
REPEATS = 3
SECONDS = 3  # of counting frames
PLAYABLE = "canvas.scene-view:not([aria-hidden])"
VIEWPORT = {"width": 1280, "height": 860}

# How many frames the browser shows in a second.
FRAMES = """(seconds) => new Promise((resolve) => {
    let frames = 0;
    const start = performance.now();
    const count = (now) => {
        frames += 1;
        if (now - start < 1000 * seconds) requestAnimationFrame(count);
        else resolve((1000 * frames) / (now - start));
    };
    requestAnimationFrame(count);
})"""
# How many ticks of a live game arrive in a second.
TICKS = """async ([game, seconds]) => {
    const { api } = await import("./api.js");
    const socket = await api.live(game);
    const times = [];
    await new Promise((resolve) => {
        socket.onmessage = ({ data }) => {
            const { type } = JSON.parse(data);
            if (type === "ready") socket.send(JSON.stringify({ type: "start" }));
            if (type === "frame") times.push(performance.now());
            if (times.length > 60 * seconds) resolve();
        };
    });
    socket.close();
    return (1000 * (times.length - 1)) / (times.at(-1) - times[0]);
}"""
# The first call that needs the engine.
READY = """async (task) => {
    const { api } = await import("./api.js");
    return api.post(`phyre/tasks/${task}/validate`, { action: [0.5, 0.9, 0.1] });
}"""


class Row(NamedTuple):
    """One line of the results."""

    what: str
    value: float
    unit: str


class Host:
    """A static host that counts what it sends."""

    def __init__(self, folder: Path, *, compress: bool) -> None:
        self.sent = 0
        host = self

        class Handler(SimpleHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                path = Path(self.translate_path(self.path))
                path = path / "index.html" if path.is_dir() else path
                if not path.is_file():
                    self.send_error(404)
                    return
                content = path.read_bytes()
                packed = compress and path.suffix in TEXTS
                content = gzip.compress(content, 6) if packed else content
                self.send_response(200)
                self.send_header("Content-Type", self.guess_type(path))
                self.send_header("Content-Length", str(len(content)))
                if packed:
                    self.send_header("Content-Encoding", "gzip")
                head = sum(map(len, getattr(self, "_headers_buffer", [])))
                self.end_headers()
                self.wfile.write(content)
                host.sent += head + len(content)

            def log_message(self, *_: object) -> None:
                """Say nothing."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Handler, directory=folder))
        self._server.daemon_threads = True
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        self.address = f"http://127.0.0.1:{self._server.server_port}/"

    def close(self) -> None:
        """Stop answering."""
        self._server.shutdown()
        self._server.server_close()


@contextmanager
def visit(browser: Browser, folder: Path, *, compress: bool, slow: bool = False) -> Iterator[Visit]:
    """A first visit, with an empty cache."""
    host = Host(folder, compress=compress)
    context = browser.new_context(viewport=VIEWPORT, service_workers="block")  # type: ignore[arg-type]
    page = context.new_page()
    if slow:
        session = context.new_cdp_session(page)
        session.send("Network.enable")
        session.send("Network.emulateNetworkConditions", {"offline": False, **SLOW})
    try:
        yield Visit(host, page)
    finally:
        context.close()
        host.close()


class Visit(NamedTuple):
    """A page and the host of its files."""

    host: Host
    page: Page

    def open(self, place: str = "") -> None:
        """Open a page by its hash."""
        self.page.goto(self.host.address + place, wait_until="commit")
        self.page.wait_for_selector("body[data-ready]", state="attached", timeout=120_000)

    def wait_for_puzzle(self, task: str) -> None:
        """Wait until a ball can be placed and simulated."""
        self.page.wait_for_selector(PLAYABLE, timeout=120_000)
        self.page.evaluate(READY, task)


def first_puzzle(browser: Browser, folder: Path, task: str) -> Iterator[Row]:
    """What the first puzzle costs."""
    for compress, how in ((False, "as it is"), (True, "compressed")):
        for place, start in ((f"#/phyre/{task}", "by its link"), ("", "from the first page")):
            times, sent = [], 0
            for _ in range(REPEATS):
                with visit(browser, folder, compress=compress) as visitor:
                    begin = time.perf_counter()
                    visitor.open(place)
                    if not place:
                        visitor.page.get_by_role("link", name="Play", exact=True).last.click()
                    visitor.wait_for_puzzle(task)
                    times.append(time.perf_counter() - begin)
                    sent = visitor.host.sent
            yield Row(f"first puzzle {start}, {how}: transfer", sent / 1000, "kB")
            yield Row(f"first puzzle {start}, {how}: time", statistics.median(times), "s")
    with visit(browser, folder, compress=True, slow=True) as visitor:
        begin = time.perf_counter()
        visitor.open(f"#/phyre/{task}")
        visitor.wait_for_puzzle(task)
        yield Row("first puzzle by its link, slow network", time.perf_counter() - begin, "s")


def frames(browser: Browser, folder: Path, task: str, action: str, game: str) -> Iterator[Row]:
    """How smooth it is."""
    with visit(browser, folder, compress=True) as visitor:
        visitor.open(f"#/replay/phyre/{task}?action={action}")
        yield Row("frames per second, PHYRE replay", visitor.page.evaluate(FRAMES, SECONDS), "1/s")
        visitor.open(f"#/iphyre/{game}")
        visitor.page.get_by_role("button", name="Start", exact=True).first.click()
        rate = visitor.page.evaluate(FRAMES, SECONDS)
        yield Row("frames per second, I-PHYRE live", rate, "1/s")
        ticks = visitor.page.evaluate(TICKS, [game, SECONDS])
        yield Row("ticks per second, I-PHYRE live", ticks, "1/s")


def offline(folder: Path) -> Row:
    """What the browser stores to play without a network."""
    listed = (folder / "service_worker.js").read_text("utf-8")
    files = json.loads(listed[listed.index("[") : listed.index("];") + 1])
    size = sum((folder / file).stat().st_size for file in files if file != "./")
    return Row("stored to play offline", size / 1e6, "MB")


def main() -> None:
    """Measure, print and write."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--site", type=Path, default=Path("build/site"), help="folder of the site")
    parser.add_argument("--out", type=Path, default=Path("benchmarks/results/site.csv"))
    options = parser.parse_args()
    path = json.loads((options.site / "path.json").read_text("utf-8"))["puzzles"]
    [task, game] = [
        next(stop["id"] for stop in path if stop["benchmark"] == kind)
        for kind in ("phyre", "iphyre")
    ]
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox"]
        )
        rows = [
            *first_puzzle(browser, options.site, task),
            *frames(browser, options.site, task, "0.5,0.9,0.3", game),
            offline(options.site),
        ]
        version = browser.version
        browser.close()
    table = Table("what", "value", "unit", title=f"Chromium {version}, {platform.processor()}")
    for row in rows:
        table.add_row(row.what, f"{row.value:.3g}", row.unit)
    Console().print(table)
    with options.out.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["what", "value", "unit"])
        writer.writerows((row.what, f"{row.value:.4g}", row.unit) for row in rows)


if __name__ == "__main__":
    main()
