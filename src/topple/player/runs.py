"""Run records to watch: found when the server starts, and read when they are asked for."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from topple.player.models.base import Benchmark
from topple.player.models.replays import RunCard
from topple.runs.game_store import GameRunRecord, read_game_record
from topple.runs.record_files import (
    CONFIG,
    IPHYRE,
    RecordError,
    find_folders,
    read_parts,
)
from topple.runs.store import ATTEMPTS, RunRecord, read_record

DEPTH = 3  # folders of folders are searched this deep
_ID_BYTES = 8
_READ_AT_ONCE = 16  # records kept in memory


class IndexedRun(NamedTuple):
    """A run record and the folder it is in."""

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
        for folder in folders:
            if not folder.is_dir():
                raise RecordError(f"{folder} is no folder; give a run record or a folder of them")
            for path in _records(folder, DEPTH):
                digest = hashlib.blake2b(str(path.resolve()).encode(), digest_size=_ID_BYTES)
                try:
                    games = any(find_folders(path, benchmark=IPHYRE))
                except RecordError:
                    continue  # a damaged one; the others can be watched all the same
                benchmark = Benchmark.IPHYRE if games else Benchmark.PHYRE
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
            if entry.benchmark is not Benchmark.PHYRE or not (entry.path / ATTEMPTS).is_file():
                continue
            try:
                if not _parts(entry.path)[3]["first_solved"].get(task):
                    continue
                record = task_record(entry.path)
            except RecordError:
                continue  # somebody changed the folder meanwhile
            for attempt in record.attempts:
                if attempt.outcome.is_solved and str(attempt.task) == task:
                    return list(attempt.action), f"solved by {record.config.label}"
        return None


def _records(folder: Path, depth: int) -> Iterator[Path]:
    if (folder / CONFIG).is_file():
        yield folder
    elif depth:
        for path in sorted(folder.iterdir()):
            if path.is_dir() and not path.name.startswith("."):
                yield from _records(path, depth - 1)


@lru_cache(maxsize=_READ_AT_ONCE)
def task_record(path: Path) -> RunRecord:
    """A record of PHYRE, with its attempts."""
    return read_record(path)


@lru_cache(maxsize=_READ_AT_ONCE)
def game_record(path: Path) -> GameRunRecord:
    """A record of I-PHYRE."""
    return read_game_record(path)


@lru_cache(maxsize=1000)
def _parts(path: Path) -> list[Any]:
    """The parts of a record without its attempts."""
    try:
        return read_parts(path)
    except (OSError, ValueError) as error:
        raise RecordError(f"{path} is no run record: {error}") from error


def run_card(entry: IndexedRun) -> RunCard:
    """A record in the list.

    Raises:
        RecordError: it cannot be read.
    """
    try:
        config, _, _, metrics = _parts(entry.path)
        if entry.benchmark is Benchmark.IPHYRE:
            played = {play["game"] for play in metrics["plays"]}
            solved = {play["game"] for play in metrics["plays"] if play["solved"]}
            score = float(metrics["average"]["reward"])
            place, count, wins, whole = f"{config['hz']} Hz", len(played), len(solved), True
        else:
            first = metrics["first_solved"]
            score = float(metrics["auccess"])
            place = f"{config['setup']}, {config['part']}, fold {config['fold']}"
            count, wins = len(first), sum(number > 0 for number in first.values())
            whole = (entry.path / ATTEMPTS).is_file()
        return RunCard(
            id=entry.id,
            benchmark=entry.benchmark,
            agent=str(config["agent"]),
            label=str(config["label"]),
            setup=place,
            score=score,
            tasks=count,
            solved=wins,
            has_attempts=whole,
        )
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        raise RecordError(f"{entry.path} is no run record: {error}") from error
