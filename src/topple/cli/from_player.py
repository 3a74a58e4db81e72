"""People of a study as run records, beside those of agents."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from topple.cli.run_tables import show_game_runs, show_runs
from topple.cli.study import open_store
from topple.runs.game_store import GameRunRecord, write_game_record
from topple.runs.store import RunRecord, write_record


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


def show_people(records: Iterable[RunRecord | GameRunRecord], as_json: bool) -> None:
    """Print what the people of a study scored; it is of one benchmark."""
    kept = list(records)
    games = [record for record in kept if isinstance(record, GameRunRecord)]
    if games:
        show_game_runs(games, as_json)
    else:
        show_runs([record for record in kept if isinstance(record, RunRecord)], as_json)
