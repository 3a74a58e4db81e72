"""The engines in WebAssembly give the bits of the native ones, in Node and in browsers."""

from __future__ import annotations

import copy
import gzip
import json
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from http.server import ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser

from support.bit_checks import probe, run_in_node, served, table, write_site
from topple.iphyre.benchmark import IPHYRE
from topple.phyre.benchmark import PHYRE

ROOT = Path(__file__).resolve().parents[2]
BRIEF = 60  # steps of most attempts; `make test-slow` makes all of them to the end
CHECKS = 350  # templates: probe, attempts, frames, starts; games: two probes, plans
TIMEOUT = 600  # seconds on a busy machine

Site = Callable[[int], Path]


@pytest.fixture(scope="session")
def site(wasm_module: Path, tmp_path_factory: pytest.TempPathFactory) -> Site:
    """Folders of checks, by the steps of most attempts."""
    made: dict[int, Path] = {}

    def make(max_steps: int) -> Path:
        if max_steps not in made:
            made[max_steps] = tmp_path_factory.mktemp("bits")
            write_site(made[max_steps], wasm_module, table(max_steps))
        return made[max_steps]

    return make


STEPS = pytest.mark.parametrize("steps", [BRIEF, pytest.param(1000, marks=pytest.mark.slow)])


@STEPS
def test_node_has_the_bits_of_this_machine(site: Site, steps: int) -> None:
    assert run_in_node(node(), site(steps)) == {"done": CHECKS, "failed": []}


@STEPS
def test_chromium_has_the_bits_of_this_machine(browser: Browser, site: Site, steps: int) -> None:
    context = browser.new_context()
    with served(site(steps)) as server:
        page = context.new_page()
        page.goto(f"http://127.0.0.1:{server.server_port}/")
        page.wait_for_function("document.title !== 'Bits'", timeout=TIMEOUT * 1000)
        assert json.loads(page.title()) == {"done": CHECKS, "failed": []}
    context.close()


@pytest.mark.slow
def test_firefox_has_the_bits_of_this_machine(site: Site) -> None:
    program = shutil.which("firefox") or shutil.which("firefox-esr")
    if program is None:
        pytest.skip("firefox is not installed: apt-get install firefox-esr")
    with served(site(BRIEF)) as server, tempfile.TemporaryDirectory() as profile:
        address = f"http://127.0.0.1:{server.server_port}/"
        command = [program, "--headless", "--no-remote", "--profile", profile, address]
        with subprocess.Popen(command, stderr=subprocess.DEVNULL) as firefox:
            try:
                assert posted(server) == {"done": CHECKS, "failed": []}
            finally:
                firefox.terminate()


def test_a_wrong_bit_is_noticed(site: Site, tmp_path: Path) -> None:
    folder = tmp_path / "site"
    shutil.copytree(site(BRIEF), folder)
    checks = probe()["checks"]
    wrong = [copy.deepcopy(checks[0]), copy.deepcopy(checks[-1])]
    [[_, actions]] = wrong[0]["attempts"]
    actions[0][0] += 0.01  # another action than the one whose states were hashed
    del wrong[1]["plans"][0][0]  # a block that stays
    packed = gzip.compress(json.dumps({"checks": [*wrong, *checks[1:3]]}).encode())
    (folder / "checks.json.gz").write_bytes(packed)
    failed = [wrong[0]["template"], wrong[1]["game"]]
    assert run_in_node(node(), folder) == {"done": 4, "failed": failed}


def test_the_probe_stands_for_the_engine_hashes() -> None:
    hashes = {"phyre": PHYRE.engine_hash(), "iphyre": IPHYRE.engine_hash()}
    assert (
        probe()["engine"] == hashes == {"phyre": "b27c6cf56d1a29af", "iphyre": "6d5577b59f06bad9"}
    )


@pytest.mark.slow
def test_the_module_has_the_same_bytes_from_another_folder(
    wasm_module: Path, tmp_path: Path
) -> None:
    shutil.copytree(ROOT / "native", tmp_path / "native")
    build = [sys.executable, "native/cross/build_wasm.py", "--out", "out"]
    subprocess.run(build, cwd=tmp_path, check=True, stdout=subprocess.DEVNULL)
    assert (tmp_path / "out" / wasm_module.name).read_bytes() == wasm_module.read_bytes()


def node() -> str:
    program = shutil.which("node")
    if program is None:
        pytest.skip("node is not installed; the test in Chromium compares the same bits")
    return program


def posted(server: ThreadingHTTPServer) -> Any:
    """What the page at a server has posted."""
    end = time.monotonic() + TIMEOUT
    while not hasattr(server, "result"):
        assert time.monotonic() < end, "the page has posted nothing"
        time.sleep(0.2)
    return server.result
