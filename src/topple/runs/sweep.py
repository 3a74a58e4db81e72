"""Many runs, each kept as soon as it is done, so that a stopped sweep goes on where it was."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from topple.runs.config import RunConfig
from topple.runs.record_files import CONFIG
from topple.runs.run import Laboratory, provenance
from topple.runs.store import RunRecord, read_record, write_record


def sweep(
    configs: Iterable[RunConfig],
    laboratory: Laboratory,
    folder: Path,
    *,
    attempts: bool = True,
    on_start: Callable[[RunConfig], None] | None = None,
    anew: bool = False,
) -> Iterator[RunRecord]:
    """Yield the record of each config, from disk or by running it.

    A record is taken from disk if it has this config and comes from this engine. What it
    takes to make the others is done once: simulations go to the action cache first.

    Args:
        configs: what to run.
        laboratory: where.
        folder: of the records.
        attempts: whether single attempts are written; no score needs them.
        on_start: called with a config before it is run, not if it is on disk.
        anew: run it even if it is on disk; the record is replaced when it is done.
    """
    for config in configs:
        record = None if anew else _finished(config, folder)
        if record is None:
            if on_start is not None:
                on_start(config)
            record = laboratory.run(config)
            write_record(folder, record, attempts=attempts)
        yield record


def _finished(config: RunConfig, folder: Path) -> RunRecord | None:
    path = folder / config.name
    if not (path / CONFIG).exists():
        return None
    record = read_record(path)
    same_engine = record.provenance.get("engine") == provenance()["engine"]
    return record if record.config == config and same_engine else None
