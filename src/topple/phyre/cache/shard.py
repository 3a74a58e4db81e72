"""One file of an outcome grid: a template's tasks against a range of actions.

A file is a line of JSON, padded with spaces, then a row of bytes per task: two bits per
outcome, or two bytes per outcome and its steps. Rows grow and cells fill over time; a file is
always replaced as a whole, so a reader sees the old one or the new one, and writers wait for
each other.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from topple.files import lock, write_whole
from topple.phyre.engine.result import Outcome

Outcomes = npt.NDArray[np.int8]
Cells = npt.NDArray[np.int8] | npt.NDArray[np.int16]  # see join_steps for the wide ones

UNKNOWN = -2  # in an array of cells: not simulated yet
SHARD_ACTIONS = 1000  # of one file
_FORMAT = 1
_ALIGNMENT = 64  # of the first row
_LARGEST_HEADER = 1 << 22  # bytes; longer lines are no headers
# The two-bit codes, in order.
_VALUES = np.array([Outcome.INVALID, Outcome.NOT_SOLVED, Outcome.SOLVED, UNKNOWN], np.int8)
_UNPACKED: Outcomes = _VALUES[(np.arange(256)[:, None] >> np.arange(0, 8, 2)) & 3]
_STEP = 8  # wide cells: steps * 8 + outcome + 1


class CacheError(ValueError):
    """Stored outcomes cannot be used; the message says why and what to do."""


@dataclass(frozen=True, slots=True)
class ShardKey:
    """Which outcomes a file holds."""

    engine: str  # hash of the engine they come from
    tier: str
    seed: int | str  # of the fixed action list; or a digest of other actions and settings
    template: str
    first: int  # number of the first action
    steps: bool = False  # whether cells hold steps, too

    @property
    def path(self) -> Path:
        """Where the file lies in the folder of the grid."""
        name = f"{self.template}-{self.first:06d}.{'steps' if self.steps else 'outcomes'}"
        return Path(self.engine, f"{self.tier}-{self.seed}", self.template, name)

    @property
    def row_bytes(self) -> int:
        """The size of a task's row."""
        return 2 * SHARD_ACTIONS if self.steps else SHARD_ACTIONS // 4

    def header(self) -> dict[str, object]:
        """What the file says of itself."""
        header: dict[str, object] = asdict(self)
        steps = {"steps": True} if header.pop("steps") else {}
        return {**header, "actions": SHARD_ACTIONS, **steps}


def unknown_cells(shape: tuple[int, int], steps: bool) -> Cells:
    """An array of cells that are not simulated yet."""
    if steps:
        return np.full(shape, UNKNOWN, np.int16)
    return np.full(shape, UNKNOWN, np.int8)


def join_steps(outcome: npt.NDArray[np.int8], steps: npt.NDArray[Any]) -> npt.NDArray[np.int16]:
    """Wide cells: of each attempt the outcome, one of five, and the steps."""
    return (steps.astype(np.int16) * _STEP + outcome + 1).astype(np.int16)


def split_steps(cells: npt.NDArray[np.int16]) -> tuple[Outcomes, npt.NDArray[np.int16]]:
    """Outcomes and steps of wide cells, all of them known."""
    return (cells % _STEP - 1).astype(np.int8), cells // _STEP


@dataclass(frozen=True, slots=True, eq=False)
class Shard:
    """Outcomes read from a file."""

    scenes: Mapping[str, str]  # task id -> digest of its scene, in the order of the rows
    packed: npt.NDArray[np.uint8]  # [tasks, bytes of a row]

    def rows(self, scenes: Mapping[str, str]) -> Cells:
        """[tasks, SHARD_ACTIONS] cells of some tasks; those of a scene that changed are unknown."""
        wide = self.packed.shape[1] > SHARD_ACTIONS
        found = unknown_cells((len(scenes), SHARD_ACTIONS), wide)
        places = {task: place for place, task in enumerate(self.scenes)}
        for row, (task, digest) in enumerate(scenes.items()):
            if self.scenes.get(task) == digest:
                packed = self.packed[places[task]]
                found[row] = packed.view("<i2") if wide else _UNPACKED[packed].reshape(-1)
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
    """The shard in the folder of a grid; None if there is none yet.

    Raises:
        CacheError: The file is damaged, of another format or belongs to another key.
    """
    path = folder / key.path
    try:
        with path.open("rb") as file:  # one handle: the name may be given to a new file meanwhile
            line = file.readline(_LARGEST_HEADER)
            payload = file.read()
    except FileNotFoundError:
        return None
    try:
        header: dict[str, Any] = json.loads(line)
        form, scenes, found, intact = header["format"], header["scenes"], header["key"], True
        if form == _FORMAT:
            packed = np.frombuffer(payload, np.uint8).reshape(len(scenes), key.row_bytes)
            intact = header["checksum"] == digest_of(payload)
    except (ValueError, KeyError, TypeError, RecursionError):
        intact = False
    if not intact:
        raise CacheError(f"{path} is damaged; delete it and it will be built again")
    if form != _FORMAT:
        raise CacheError(
            f"{path} has format {form}, this version of Topple reads {_FORMAT}; delete it and it "
            "will be built again"
        )
    if found != key.header():
        raise CacheError(
            f"{path} holds {found}, not {key.header()}; it was moved or renamed, "
            "delete it and it will be built again"
        )
    return Shard(scenes, packed)


def merge_shard(folder: Path, key: ShardKey, scenes: Mapping[str, str], cells: Cells) -> None:
    """Add cells to a shard; those that are unknown here stay as they are there.

    Args:
        folder: of the grid.
        key: which shard.
        scenes: task id -> digest of its scene.
        cells: [tasks, SHARD_ACTIONS].
    """
    path = folder / key.path
    with lock(path.with_name("lock")):
        old = read_shard(folder, key)
        kept = {
            task: digest
            for task, digest in (old.scenes if old else {}).items()
            if scenes.get(task, digest) == digest
        }
        rows = dict(sorted({**kept, **scenes}.items()))  # equal contents are equal bytes
        merged = old.rows(rows) if old else unknown_cells((len(rows), SHARD_ACTIONS), key.steps)
        place = {task: row for row, task in enumerate(rows)}
        for task, row in zip(scenes, cells, strict=True):
            merged[place[task]] = np.where(row == UNKNOWN, merged[place[task]], row)
        narrow = merged.astype(np.int8)
        payload = (merged.astype("<i2") if key.steps else pack_outcomes(narrow)).tobytes()
        header = {
            "format": _FORMAT,
            "key": key.header(),
            "checksum": digest_of(payload),
            "scenes": rows,
        }
        line = json.dumps(header, separators=(",", ":")).encode()
        line += b" " * (-(len(line) + 1) % _ALIGNMENT) + b"\n"
        write_whole(path, line + payload)


def digest_of(payload: bytes) -> str:
    """The checksum that stands in a header."""
    return hashlib.blake2b(payload, digest_size=8).hexdigest()
