"""Beside a server the page simulates what does not count, and nothing in a study."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Request, expect

from support.browser_parts import FAILING, SOLVING, STOP, TASK, MakeVisitor, Visitor

SERVE = """
import sys
from pathlib import Path
from topple.player.server import open_socket, serve
from topple.player.settings import Settings
from topple.player.store import sqlite_url
listener = open_socket("127.0.0.1", 0)
address = f"http://127.0.0.1:{listener.getsockname()[1]}/"
settings = Settings(database=sqlite_url(Path(sys.argv[1])), module=Path(sys.argv[2]))
serve(settings, listener, lambda: print(address, flush=True))
"""
#: What the page answers by itself, and what the server says to the same call.
BOTH = """async (path) => {
    const { api } = await import("./api.js");
    const here = await api.get(path);
    return [here, await (await fetch("api/" + path)).json()];
}"""
READY = "async () => { const { api } = await import('./api.js'); return api.instant; }"


@pytest.fixture(scope="module")
def with_engine(wasm_module: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a server that has the engines for pages."""
    data = tmp_path_factory.mktemp("player")
    command = [sys.executable, "-c", SERVE, str(data), str(wasm_module)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        try:
            assert server.stdout is not None
            yield server.stdout.readline().strip()
        finally:
            server.terminate()
            server.wait(STOP)


@pytest.fixture
def calls() -> list[str]:
    """What a page asks the server for."""
    return []


@pytest.fixture
def visitor(make_visitor: MakeVisitor, with_engine: str, calls: list[str]) -> Visitor:
    visitor = make_visitor(with_engine)

    def note(request: Request) -> None:
        _, _, path = request.url.partition("/api/")
        calls.append(f"{request.method} {path.partition('?')[0]}")

    visitor.page.on("request", note)
    return visitor


def wait_for_engine(visitor: Visitor) -> None:
    visitor.page.wait_for_function(READY)


def attempt(visitor: Visitor, ball: tuple[int, int, int]) -> None:
    visitor.type_ball(0, *ball)
    visitor.press("Simulate")


def test_what_does_not_count_is_simulated_in_the_page(visitor: Visitor, calls: list[str]) -> None:
    page = visitor.page
    visitor.go(f"#/phyre/{TASK}")
    wait_for_engine(visitor)
    visitor.click_phyre(*FAILING[:2])
    attempt(visitor, FAILING)
    expect(visitor.verdict).to_contain_text("Not this time")
    visitor.press("Try again")
    # A solution cannot be found by looking where balls would go.
    visitor.type_ball(0, *SOLVING)
    expect(page.locator(".status")).to_have_text("The ball fits.")
    visitor.press("Simulate")
    expect(visitor.verdict).to_contain_text("Solved on attempt 2")
    visitor.press("Try again")
    expect(page.locator(".status")).to_have_text("This would solve it.")
    visitor.type_ball(0, *FAILING)
    expect(page.locator(".status")).to_have_text("This would not solve it.")
    page.get_by_role("button", name="Watch attempt 1, not solved").click()
    expect(visitor.verdict).to_contain_text("Attempt 1: not solved")
    # The server has decided both attempts, and was asked for no replay.
    assert calls.count(f"POST phyre/tasks/{TASK.replace(':', '%3A')}/attempts") == 2
    assert not [call for call in calls if "replays" in call or "validate" in call]


def test_the_page_has_the_answers_of_the_server(visitor: Visitor) -> None:
    visitor.go(f"#/phyre/{TASK}")
    wait_for_engine(visitor)
    for path in (
        f"replays/phyre/{TASK}?action=0.7,0.6,0.6",
        "replays/iphyre/support?plan=30:0,90:1",
        "replays/iphyre/support?plan=20:1&hz=10",
    ):
        here, there = visitor.page.evaluate(BOTH, path)
        assert here == there
        assert len(here["trajectory"]["poses"]) > 1000


def test_a_timeline_says_at_once_what_another_moment_leads_to(
    visitor: Visitor, calls: list[str]
) -> None:
    page = visitor.page
    visitor.go("#/iphyre/support")
    wait_for_engine(visitor)
    visitor.press("Start")
    expect(page.get_by_role("button", name="Restart")).to_be_visible()
    page.keyboard.press("1")
    page.keyboard.press("2")
    expect(visitor.verdict).to_contain_text("Solved", timeout=16_000)
    slider = page.locator(".timeline input").first
    said = page.locator(".timeline [role=status]")
    texts = set()
    for tick in (100, 200, 300):
        texts.add(
            page.evaluate(
                """async ([slider, said, tick]) => {
                    slider.value = tick;
                    slider.dispatchEvent(new Event("input"));
                    await new Promise((wake) => setTimeout(wake, 120));  // before it is shown
                    return said.textContent;
                }""",
                [slider.element_handle(), said.element_handle(), tick],
            )
        )
    assert len(texts) == 3
    assert all("This is not an attempt." in text for text in texts)
    assert not [call for call in calls if "replays" in call]


def test_a_study_loads_no_engine(visitor: Visitor, calls: list[str]) -> None:
    page = visitor.page
    visitor.go()
    study = page.evaluate(
        """async (task) => {
            const { api } = await import("./api.js");
            await api.player();
            const design = { name: "Pilot", benchmark: "phyre", puzzles: [task] };
            return (await api.post("studies", design)).id;
        }""",
        TASK,
    )
    visitor.go(f"#/study/{study}")
    page.get_by_role("checkbox").check()
    visitor.press("Begin")
    expect(visitor.canvas).to_be_visible()
    visitor.click_phyre(*FAILING[:2])
    attempt(visitor, FAILING)
    expect(visitor.verdict).to_be_visible()
    assert not page.evaluate(READY)
    assert not [call for call in calls if "engine" in call]
    # Nor does anybody get it who asks for it in this browser.
    for path in ("api/engine", "api/engine/topple.wasm.gz"):
        assert page.evaluate("async (path) => (await fetch(path)).status", path) == 403
    visitor.problems[:] = [text for text in visitor.problems if "403" not in text]
