"""Run records: one JSON file per run, written whole, read by every report.

A file ``NAME.run.json`` holds the config, the provenance (engine hash and versions), the protocol
(the conditions of the run; compare only runs that agree on them), the results with their metrics,
what is known of the training, and a digest of all this. Single attempts that no score needs may
lie beside it in ``NAME.DIGEST.npz``. Records hold no times and no paths: the same run gives the
same bytes.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Generic, TypeVar

from topple.arrays import Arrays, pack_arrays, unpack_arrays
from topple.files import write_whole
from topple.runs.agent import HUMAN, Kind
from topple.runs.benchmark import Results, config_from_data, find_benchmark
from topple.runs.config import RunConfig, S

SUFFIX = ".run.json"
_FORMAT = 2
_DIGEST_BYTES = 16
_MAX_DEPTH = 3  # containers that lie deeper are written on one line
_MAX_BYTES = 64 << 20  # of a record

R = TypeVar("R", bound=Results, covariant=True)


class RecordError(ValueError):
    """A file is no run record, or one that cannot be used; the message names it."""


@dataclass(frozen=True, eq=False)
class RunRecord(Generic[S, R]):
    """What came out of a run.

    Attributes:
        config: what was run.
        provenance: the engine hash and the versions it was run with.
        protocol: under which conditions.
        results: the results, from which all scores are computed.
        training: steps, seconds and curve of the training, if the agent reports them.
    """

    config: RunConfig[S]
    provenance: Mapping[str, Any]
    protocol: Mapping[str, Any]
    results: R
    training: Mapping[str, Any] = field(default_factory=dict)

    @property
    def kind(self) -> Kind:
        """Where the knowledge behind its results came from."""
        if self.protocol.get("privileged"):
            return Kind.ORACLE
        if self.config.agent == HUMAN:
            return Kind.PEOPLE
        return Kind.IMAGINING if "imagination" in self.protocol else Kind.LEARNED


def record_path(folder: Path, config: RunConfig[Any]) -> Path:
    """The file of a run in a folder of records."""
    return folder / f"{config.name}{SUFFIX}"


def conversation_folder(path: Path) -> Path:
    """The folder beside a record where the conversations of a language model are kept."""
    return path.with_name(f"{path.name.removesuffix(SUFFIX)}.llm")


def write_record(folder: Path, record: RunRecord[Any, Any], *, attempts: bool = True) -> Path:
    """Write a record into a folder of records, in place of one with the same config.

    Args:
        folder: the folder of records.
        record: the record.
        attempts: whether single attempts are kept, too; no score needs them.
    """
    path = record_path(folder, record.config)
    arrays = record.results.arrays() if attempts else None
    beside = None
    if arrays is not None:
        content = pack_arrays(arrays)
        beside = f"{record.config.name}.{_digest(content)[:8]}.npz"
        write_whole(folder / beside, content)
    data: dict[str, Any] = {
        "format": _FORMAT,
        "config": record.config.to_data(),
        "provenance": dict(record.provenance),
        "protocol": dict(record.protocol),
        "metrics": record.results.metrics(),
        "results": record.results.to_data(),
        "arrays": None if beside is None else {"file": beside, "digest": _digest(content)},
    }
    if record.training:
        data["training"] = dict(record.training)
    data["digest"] = _digest(_canonical(data))
    write_whole(path, _dumps(data) + "\n")
    for old in folder.glob(f"{record.config.name}.*.npz"):
        if old.name != beside:
            old.unlink(missing_ok=True)
    return path


def read_record(path: Path) -> RunRecord[Any, Any]:
    """Read a record and check it.

    Raises:
        RecordError: The file is no record, is damaged, or its scores are not those of its results.
    """
    return _record(path, read_data(path))


def _record(path: Path, data: Mapping[str, Any]) -> RunRecord[Any, Any]:
    try:
        config = config_from_data(data["config"])
        benchmark = find_benchmark(config.benchmark)
        results = benchmark.results_from_data(data["results"], _read_arrays(path, data["arrays"]))
        if json.loads(_canonical(results.metrics())) != data["metrics"]:
            raise RecordError(f"{path} is damaged: its metrics are not those of its results")
        return RunRecord(
            config, data["provenance"], data["protocol"], results, data.get("training", {})
        )
    except RecordError:
        raise
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise _no_record(path, error) from error


def _no_record(path: Path, error: Exception) -> RecordError:
    reason = f"it has no entry {error}" if isinstance(error, KeyError) else str(error)
    return RecordError(f"{path} is no run record: {reason}")


def read_data(path: Path) -> dict[str, Any]:
    """The plain values of a record, without its arrays.

    Raises:
        RecordError: The file is no record or is damaged.
    """
    try:
        if path.stat().st_size > _MAX_BYTES:
            raise ValueError(f"it has more than {_MAX_BYTES:,} bytes")
        data = json.loads(path.read_text(encoding="utf-8"))
        if not isinstance(data, dict):
            raise ValueError("it holds no JSON object")
        found, digest = data["format"], data.pop("digest")
        intact = digest == _digest(_canonical(data))
    except (OSError, ValueError, KeyError, RecursionError) as error:
        raise _no_record(path, error) from error
    if found != _FORMAT:
        raise RecordError(f"{path} has format {found!r}, but this version reads {_FORMAT}")
    if not intact:
        raise RecordError(f"{path} is damaged: its digest is not that of its contents; run again")
    return dict(data)


def record_paths(*places: Path) -> Iterator[Path]:
    """The files of records in some places, each a file or a folder of records, in order of names.

    Raises:
        RecordError: A place does not exist.
    """
    for place in places:
        if place.is_dir():
            yield from sorted(place.glob(f"[!.]*{SUFFIX}"))
        elif place.is_file():
            yield place
        else:
            raise RecordError(f"{place} does not exist; give a run record or a folder of them")


def find_records(*places: Path, benchmark: str | None = None) -> Iterator[RunRecord[Any, Any]]:
    """All records in some places that this engine made.

    Args:
        places: files and folders of records.
        benchmark: the benchmark to which they have to belong; any by default.

    Raises:
        RecordError: A record cannot be used, or another engine made it.
    """
    for path in record_paths(*places):
        data = read_data(path)
        if benchmark in (None, data["config"].get("benchmark")):
            record = _record(path, data)
            if not made_here(record):
                ours = find_benchmark(record.config.benchmark).engine_hash()
                raise RecordError(
                    f"{path} was made with engine {record.provenance.get('engine')}, this is "
                    f"{ours}: their outcomes cannot be compared; run it again, or keep the records "
                    "of the engines in folders of their own"
                )
            yield record


def made_here(record: RunRecord[Any, Any]) -> bool:
    """Whether this engine made a record."""
    ours = find_benchmark(record.config.benchmark).engine_hash()
    return record.provenance.get("engine") == ours


def _read_arrays(path: Path, entry: Mapping[str, str] | None) -> Arrays | None:
    """The arrays beside a record; None if they were not kept or were moved away."""
    if entry is None:
        return None
    file = path.with_name(Path(entry["file"]).name)
    if not file.exists():
        return None
    content = file.read_bytes()
    if _digest(content) != entry["digest"]:
        raise RecordError(f"{file} is damaged: its digest is not that of {path.name}; delete it")
    try:
        return unpack_arrays(content)
    except ValueError as error:
        raise RecordError(f"{file} cannot be used: {error}") from error


def _canonical(data: object) -> bytes:
    return json.dumps(data, sort_keys=True, separators=(",", ":"), allow_nan=False).encode()


def _digest(content: bytes) -> str:
    return hashlib.blake2b(content, digest_size=_DIGEST_BYTES).hexdigest()


def _dumps(value: Any, depth: int = 0) -> str:
    """JSON for people: containers that hold others get a line per item, the rest one line."""
    inner = list(value.values()) if isinstance(value, dict) else value
    nested = isinstance(inner, list) and any(isinstance(item, dict | list) for item in inner)
    if not nested or depth == _MAX_DEPTH:
        return json.dumps(value, sort_keys=True, allow_nan=False)
    if isinstance(value, dict):
        parts = [f"{json.dumps(key)}: {_dumps(value[key], depth + 1)}" for key in sorted(value)]
        start, end = "{}"
    else:
        parts, (start, end) = [_dumps(item, depth + 1) for item in value], "[]"
    lines = ",\n".join(" " * (depth + 1) + part for part in parts)
    return f"{start}\n{lines}\n{' ' * depth}{end}"
