"""Solution indexes: which listed actions solve each task, in a few bytes per task.

An action that is valid on a task either solves it or not, and validity is geometry, so the
numbers of the solving actions are all one has to keep. The package brings an index of 100,000
actions on all published tasks of each tier; others, of longer lists, other seeds or your own
templates, can be exported and imported.

A file is a line of JSON, which says what the index covers, and the coded numbers.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from topple.files import write_whole
from topple.phyre.cache.shard import CacheError, digest_of
from topple.phyre.cache.solution_codec import decode_solutions, encode_solutions
from topple.phyre.tier import Tier

Numbers = npt.NDArray[np.int32]

SUFFIX = ".solutions"
_FORMAT = 1
_IMPORTED = "indexes"  # folder of a cache that imported indexes lie in
_LARGEST_HEADER = 1 << 24  # bytes; longer lines are no headers
_LARGEST_CELLS = 1 << 36  # tasks times actions of an index


@dataclass(frozen=True, eq=False)
class SolutionIndex:
    """The solving actions of some tasks, as sparse rows."""

    engine: str  # hash of the engine that simulated them
    tier: str
    seed: int  # of the action list
    actions: int  # how many actions of the list were tried on every task
    scenes: Mapping[str, str]  # task id -> digest of its scene, in the order of the rows
    numbers: Numbers  # [solutions] of all tasks, each task's in order
    starts: npt.NDArray[np.int64]  # [tasks + 1] where each task's numbers begin

    @cached_property
    def _places(self) -> dict[str, int]:
        return {task: row for row, task in enumerate(self.scenes)}

    def solutions(self, task: str, count: int | None = None) -> Numbers:
        """The numbers of the actions that solve a task, among the first so many, in order."""
        place = self._places[task]
        found = self.numbers[self.starts[place] : self.starts[place + 1]]
        return found if count is None else found[: np.searchsorted(found, count)]

    @property
    def name(self) -> str:
        """A file name that says what the index covers."""
        scenes = digest_of(json.dumps(dict(self.scenes)).encode())
        return f"{self.engine}-{self.tier}-{self.seed}-{self.actions}-{scenes}{SUFFIX}"

    def save(self, path: Path) -> None:
        """Write the index, whole or not at all."""
        payload = encode_solutions(self.numbers, self.starts, self.actions)
        header = {
            "format": _FORMAT,
            "engine": self.engine,
            "tier": self.tier,
            "seed": self.seed,
            "actions": self.actions,
            "scenes": dict(self.scenes),
        }
        line = _line({**header, "checksum": digest_of(_line(header) + payload)})
        write_whole(path, line + payload)


def _line(header: Mapping[str, Any]) -> bytes:
    return json.dumps(header, separators=(",", ":")).encode() + b"\n"


def make_index(
    engine: str,
    tier: Tier,
    seed: int,
    actions: int,
    scenes: Mapping[str, str],
    solutions: Sequence[npt.NDArray[Any]],
) -> SolutionIndex:
    """An index of some tasks.

    Args:
        engine: hash of the engine that simulated them.
        tier: of the tasks.
        seed: of the action list.
        actions: how many actions of the list were tried on every task.
        scenes: task id -> digest of its scene.
        solutions: the sorted numbers of the actions that solve each task.
    """
    starts = np.cumsum([0, *map(len, solutions)])
    numbers = np.concatenate([np.zeros(0, np.int32), *solutions]).astype(np.int32)
    return SolutionIndex(engine, tier.value, seed, actions, dict(scenes), numbers, starts)


def read_index(path: Path) -> SolutionIndex:
    """Read an index.

    Raises:
        FileNotFoundError: There is no such file.
        CacheError: The file is damaged or of another format.
    """
    with path.open("rb") as file:
        line = file.readline(_LARGEST_HEADER)
        payload = file.read()
    try:
        header: dict[str, Any] = json.loads(line)
        form, checksum = header["format"], header.pop("checksum")
        if form == _FORMAT:
            engine, tier = str(header["engine"]), Tier.parse(header["tier"]).value
            seed, actions = int(header["seed"]), int(header["actions"])
            scenes = {str(task): str(digest) for task, digest in header["scenes"].items()}
            if checksum != digest_of(_line(header) + payload):
                raise ValueError("wrong checksum")
            if not 0 < len(scenes) * actions <= _LARGEST_CELLS:
                raise ValueError("nothing, or too much")
            numbers, starts = decode_solutions(payload, len(scenes), actions)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise CacheError(f"{path} is damaged or is not a solution index; get it again") from None
    if form != _FORMAT:
        raise CacheError(
            f"{path} has format {form}, this version of Topple reads {_FORMAT}; export it again"
        )
    return SolutionIndex(engine, tier, seed, actions, scenes, numbers, starts)


@cache
def shipped_index(tier: Tier) -> SolutionIndex:
    """The index of the published tasks that comes with the package."""
    return read_index(Path(__file__).with_name(f"{tier.value}{SUFFIX}"))


def imported_path(folder: Path, index: SolutionIndex) -> Path:
    """Where an imported index lies in the folder of a cache."""
    return folder / _IMPORTED / index.name


def imported_indexes(folder: Path, tier: Tier) -> list[SolutionIndex]:
    """The indexes of a tier in the folder of a cache.

    Raises:
        CacheError: One of them is damaged.
    """
    paths = sorted((folder / _IMPORTED).glob(f"*-{tier.value}-*{SUFFIX}"))
    return [read_index(path) for path in paths]
