"""Run records of attempts that are given, not made by an agent."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from topple.phyre import Simulator, TaskId
from topple.phyre.attempt import AttemptLog
from topple.phyre.results import PhyreConfig, TaskResults
from topple.runs import RunRecord, write_record
from topple.runs.benchmark import provenance


def record_attempts(
    folder: Path, config: PhyreConfig, task: str, actions: Iterable[Sequence[float]]
) -> None:
    """Write the record of an agent that tries some actions on a task."""
    log = AttemptLog([TaskId.parse(task)])
    simulator = Simulator(task)
    for action in actions:
        log.append(TaskId.parse(task), action, simulator.attempt(task, action).outcome)
    write_record(folder, RunRecord(config, provenance("phyre"), {}, TaskResults.of(log)))
