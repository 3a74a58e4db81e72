"""People of a study as run records, beside those of agents."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from topple.cli.study import open_store
from topple.runs.record import RunRecord, write_record


def keep_people(study: str, database: str | None, folder: Path) -> list[RunRecord[Any, Any]]:
    """Write a record for each participant of a study into a folder of runs.

    Raises:
        ValueError: nobody has made an attempt yet.
    """
    with open_store(database) as store:
        from topple.player.study_records import study_records

        records = list(study_records(store, study))
        if not records:
            raise ValueError(f"nobody has made an attempt in study {study!r} yet")
        for record in records:
            write_record(folder, record)
    return records
