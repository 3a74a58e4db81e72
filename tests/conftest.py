"""Fixtures for all tests, and the line that sums up the comparisons with the originals."""

from __future__ import annotations

import shutil
import signal
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings
from playwright.sync_api import Browser, sync_playwright

from support.browser_parts import FLAGS
from support.golden_data import golden, shared  # noqa: F401  # fixtures
from support.host_device import HostDevice
from support.tally import Tally
from topple.phyre.engine.backend import Backend, check_backend

_TALLY = pytest.StashKey[dict[str, list[int]]]()
#: The files that take longest, longest first: processes that share files get them first, so that
#: none is left alone with one at the end.
_LONG = [
    "docs/test_lessons.py",
    "phyre/engine/test_golden_pairs.py",
    "docs/test_site.py",
    "iphyre/agents/test_rl_agents.py",
    "player/test_player_server.py",
    "player/test_player_fuzz.py",
    "test_examples.py",
    "runs/test_training_sweeps.py",
    "iphyre/agents/test_contract.py",
    "test_torture.py",
    "phyre/agents/test_contract.py",
    "player/test_wasm_bits.py",
    "browser/test_browser_study.py",
]


# A busy machine makes single examples slow; that is no failure.
settings.register_profile("topple", deadline=None)
settings.load_profile("topple")


def pytest_configure(config: pytest.Config) -> None:
    # A shell makes what it runs in the background deaf to Ctrl-C; some tests press it.
    if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    config.stash[_TALLY] = defaultdict(lambda: [0, 0])


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    tests = Path(__file__).parent
    order = {tests / name: place for place, name in enumerate(_LONG)}
    items.sort(key=lambda item: order.get(item.path, len(order)))


@pytest.fixture
def frequent_switches() -> Iterator[None]:
    """Python threads take turns so often that each gets between any two calls of another."""
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    yield
    sys.setswitchinterval(interval)


@pytest.fixture
def tally(request: pytest.FixtureRequest) -> Tally:
    """Counts (mismatches, comparisons) of a kind of golden data for the summary."""

    def count(what: str, mismatches: int, comparisons: int) -> None:
        entry = request.config.stash[_TALLY][what]
        entry[0] += int(mismatches)
        entry[1] += comparisons

    return count


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Debian's Chromium, one for a file: Playwright allows no second one beside it.

    While it is open, Playwright runs an event loop, so that nothing else can.
    """
    program = shutil.which("chromium")
    if program is None:
        pytest.skip("chromium is not installed: apt-get install chromium")
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=program, args=FLAGS)
        yield chromium
        chromium.close()


@pytest.fixture(scope="session")
def wasm_module(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Both engines in WebAssembly, built from these sources and compressed."""
    if find_spec("ziglang") is None:
        pytest.skip("ziglang is not installed: pip install -c lock.txt ziglang")
    folder = tmp_path_factory.mktemp("wasm")
    script = Path(__file__).resolve().parents[1] / "native" / "cross" / "build_wasm.py"
    build = [sys.executable, str(script), "--out", str(folder)]
    subprocess.run(build, check=True, stdout=subprocess.DEVNULL)
    return folder / "topple.wasm.gz"


@pytest.fixture(scope="session")
def host_device(tmp_path_factory: pytest.TempPathFactory) -> HostDevice:
    """The kernels of the GPU, compiled for the host."""
    return HostDevice(tmp_path_factory.mktemp("kernels"))


@pytest.fixture(scope="session")
def imagining_device(tmp_path_factory: pytest.TempPathFactory) -> HostDevice:
    """The same for imagined physics."""
    return HostDevice(tmp_path_factory.mktemp("kernels"), imagined=True)


@pytest.fixture(params=["cpu", pytest.param("cuda", marks=pytest.mark.cuda)])
def backend(request: pytest.FixtureRequest) -> Backend:
    """Where a test simulates: on the CPU, and with `make test-cuda` on the GPU."""
    return check_backend(request.param)


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Hand the counts of a process of pytest-xdist over to the one that sums them up."""
    if hasattr(session.config, "workeroutput"):
        tally: dict[str, list[int]] = session.config.stash[_TALLY]
        session.config.workeroutput["tally"] = dict(tally)


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    for what, counts in getattr(node, "workeroutput", {}).get("tally", {}).items():
        entry = node.config.stash[_TALLY][what]
        entry[:] = [entry[0] + counts[0], entry[1] + counts[1]]


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    tally = config.stash[_TALLY]
    if not tally:
        return
    terminalreporter.section("golden data")
    for what, (mismatches, comparisons) in sorted(tally.items()):
        terminalreporter.write_line(f"{mismatches} mismatches of {comparisons:,} {what}")
