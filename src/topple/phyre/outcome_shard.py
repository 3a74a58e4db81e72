"""One file of the action cache: a template's tasks against a range of actions.

A file is a line of JSON, padded with spaces, then two bits per outcome, a row of bytes per
task. Rows grow and cells fill over time; a file is always replaced as a whole, so a reader
sees the old one or the new one.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from topple.files import whole_file
from topple.phyre.engine.result import Outcome

Outcomes = npt.NDArray[np.int8]

UNKNOWN = -2  # in an outcome array: not simulated yet
SHARD_ACTIONS = 1000  # of one file
_FORMAT = 1
_ALIGNMENT = 64  # of the first row
_ROW_BYTES = SHARD_ACTIONS // 4
# The two-bit codes, in order.
_VALUES = np.array([Outcome.INVALID, Outcome.NOT_SOLVED, Outcome.SOLVED, UNKNOWN], np.int8)
_UNPACKED: Outcomes = _VALUES[(np.arange(256)[:, None] >> np.arange(0, 8, 2)) & 3]


class CacheError(ValueError):
    """A file of the action cache cannot be used; the message says what to do with it."""


@dataclass(frozen=True, slots=True)
class ShardKey:
    """Which outcomes a file holds."""

    engine: str  # hash of the engine they come from
    tier: str
    seed: int  # of the action list
    template: str
    first: int  # number of the first action

    @property
    def path(self) -> Path:
        """Where the file lies in the cache folder."""
        name = f"{self.template}-{self.first:06d}.outcomes"
        return Path(self.engine, f"{self.tier}-{self.seed}", self.template, name)


@dataclass(frozen=True, slots=True, eq=False)
class Shard:
    """Outcomes read from a file, or to be written to one."""

    scenes: Mapping[str, str]  # task id -> digest of its scene, in the order of the rows
    packed: npt.NDArray[np.uint8]  # [tasks, SHARD_ACTIONS / 4]

    def rows(self, scenes: Mapping[str, str]) -> Outcomes:
        """[tasks, SHARD_ACTIONS] outcomes of some tasks; a scene that changed is unknown."""
        found = np.full((len(scenes), SHARD_ACTIONS), UNKNOWN, np.int8)
        places = {task: place for place, task in enumerate(self.scenes)}
        for row, (task, digest) in enumerate(scenes.items()):
            if self.scenes.get(task) == digest:
                found[row] = _UNPACKED[self.packed[places[task]]].reshape(-1)
        return found


def pack_outcomes(outcomes: Outcomes) -> npt.NDArray[np.uint8]:
    """[tasks, actions / 4] two bits per outcome; the number of actions is a multiple of 4."""
    codes = np.full(outcomes.shape, len(_VALUES), np.uint8)
    for code, value in enumerate(_VALUES):
        codes[outcomes == value] = code
    if (codes == len(_VALUES)).any():
        bad = outcomes[codes == len(_VALUES)][0]
        raise ValueError(f"outcome {bad} cannot be stored; the cache keeps -1, 0 and 1")
    quarters = codes.reshape(len(codes), -1, 4) << np.arange(0, 8, 2, dtype=np.uint8)
    packed: npt.NDArray[np.uint8] = np.bitwise_or.reduce(quarters, axis=2)
    return packed


def read_shard(folder: Path, key: ShardKey) -> Shard | None:
    """The shard in a cache folder, mapped into memory; None if there is none yet.

    Raises:
        CacheError: The file is damaged or belongs to another key.
    """
    path = folder / key.path
    try:
        with path.open("rb") as file:
            line = file.readline()
    except FileNotFoundError:
        return None
    try:
        header: dict[str, Any] = json.loads(line)
        scenes: dict[str, str] = header["scenes"]
        shape = (len(scenes), _ROW_BYTES)
        packed = np.memmap(path, np.uint8, mode="r", offset=len(line), shape=shape)
        intact = header["checksum"] == _checksum(packed)
    except (ValueError, KeyError, TypeError):
        intact = False
    if not intact:
        raise CacheError(f"{path} is damaged; delete it and it will be built again")
    if header["key"] != _key_data(key):
        raise CacheError(
            f"{path} holds {header['key']}, not {_key_data(key)}; it was moved or renamed, "
            "delete it and it will be built again"
        )
    return Shard(scenes, packed)


def merge_shard(folder: Path, key: ShardKey, scenes: Mapping[str, str], outcomes: Outcomes) -> None:
    """Add outcomes to a shard; cells that are unknown here stay as they are there.

    Args:
        folder: the cache folder.
        key: which shard.
        scenes: task id -> digest of its scene.
        outcomes: [tasks, SHARD_ACTIONS].
    """
    old = read_shard(folder, key)
    merged = dict(old.scenes) if old else {}
    kept = {task: digest for task, digest in merged.items() if scenes.get(task, digest) == digest}
    rows = {**kept, **scenes}
    rows = dict(sorted(rows.items()))  # one order, so that equal contents are equal bytes
    cells = old.rows(rows) if old else np.full((len(rows), SHARD_ACTIONS), UNKNOWN, np.int8)
    place = {task: row for row, task in enumerate(rows)}
    for task, row in zip(scenes, outcomes, strict=True):
        cells[place[task]] = np.where(row == UNKNOWN, cells[place[task]], row)
    packed = pack_outcomes(cells)
    header = {
        "format": _FORMAT,
        "key": _key_data(key),
        "checksum": _checksum(packed),
        "scenes": rows,
    }
    line = json.dumps(header, separators=(",", ":")).encode()
    line += b" " * (-(len(line) + 1) % _ALIGNMENT) + b"\n"
    with whole_file(folder / key.path) as temporary:
        temporary.write_bytes(line + packed.tobytes())


def _key_data(key: ShardKey) -> dict[str, object]:
    return {
        "engine": key.engine,
        "tier": key.tier,
        "seed": key.seed,
        "template": key.template,
        "first": key.first,
        "actions": SHARD_ACTIONS,
    }


def _checksum(packed: npt.NDArray[np.uint8]) -> str:
    return hashlib.blake2b(packed.tobytes(), digest_size=8).hexdigest()
