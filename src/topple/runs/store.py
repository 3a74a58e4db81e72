"""Run records: a folder per run, written at once, read by every report.

================  ======================================================================
file              what
================  ======================================================================
config.json       what was run
provenance.json   with what: engine hash, versions
protocol.json     under which conditions; compare only runs that agree on these
metrics.json      AUCCESS, success curve, and for each task the attempt that solved it
attempts.npz      every attempt: task, action, outcome (may be left out of small records)
================  ======================================================================

Records hold no times and no paths: the same run gives the same bytes.
"""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from topple.runs.config import RunConfig
from topple.runs.record_files import (
    CONFIG,
    METRICS,
    PHYRE,
    PROTOCOL,
    PROVENANCE,
    RecordError,
    find_folders,
    read_parts,
    to_json,
    write_folder,
)
from topple.phyre.attempt import Attempt, AttemptLog
from topple.phyre.auccess import auccess, success_curve
from topple.phyre.task import TaskId
from topple.phyre.engine.result import Outcome

ATTEMPTS = "attempts.npz"


@dataclass(frozen=True, eq=False)
class RunRecord:
    """What came out of a run."""

    config: RunConfig
    provenance: Mapping[str, Any]
    protocol: Mapping[str, Any]
    tasks: tuple[TaskId, ...]  # the scored ones
    first_solved: npt.NDArray[np.int64]  # [tasks] attempt that solved each, from 1; 0: none
    attempts: tuple[Attempt, ...]  # in the order they were made; may have been left out

    @property
    def auccess(self) -> float:
        """The score."""
        return auccess(self.first_solved)

    @property
    def curve(self) -> npt.NDArray[np.float64]:
        """[100] the share of tasks solved within k attempts."""
        return success_curve(self.first_solved)

    def templates(self) -> dict[str, npt.NDArray[np.int64]]:
        """``first_solved`` of each template's tasks."""
        names = np.array([task.template for task in self.tasks])
        return {str(name): self.first_solved[names == name] for name in np.unique(names)}


def record_of(
    config: RunConfig, provenance: Mapping[str, Any], protocol: Mapping[str, Any], log: AttemptLog
) -> RunRecord:
    """The record of a finished run."""
    return RunRecord(config, provenance, protocol, log.tasks, log.first_solved(), tuple(log))


def write_record(folder: Path, record: RunRecord, *, attempts: bool = True) -> Path:
    """Write a record into a folder of records; it is there completely or not at all.

    Args:
        folder: of the records.
        record: what to write; one with the same config is replaced.
        attempts: whether single attempts are kept; no score needs them.

    Returns:
        The record's own folder.
    """
    files = {
        CONFIG: to_json(record.config.to_data()),
        PROVENANCE: to_json(record.provenance),
        PROTOCOL: to_json(record.protocol),
        METRICS: to_json(_metrics(record)),
    }
    if attempts:
        files[ATTEMPTS] = _pack_attempts(record)
    return write_folder(folder / record.config.name, files)


def read_record(folder: Path) -> RunRecord:
    """Read a record from its own folder.

    Raises:
        RecordError: The folder is no record.
    """
    try:
        config, provenance, protocol, metrics = read_parts(folder)
        return RunRecord(
            RunConfig.from_data(config),
            provenance,
            protocol,
            tuple(TaskId.parse(task) for task in metrics["first_solved"]),
            np.array(list(metrics["first_solved"].values()), np.int64),
            _unpack_attempts(folder / ATTEMPTS),
        )
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise RecordError(f"{folder} is no run record: {error}") from error


def find_records(*folders: Path) -> Iterator[RunRecord]:
    """All records in some folders, each a record or a folder of records, in order of names."""
    return (read_record(path) for path in find_folders(*folders, benchmark=PHYRE))


def _metrics(record: RunRecord) -> dict[str, Any]:
    solved = dict(zip(map(str, record.tasks), record.first_solved.tolist(), strict=True))
    return {
        "auccess": record.auccess,
        "success_curve": record.curve.tolist(),
        "first_solved": solved,
    }


def _pack_attempts(record: RunRecord) -> bytes:
    place = {task: number for number, task in enumerate(record.tasks)}
    buffer = io.BytesIO()
    np.savez_compressed(
        buffer,
        tasks=np.array([str(task) for task in record.tasks]),
        task=np.array([place[attempt.task] for attempt in record.attempts], np.int32),
        action=np.array([attempt.action for attempt in record.attempts], np.float64),
        outcome=np.array([attempt.outcome for attempt in record.attempts], np.int8),
    )
    return buffer.getvalue()


def _unpack_attempts(path: Path) -> tuple[Attempt, ...]:
    if not path.exists():
        return ()
    with np.load(path, allow_pickle=False) as data:
        tasks = [TaskId.parse(str(task)) for task in data["tasks"]]
        rows = zip(
            data["task"].tolist(), data["action"].tolist(), data["outcome"].tolist(), strict=True
        )
        return tuple(
            Attempt(tasks[place], tuple(action), Outcome(outcome))
            for place, action, outcome in rows
        )
