"""People of a study as run records, beside those of agents."""

from __future__ import annotations

from pathlib import Path

from topple.cli.study import open_store
from topple.experiments.game_store import GameRunRecord, write_game_record
from topple.experiments.store import RunRecord, write_record


def keep_people(study: str, database: str | None, folder: Path) -> list[RunRecord | GameRunRecord]:
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
            if isinstance(record, GameRunRecord):
                write_game_record(folder, record)
            else:
                write_record(folder, record)
    return records
