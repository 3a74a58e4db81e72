"""Experiments: agents on folds, run anywhere, kept as records."""

from topple.experiments.config import Part, RunConfig
from topple.experiments.run import Laboratory
from topple.experiments.store import RunRecord, find_records, read_record, write_record
from topple.experiments.sweep import sweep

__all__ = [
    "Laboratory",
    "Part",
    "RunConfig",
    "RunRecord",
    "find_records",
    "read_record",
    "sweep",
    "write_record",
]
