"""Run records to watch: found when the server starts, and read when they are asked for."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from topple.player.models.base import Benchmark
from topple.player.models.replays import RunCard
from topple.runs.record import RecordError, RunRecord, read_data, read_record, record_paths

IMAGINING = "imagine"  # the agent whose attempts and thoughts can be computed again
DEPTH = 3  # folders of folders are searched this deep
_ID_BYTES = 8
_READ_AT_ONCE = 16  # records kept in memory


class IndexedRun(NamedTuple):
    """A run record and its file."""

    id: str
    path: Path
    benchmark: Benchmark


class RunIndex:
    """The run records in some folders, by an id that does not reveal their paths.

    Raises:
        RecordError: a folder does not exist.
    """

    def __init__(self, folders: tuple[Path, ...]) -> None:
        self._runs: dict[str, IndexedRun] = {}
        for path in (path for folder in folders for path in _records(folder, DEPTH)):
            digest = hashlib.blake2b(str(path.resolve()).encode(), digest_size=_ID_BYTES)
            try:
                benchmark = Benchmark(_data(path)["config"]["benchmark"])
            except (RecordError, KeyError, TypeError, ValueError):
                continue  # it is damaged; the others can be watched all the same
            entry = IndexedRun(digest.hexdigest(), path, benchmark)
            self._runs[entry.id] = entry

    def __iter__(self) -> Iterator[IndexedRun]:
        return iter(self._runs.values())

    def find(self, run_id: str) -> IndexedRun | None:
        """A record by its id."""
        return self._runs.get(run_id)

    def solution(self, task: str) -> tuple[list[float], str] | None:
        """A recorded attempt that solved a task, and the agent that made it."""
        for entry in self:
            if entry.benchmark is not Benchmark.PHYRE:
                continue
            try:
                data = _data(entry.path)
                if not data["arrays"] or not data["results"]["first_solved"].get(task):
                    continue
                record = run_record(entry.path)
            except RecordError:
                continue  # somebody changed the folder meanwhile
            for attempt in record.results.attempts:
                if attempt.outcome.is_solved and str(attempt.task) == task:
                    return list(attempt.action), f"solved by {record.config.title}"
        return None


def _records(folder: Path, depth: int) -> Iterator[Path]:
    yield from record_paths(folder)
    if depth and folder.is_dir():
        for path in sorted(folder.iterdir()):
            if path.is_dir() and not path.name.startswith("."):
                yield from _records(path, depth - 1)


@lru_cache(maxsize=_READ_AT_ONCE)
def run_record(path: Path) -> RunRecord[Any, Any]:
    """A record, with its attempts."""
    return read_record(path)


@lru_cache(maxsize=1000)
def _data(path: Path) -> dict[str, Any]:
    """The plain values of a record, without its attempts."""
    return read_data(path)


def run_card(entry: IndexedRun) -> RunCard:
    """A record in the list.

    Raises:
        RecordError: it cannot be read.
    """
    try:
        data = _data(entry.path)
        config, selection, metrics = data["config"], data["config"]["selection"], data["metrics"]
        if entry.benchmark is Benchmark.IPHYRE:
            plays = data["results"]["plays"]
            solved = {play["game"] for play in plays if play["solved"]}
            score = float(metrics["average"]["reward"])
            place, count, wins = f"{selection['hz']} Hz", len(selection["games"]), len(solved)
            whole = True
        else:
            first = data["results"]["first_solved"]
            score = float(metrics["auccess"])
            place = "tasks of no fold"
            if selection.get("study"):
                place = f"study {selection['study']}"
            elif selection["setup"]:
                place = f"{selection['setup']}, {selection['part']}, fold {selection['fold']}"
            count, wins = len(first), sum(number > 0 for number in first.values())
            whole = data["arrays"] is not None
        imagines = config["agent"] == IMAGINING
        variant = f" ({config['variant']})" if config["variant"] else ""
        return RunCard(
            id=entry.id,
            benchmark=entry.benchmark,
            agent=str(config["agent"]),
            label=f"{config['label']}{variant}",
            setup=place,
            score=score,
            tasks=count,
            solved=wins,
            has_attempts=whole or imagines,
            imagines=imagines,
        )
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        raise RecordError(f"{entry.path} is no run record: {error}") from error
