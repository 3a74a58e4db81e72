"""A real server and a real browser: `topple play` with a folder of its own, and Chromium."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext

from support.browser_parts import (
    FAILING,
    SOLVING,
    TASK,
    MakeVisitor,
    Visitor,
    action_of,
    topple_play,
)
from support.records import record_attempts
from support.site_parts import small_site
from topple.iphyre.selection import GameSelection
from topple.phyre.fold import Setup
from topple.phyre.selection import TaskSelection
from topple.runs import RunConfig, Runner, write_record


@pytest.fixture(scope="session")
def data_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the server keeps what people do."""
    return tmp_path_factory.mktemp("player")


@pytest.fixture(scope="session")
def runs_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of each benchmark to watch, and two of agents that imagine."""
    folder = tmp_path_factory.mktemp("runs")
    config = RunConfig("rand", TaskSelection(Setup.BALL_WITHIN_TEMPLATE, 0), label="two tries")
    record_attempts(folder, config, TASK, map(action_of, (FAILING, SOLVING)))
    games = RunConfig("random", GameSelection(("support",)), attempts=2)
    write_record(folder, Runner(folder / "cache").run(games))
    mind = {"percepts": 2, "listed": 100, "imagined": 100, "searches": 1}
    chosen = TaskSelection(Setup.BALL_WITHIN_TEMPLATE, 3, tasks=(TASK,))
    imagining = RunConfig("imagine", chosen, settings=mind, attempts=2, label="IMAGINE")
    write_record(folder, Runner(folder / "cache").run(imagining))
    mind = {"percepts": 2, "imagined": 60, "generations": 3, "place_noise": 30}
    planned = GameSelection(("hinder", "support"), hz=60)
    minding = RunConfig("imagine", planned, settings=mind, attempts=2, label="games in its head")
    write_record(folder, Runner(folder / "cache").run(minding))
    return folder


@pytest.fixture(scope="session")
def address(data_folder: Path, runs_folder: Path) -> Iterator[str]:
    """A running `topple play` on a free port."""
    with topple_play(data_folder, "--runs", str(runs_folder)) as (found, _):
        yield found


@pytest.fixture(scope="session")
def site_folder(
    tmp_path_factory: pytest.TempPathFactory, wasm_module: Path, runs_folder: Path
) -> Path:
    """A small static site below a folder, as on a host that has other pages, too."""
    folder = tmp_path_factory.mktemp("host")
    small_site(folder / "some" / "place", wasm_module, runs_folder)
    return folder


@pytest.fixture
def make_visitor(browser: Browser, address: str) -> Iterator[MakeVisitor]:
    """People with a browser profile each. A page that logs an error fails its test."""
    contexts: list[BrowserContext] = []
    visitors: list[Visitor] = []

    def make(at: str = address, **options: object) -> Visitor:
        defaults: dict[str, object] = {
            "viewport": {"width": 1280, "height": 860},
            "reduced_motion": "reduce",  # recordings jump to their end: tests need not wait
        }
        context = browser.new_context(**{**defaults, **options})  # type: ignore[arg-type]
        context.set_default_timeout(10_000)
        contexts.append(context)
        visitors.append(Visitor(context.new_page(), at))
        return visitors[-1]

    yield make
    for context in contexts:
        context.close()
    assert [problem for visitor in visitors for problem in visitor.problems] == []


@pytest.fixture
def visitor(make_visitor: MakeVisitor) -> Visitor:
    """Somebody who comes for the first time."""
    return make_visitor()
