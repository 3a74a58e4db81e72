"""Damaged files of every kind: refused by name or read as they were, never read as something else.

Puzzles that people write and the player's database carry no digests, so there the promise is less:
an answer or an error that names the fault, and no other exception.
"""

from __future__ import annotations

import json
import os
import resource
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from fastapi.testclient import TestClient

from topple.cli.select_tasks import find_puzzle
from topple.iphyre.game import GameError
from topple.iphyre.game_file import game_to_json, load_games
from topple.iphyre.games import game_named
from topple.iphyre.selection import GameSelection
from topple.llm.exchanges import EXCHANGES, Exchange, ExchangeError, ExchangeStore, read_exchanges
from topple.llm.reply import Choice, Reply, Usage
from topple.phyre import Tier, template_tasks
from topple.phyre.action import discrete_actions
from topple.phyre.cache import ActionCache
from topple.phyre.cache.index import make_index, read_index
from topple.phyre.cache.shard import UNKNOWN, CacheError
from topple.phyre.cache.table import OutcomeTable, TableBuilder, TableError, load_table
from topple.phyre.fold import Setup
from topple.phyre.scene.codec import scene_to_json
from topple.phyre.selection import TaskSelection
from topple.player.app import create_app
from topple.player.settings import Rate, Settings
from topple.player.store import StoreError
from topple.runs import RecordError, RunConfig, Runner, read_record, write_record
from topple.runs.checkpoint import CheckpointError, read_state, write_state
from torture.rounds import Round, damaged

FILES = 10  # damaged in a round
MOST_MEMORY = 512 * 2**10  # KiB that reading damaged files may take
UNLIMITED = Rate(1e9, 10**9)


@dataclass(frozen=True)
class Kind:
    """A kind of file: an intact one, how it is read, and what may come of it."""

    name: str
    path: Path
    read: Callable[[], Any]
    errors: tuple[type[Exception], ...]
    same: Callable[[Any, Any], bool] | None = lambda good, found: bool(good == found)


def _records(folder: Path) -> Iterator[Kind]:
    runner = Runner(folder / "cache")
    for config in (
        RunConfig("rand", TaskSelection(Setup.BALL_WITHIN_TEMPLATE, 0, tasks=3), attempts=1),
        RunConfig("random", GameSelection(("support", "angle"))),
    ):
        path = write_record(folder / config.benchmark, runner.run(config))

        def read(path: Path = path) -> Any:
            record = read_record(path)
            parts = (record.config.to_data(), record.protocol, record.results.to_data())
            return json.dumps(parts), record.results.metrics(), record.results.arrays() is None

        yield Kind("run records", path, read, (RecordError,))
        for arrays in path.parent.glob("*.npz"):
            yield Kind("arrays of run records", arrays, read, (RecordError,))


def _cells_same(good: Any, found: Any) -> bool:
    """What a damaged header no longer covers is simulated again."""
    return bool(((found == good) | (found == UNKNOWN)).all())


def _caches(folder: Path) -> Iterator[Kind]:
    tasks = template_tasks("00001")[:3]
    cache = ActionCache(folder / "cache", Tier.BALL, indexes=())
    outcomes = cache.outcomes(tasks, 40)
    (shard,) = (folder / "cache").rglob("*.outcomes")
    yield Kind("cache shards", shard, lambda: cache.known(tasks, 40), (CacheError,), _cells_same)

    path = folder / "some.solutions"
    solving = [np.flatnonzero(row == 1) for row in outcomes]
    scenes = {str(task.id): "0123456789abcdef" for task in tasks}
    make_index("engine", Tier.BALL, 1, 40, scenes, solving).save(path)

    def index() -> Any:
        found = read_index(path)
        return found.name, found.numbers.tolist(), found.starts.tolist()

    yield Kind("solution indexes", path, index, (CacheError,))


def _tables(folder: Path) -> Iterator[Kind]:
    tasks = [*template_tasks("00001")[:2], *template_tasks("00002")[:2]]
    actions = discrete_actions(Tier.BALL, 12)
    whole, half = folder / "whole.npz", folder / "half.npz"

    def values(table: OutcomeTable) -> Any:
        arrays = (table.actions, table.outcome, table.steps)
        return table.tasks, table.digest, [array.tobytes() for array in arrays]

    TableBuilder(tasks, actions, whole).run()
    yield Kind("outcome tables", whole, lambda: values(load_table(whole)), (TableError,))

    def interrupt(*_: int) -> None:
        raise KeyboardInterrupt

    try:
        TableBuilder(tasks, actions, half).run(progress=interrupt)
    except KeyboardInterrupt:
        (part,) = folder.rglob("*.steps")

    def known() -> Any:
        return TableBuilder(tasks, actions, half)._grid().known(tasks, len(actions))

    yield Kind("parts of outcome tables", part, known, (CacheError,), _cells_same)


