"""Names and texts that are programs: the pages show them, and run none."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import quote

import httpx2
import numpy as np
from playwright.sync_api import expect, sync_playwright

from support.browser_parts import FLAGS, Visitor
from topple.iphyre.selection import GameSelection
from topple.runs import RunConfig, Runner, write_record
from torture.rounds import Round
from torture.server import WAIT, running_server

#: Each sets a variable of the page or leaves a marked element, where it is not taken as text.
ATTACKS = (
    "<script>torture=1</script>",
    "<img src=x onerror=torture=1 data-torture>",
    '"><svg onload=torture=1 data-torture>',
    "'><b data-torture onmouseover=torture=1>",
    "</title></script><script>torture=1</script>",
    "javascript:torture=1",
    "<a href=javascript:torture=1 data-torture>x</a>",
    '<iframe srcdoc="<script>parent.torture=1</script>" data-torture>',
    "{{constructor.constructor('torture=1')()}}${torture=1}",
    "<style data-torture>*{display:none}</style>",
    "&lt;img src=x onerror=torture=1&gt;",
    '" autofocus onfocus=torture=1 data-torture x="',
    "<math><mtext><b data-torture></mtext></math>",
    "-->]]><p data-torture>",
)
HARMED = """() => typeof torture !== "undefined" || document.querySelector(
    '[data-torture], [href^="javascript:"], [src^="javascript:"]') !== null"""


def plant(client: httpx2.Client, attack: str) -> list[str]:
    """Store a text wherever people may write one; returns the pages that show it."""
    player = {"X-Player": client.post("/api/players").json()["key"]}
    pages = ["", "#/make", "#/study", "#/watch", "#/phyre", "#/iphyre"]
    for benchmark, entry in (("phyre", "name"), ("iphyre", "concept")):
        puzzle: dict[str, Any] = client.get(
            "/api/puzzles/blank", params={"benchmark": benchmark}
        ).json()
        puzzle["name"], puzzle["data"][entry] = attack[:60], attack
        made = client.post("/api/puzzles", json=puzzle, headers=player).json()
        pages += [f"#/make/{made['id']}", f"#/{benchmark}/{made['subject']}"]
    study: dict[str, Any] = {"name": attack[:60], "benchmark": "iphyre", "pools": ["basic"]}
    study |= {"consent": attack, "ask_name": True}
    number = client.post("/api/studies", json=study).json()["id"]
    body = {"consent": True, "name": attack[:60]}
    client.post(f"/api/studies/{number}/participants", json=body).raise_for_status()
    client.cookies.clear()  # a participant may not see the other pages
    pages += [f"#/study/{number}", f"#/study/{number}/results"]
    pages += [f"#/watch/{run['id']}" for run in client.get("/api/runs").json()]
    odd = quote(attack)
    return [*pages, f"#/{odd}", f"#/phyre/{odd}", f"#/iphyre/{odd}", f"#/study/{odd}?x={odd}"]


@contextmanager
def injection(counts: Counter[str], folder: Path) -> Iterator[Round]:
    """Store attacks, open every page that shows them in a browser, and draw a report of them."""
    program = shutil.which("chromium")
    assert program is not None, "chromium is not installed: apt-get install chromium"
    config = RunConfig("random", GameSelection(("support",)))
    record, runs = Runner(folder / "cache").run(config), folder / "runs"
    for attack in ATTACKS:
        labelled = replace(config, label=attack, variant=f"v{ATTACKS.index(attack)}")
        write_record(runs, replace(record, config=labelled, protocol={"note": attack}))
    command = [sys.executable, "-m", "topple", "report", str(runs), "--out", str(folder / "report")]
    subprocess.run([*command, "--clips", "0"], check=True, stdout=subprocess.DEVNULL)
    with (
        running_server(folder, runs) as server,
        httpx2.Client(base_url=server.address, timeout=WAIT) as client,
        sync_playwright() as playwright,
    ):
        chromium = playwright.chromium.launch(executable_path=program, args=FLAGS)
        expect.set_options(timeout=WAIT * 1000)

        def check(visitor: Visitor, place: str, attack: str) -> None:
            visitor.page.mouse.move(300, 300)
            assert not visitor.page.evaluate(HARMED), f"{place} takes {attack!r} for a part of it"
            blocked = [text for text in visitor.problems if "Content Security Policy" in text]
            assert not blocked, f"{place} tried to run {attack!r}: {blocked}"
            counts["pages opened with texts that are programs"] += 1

        def once(rng: np.random.Generator) -> None:
            attack = ATTACKS[int(rng.integers(len(ATTACKS)))]
            places = plant(client, attack)
            visitor = Visitor(chromium.new_page(), f"{server.address}/")
            for k in rng.permutation(len(places))[:8]:
                visitor.go(places[k])
                check(visitor, places[k], attack)
            for page in (folder / "report").rglob("*.html"):
                visitor.page.goto(page.as_uri())
                check(visitor, page.name, "labels of runs")
            visitor.page.close()

        yield once
        chromium.close()
