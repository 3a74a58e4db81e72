"""What people do in the browser, in words."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Locator, Page, expect

FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
]

Kill = Callable[[], None]

TASK = "00009:119"
SOLVING = (187, 162, 21)  # px: x, y, radius of a ball that solves the task in 428 steps
FAILING = (230, 230, 14)  # px: one that does not

STOP = 60  # seconds a server may take to end on a busy machine


def action_of(ball: tuple[int, int, int]) -> list[float]:
    """The action that places a ball, which is given in pixels."""
    x, y, radius = ball
    return [x / 255, y / 255, (radius - 2) / 30]


@contextmanager
def topple_play(data: Path, *options: str, port: int = 0) -> Iterator[tuple[str, Kill]]:
    """A running `topple play`: its address, and a way to kill it at once."""
    topple = str(Path(sys.executable).with_name("topple"))
    command = [topple, "play", "--no-browser", "--port", str(port), *options]
    environment = {**os.environ, "TOPPLE_DATA": str(data)}
    with subprocess.Popen(
        command, env=environment, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True
    ) as server:
        try:
            assert server.stderr is not None
            line = server.stderr.readline()
            found = re.match(r"(http://127\.0\.0\.1:\d+/)", line)
            assert found, f"the server said {line!r}"
            yield found[1], server.kill
        finally:
            server.terminate()
            server.wait(STOP)


class Visitor:
    """A page and the person in front of it.

    Attributes:
        page: what the browser shows.
        problems: errors the page has logged.
    """

    def __init__(self, page: Page, address: str) -> None:
        self.page = page
        self.address = address
        self.problems: list[str] = []
        page.on("pageerror", lambda error: self.problems.append(str(error)))
        page.on(
            "console",
            lambda message: self.problems.append(message.text) if message.type == "error" else None,
        )

    def go(self, place: str = "") -> None:
        """Open a page by its hash, such as ``#/phyre``, and wait until it stands."""
        self.page.goto("about:blank")
        self.page.goto(f"{self.address}{place}")
        expect(self.page.locator("body[data-ready]")).to_be_attached(timeout=30_000)

    @property
    def canvas(self) -> Locator:
        """The canvas people play on."""
        return self.page.locator("canvas.scene-view:not([aria-hidden])")

    @property
    def verdict(self) -> Locator:
        """What the page says about an attempt that has ended."""
        return self.page.locator(".verdict")

    def spot(self, x: float, y: float, size: float, y_up: bool) -> tuple[float, float]:
        """Where a point of the scene is on the screen."""
        self.canvas.scroll_into_view_if_needed()
        box = self.canvas.bounding_box()
        assert box is not None
        row = size - y if y_up else y
        return box["x"] + x * box["width"] / size, box["y"] + row * box["height"] / size

    def click_phyre(self, x: float, y: float) -> None:
        """Click a point of a PHYRE scene: 256 px, y up."""
        self.page.mouse.click(*self.spot(x, y, 256, y_up=True))

    def click_game(self, x: float, y: float) -> None:
        """Click a point of an I-PHYRE game: 600 px, y down."""
        self.page.mouse.click(*self.spot(x, y, 600, y_up=False))

    def type_ball(self, number: int, x: int, y: int, radius: int) -> None:
        """Give a placed ball exact numbers."""
        numbers = self.page.locator("details.numbers")
        if numbers.get_attribute("open") is None:
            numbers.locator("summary").click()
        row = self.page.locator(".ball-fields").nth(number)
        row.locator("[name=x]").fill(str(x))
        row.locator("[name=y]").fill(str(y))
        row.locator("[name=r]").fill(str(radius))

    def choose_science(self) -> None:
        """Choose the scientific view, which stays chosen."""
        self.go("#/glossary")
        self.press("Science")

    def press(self, name: str) -> None:
        """Press the button with this name."""
        self.page.get_by_role("button", name=name, exact=True).first.click()

    def overflow(self) -> int:
        """By how many pixels the page is wider than the screen."""
        wide = self.page.evaluate("document.documentElement.scrollWidth - innerWidth")
        assert isinstance(wide, int)
        return wide


MakeVisitor = Callable[..., Visitor]  # takes the options of a browser context