def _checkpoints(folder: Path) -> Iterator[Kind]:
    import torch

    path, names = folder / "checkpoint.pt", {"weights", "seed"}
    write_state(path, "torture 1", {"weights": {"a": torch.arange(4000.0)}, "seed": 7})

    def read() -> Any:
        found = read_state(path, "torture 1", names)
        return found["seed"], sorted(found["weights"]), found["weights"]["a"].tolist()

    yield Kind("checkpoints", path, read, (CheckpointError,))


def _puzzles(folder: Path) -> Iterator[Kind]:
    game, scene = folder / "game.json", folder / "scene.json"
    game.write_text(json.dumps([game_to_json(game_named(name)) for name in ("support", "hole")]))
    scene.write_text(scene_to_json(template_tasks("00007")[0].scene))
    yield Kind("own games", game, lambda: load_games(game), (GameError,), None)
    yield Kind("own scenes", scene, lambda: find_puzzle(str(scene)), (ValueError,), None)


def _conversations(folder: Path) -> Iterator[Kind]:
    with ExchangeStore(folder) as store:
        for turn in range(1, 6):
            body = {"model": "m", "messages": [{"role": "user", "content": "x" * turn}]}
            reply = Reply((Choice(f"answer {turn}"),), Usage(100, 10), model="m")
            place = f"task/{turn:03d}/00"
            store.append(Exchange(place, f"{turn:032x}", body, reply, 1.0, 1, 100.0))
    path = folder / EXCHANGES
    yield Kind("conversations", path, lambda: read_exchanges(folder), (ExchangeError,), None)


def _databases(folder: Path) -> Iterator[Kind]:
    path = folder / "player.sqlite"
    settings = Settings(f"sqlite:///{path}", calls=UNLIMITED, heavy=UNLIMITED, messages=UNLIMITED)

    def client() -> TestClient:
        app = create_app(settings)
        return TestClient(app, "http://127.0.0.1:8765", raise_server_exceptions=False)

    with client() as made:
        key = made.post("/api/players").json()["key"]
        player = {"X-Player": key}
        for benchmark in ("phyre", "iphyre"):
            blank = made.get("/api/puzzles/blank", params={"benchmark": benchmark}).json()
            made.post("/api/puzzles", json=blank, headers=player)
        study = {"name": "S", "benchmark": "iphyre", "pools": ["basic"]}
        made.post("/api/studies", json=study)
        attempt = "/api/phyre/tasks/00002:017/attempts"
        for number in range(10):
            body = {"action": [0.4, 0.8, number / 10]}
            made.post(attempt, json=body, headers=player)

    def read() -> None:
        paths = ("puzzles", "studies", "phyre/templates", "phyre/standing", "iphyre/games", "me")
        with client() as called:
            answers = {name: called.get(f"/api/{name}", headers=player) for name in paths}
            body = {"action": [0.4, 0.8, 0.3]}
            answers["attempt"] = called.post(attempt, json=body, headers=player)
        for name, answer in answers.items():
            assert answer.status_code < 500 or "damaged" in answer.text, f"{name}: {answer.text}"

    yield Kind("player databases", path, read, (StoreError,), None)


MAKERS = (_records, _caches, _tables, _checkpoints, _puzzles, _conversations, _databases)


@contextmanager
def files(counts: Counter[str], folder: Path) -> Iterator[Round]:
    """Damage a file, read it, and put it right again."""
    os.environ["TOPPLE_CACHE"] = str(folder / "cache")
    kinds: list[Kind] = []
    for make in MAKERS:
        place = folder / make.__name__
        place.mkdir()
        kinds += make(place)
    intact = {kind: kind.path.read_bytes() for kind in kinds}
    good = {kind: kind.read() for kind in kinds}
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

    def once(rng: np.random.Generator) -> None:
        for number in rng.integers(len(kinds), size=FILES):
            kind = kinds[number]
            how, content = damaged(intact[kind], rng)
            name = f"{kind.name}, {how}"
            for beside in kind.path.parent.glob(f"{kind.path.name}-*"):  # such as SQLite's log
                beside.unlink()
            kind.path.write_bytes(content)
            counts[f"damaged {kind.name}"] += 1
            try:
                found = kind.read()
                assert kind.same is None or kind.same(good[kind], found), (
                    f"{name}: it is read as something else"
                )
            except kind.errors:
                counts["damaged files refused"] += 1
            except Exception as error:
                raise AssertionError(f"{name}: {type(error).__name__}: {error}") from error
            finally:
                kind.path.write_bytes(intact[kind])
            taken = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - memory
            assert taken < MOST_MEMORY, f"{name}: reading it takes {taken} KiB"

    yield once
