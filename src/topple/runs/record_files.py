"""The files of a run record, whichever benchmark it is of."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

CONFIG = "config.json"
PROVENANCE = "provenance.json"
PROTOCOL = "protocol.json"
METRICS = "metrics.json"

PHYRE = "phyre"
IPHYRE = "iphyre"
BENCHMARK = "benchmark"  # in a config; PHYRE's may leave it out


class RecordError(ValueError):
    """A folder is no run record; the message names it."""


def to_json(data: object) -> bytes:
    """The bytes a part of a record is kept as: the same for the same data."""
    return (json.dumps(data, indent=1, sort_keys=True) + "\n").encode()


def write_folder(final: Path, files: Mapping[str, bytes]) -> Path:
    """Write a record's folder; it is there completely or not at all, in place of an older one."""
    final.parent.mkdir(parents=True, exist_ok=True)
    temporary = Path(tempfile.mkdtemp(dir=final.parent, prefix=".new-"))
    try:
        for name, content in files.items():
            (temporary / name).write_bytes(content)
        temporary.chmod(0o755)  # mkdtemp's folders are private
        if final.exists():
            shutil.rmtree(final)
        os.rename(temporary, final)
    except BaseException:
        shutil.rmtree(temporary, ignore_errors=True)
        raise
    return final


def beside(folder: Path) -> Path:
    """Where what a model said in a run is kept: beside its record, not in it."""
    return folder.with_name(f"{folder.name}.llm")


def read_parts(folder: Path) -> list[Any]:
    """Config, provenance, protocol and metrics of a record."""
    names = (CONFIG, PROVENANCE, PROTOCOL, METRICS)
    return [json.loads((folder / name).read_text()) for name in names]


def find_folders(*folders: Path, benchmark: str) -> Iterator[Path]:
    """The records of a benchmark in some folders, each a record or a folder of records.

    Raises:
        RecordError: A folder does not exist, or a config in it is damaged.
    """
    for folder in folders:
        if not folder.is_dir():
            raise RecordError(f"{folder} is no folder; give a run record or a folder of them")
        found = [folder] if (folder / CONFIG).exists() else sorted(folder.iterdir())
        for path in found:
            whole = (path / CONFIG).exists() and not path.name.startswith(".")
            if whole and _benchmark(path) == benchmark:
                yield path


def _benchmark(folder: Path) -> str:
    try:
        return str(json.loads((folder / CONFIG).read_text()).get(BENCHMARK, PHYRE))
    except (OSError, ValueError, AttributeError) as error:
        raise RecordError(f"{folder} is no run record: {error}") from error
