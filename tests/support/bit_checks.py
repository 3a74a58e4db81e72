"""The golden table for engines elsewhere: checks of all tasks and games, and what runs them."""

from __future__ import annotations

import gzip
import hashlib
import json
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache, partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import numpy as np

import topple.player
from topple.iphyre.games import ALL
from topple.iphyre.plan import random_rows, row_plan
from topple.iphyre.rules import AT_60_HZ
from topple.phyre.action import discrete_actions
from topple.phyre.engine.native import SceneSet, observe_scenes, valid_actions
from topple.phyre.engine.request import DEFAULT_STRIDE, MAX_STEPS, SCENE_SIZE
from topple.phyre.engine.result import FEATURE_COUNT
from topple.phyre.task import template_tasks
from topple.phyre.templates import MODULES, find_template
from topple.player.bits import Check, engine_probe, iphyre_check, phyre_check
from topple.player.data_files import write_data

LISTED = 60  # actions that attempts are taken from
VALID = 4  # attempts at a task, beside the invalid ones on the way
PLANS = 20  # of a game
SUPPORT = Path(__file__).resolve().parent
WORKER = """
import { run } from "./run_bits.js";
const read = async (name) => fetch(name);
run(read).then(postMessage, (error) => postMessage({ failed: [String(error)], done: 0 }));
"""
PAGE = """<!doctype html><title>Bits</title><script>
const worker = new Worker("worker.js", { type: "module" });
worker.onmessage = ({ data }) => {
  document.title = JSON.stringify(data);
  fetch("result", { method: "POST", body: JSON.stringify(data) });
};
</script>"""


@cache
def probe() -> dict[str, Any]:
    """The probe of both engines, which nobody changes."""
    return engine_probe()


def start_check(template_id: str) -> Check:
    """A check of pictures and features of all tasks of a template before the first step."""
    scenes = SceneSet([task.scene for task in template_tasks(template_id)])
    digest = hashlib.sha256()
    for number, count in enumerate(scenes.packed.object_counts().tolist()):
        image = np.zeros((1, SCENE_SIZE, SCENE_SIZE), np.uint8)
        objects = np.zeros((1, count, FEATURE_COUNT), np.float32)
        observe_scenes(scenes, [number], images=image, objects=objects)
        digest.update(image.tobytes() + objects.astype("<f4").tobytes())
    return {"template": template_id, "sha256": digest.hexdigest()}


def table(max_steps: int = MAX_STEPS) -> list[Check]:
    """All tasks with at least 20,000 valid attempts, frames of some, and 1,000 plans."""
    checks: list[Check] = list(probe()["checks"])
    for template_id in MODULES:
        tasks = template_tasks(template_id)
        actions = discrete_actions(find_template(template_id).tier, LISTED)
        valid = valid_actions(SceneSet([task.scene for task in tasks]), actions)
        ends = [int(np.flatnonzero(row)[:VALID][-1]) + 1 for row in valid]
        chosen = {number: actions[:end] for number, end in enumerate(ends)}
        checks.append(phyre_check(template_id, chosen, max_steps=max_steps))
        watched = {number: actions[ends[number] - 1 :][:1] for number in (0, len(tasks) // 2)}
        checks.append(phyre_check(template_id, watched, stride=DEFAULT_STRIDE))
        checks.append(start_check(template_id))
    rng = np.random.default_rng(7)
    for game in ALL:
        rows = random_rows(rng, PLANS, len(game.eliminable), AT_60_HZ)
        plans = [row_plan(game, row, AT_60_HZ) for row in rows]
        checks.append(iphyre_check(game, plans, "play"))
    return checks


def write_site(folder: Path, module: Path, checks: list[Check]) -> None:
    """A folder with the module, its wrapper, the data and what checks them."""
    write_data(folder)
    static = Path(topple.player.__file__).parent / "static"
    shutil.copytree(static / "engine", folder / "engine")
    shutil.copy(module, folder / "topple.wasm.gz")
    shutil.copy(SUPPORT / "run_bits.js", folder)
    packed = gzip.compress(json.dumps({"checks": checks}).encode(), 1)
    (folder / "checks.json.gz").write_bytes(packed)
    (folder / "package.json").write_text('{"type": "module"}')
    (folder / "worker.js").write_text(WORKER)
    (folder / "index.html").write_text(PAGE)


def run_in_node(node: str, folder: Path) -> dict[str, Any]:
    """What fails in Node."""
    program = (
        'import { readFileSync } from "node:fs"; import { run } from "./run_bits.js";'
        "console.log(JSON.stringify(await run((name) => readFileSync(name))));"
    )
    command = [node, "--input-type=module", "--eval", program]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True)
    result: dict[str, Any] = json.loads(done.stdout)
    return result


class _Handler(SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        pass

    def do_POST(self) -> None:
        length = int(self.headers["Content-Length"])
        self.server.result = json.loads(self.rfile.read(length))  # type: ignore[attr-defined]
        self.send_response(204)
        self.end_headers()


@contextmanager
def served(folder: Path) -> Iterator[ThreadingHTTPServer]:
    """A static server of a folder on a free port; it stores what a page posts as `result`."""
    handler = partial(_Handler, directory=str(folder))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield server
        server.shutdown()
