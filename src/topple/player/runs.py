"""Run records to watch: found when the server starts, read when they are asked for."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

from topple.experiments.store import CONFIG, RecordError, RunRecord, read_record

_DIGITS = 16
DEPTH = 3  # folders of folders are searched this deep


@lru_cache(maxsize=32)
def _read(path: Path) -> RunRecord:
    return read_record(path)


class RunShelf:
    """The records in some folders, by an id that tells nothing of their place.

    Raises:
        RecordError: a folder is not there.
    """

    def __init__(self, folders: tuple[Path, ...]) -> None:
        self._paths: dict[str, Path] = {}
        for folder in folders:
            if not folder.is_dir():
                raise RecordError(f"{folder} is no folder; give a run record or a folder of them")
            for path in _records(folder, DEPTH):
                key = hashlib.blake2b(str(path.resolve()).encode(), digest_size=_DIGITS // 2)
                self._paths[key.hexdigest()] = path

    @property
    def ids(self) -> tuple[str, ...]:
        """All records, by id."""
        return tuple(self._paths)

    def record(self, run_id: str) -> RunRecord | None:
        """A record; None if there is none with this id, or it cannot be read any more."""
        path = self._paths.get(run_id)
        try:
            return None if path is None else _read(path)
        except RecordError:
            return None

    def solution(self, task: str) -> tuple[list[float], str] | None:
        """A recorded attempt that solved a task, and the agent that made it."""
        for run_id in self.ids:
            record = self.record(run_id)
            if record is None:
                continue
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
