"""Tables of outcomes: some tasks against some actions, simulated into a file.

A long table is worked through in units, which a grid in a folder beside the file keeps, so an
interrupted run resumes where it stopped. The folder's name holds a digest of the tasks, the
actions and the settings, so cells of another run are never mixed in. When all cells are there
the file is written and the folder goes.
"""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from topple.arrays import arrays_digest, pack_arrays, unpack_arrays
from topple.files import write_whole
from topple.phyre.cache.grid import OutcomeGrid
from topple.phyre.cache.shard import UNKNOWN, split_steps
from topple.phyre.engine_hash import engine_hash
from topple.phyre.scene.codec import fingerprint
from topple.phyre.task import Task
from topple.progress import Progress

_DIGEST_LENGTH = 16


class TableError(ValueError):
    """A table cannot be made or read; the message says why and what to do."""


@dataclass(frozen=True, slots=True, eq=False)
class OutcomeTable:
    """What became of every action on every task."""

    tasks: tuple[str, ...]
    actions: npt.NDArray[np.float64]  # [actions, 3 * balls]
    outcome: npt.NDArray[np.int8]  # [tasks, actions] values of Outcome
    steps: npt.NDArray[np.int16]  # [tasks, actions] last step if solved, else the limit
    digest: str  # of the engine, tasks, scenes, actions and settings

    def save(self, path: Path) -> None:
        """Write the table as NPZ, whole or not at all."""
        arrays = {
            "tasks": np.array(self.tasks),
            "actions": self.actions,
            "outcome": self.outcome,
            "steps": self.steps,
            "digest": np.array(self.digest),
        }
        content = pack_arrays({**arrays, "checksum": np.array(arrays_digest(arrays))})
        write_whole(path, content)


def load_table(path: Path) -> OutcomeTable:
    """Read a table.

    Raises:
        FileNotFoundError: There is no such file.
        TableError: The file is not a table of outcomes.
    """
    content = path.read_bytes()
    try:
        data = unpack_arrays(content)
        if str(data.pop("checksum")) != arrays_digest(data):
            raise ValueError("its checksum is not that of its contents")
        return OutcomeTable(
            tuple(data["tasks"].tolist()),
            data["actions"],
            data["outcome"],
            data["steps"],
            str(data["digest"]),
        )
    except KeyError as error:
        raise TableError(f"{path} is not a table of outcomes: it has no {error}") from None
    except ValueError as error:
        raise TableError(f"{path} is not a table of outcomes, or a damaged one: {error}") from None


class TableBuilder:
    """The work of making one table, which can be interrupted and resumed.

    Args:
        tasks: rows of the table, all different and of one tier.
        actions: [actions, 3 * balls] columns of the table.
        path: the file to write, ``.npz``.
        stable: also try the half-pixel neighbours of every solution.
        overwrite: replace a file that holds something else.

    Raises:
        TableError: The actions do not suit the tasks, or the file holds something else.
    """

    def __init__(
        self,
        tasks: Sequence[Task],
        actions: npt.ArrayLike,
        path: Path,
        *,
        stable: bool = False,
        overwrite: bool = False,
    ) -> None:
        self._tasks, self._path, self._stable = tuple(tasks), path, stable
        self._actions = _check(self._tasks, actions, path)
        self._digest = self._make_digest()
        self._folder = path.with_name(f"{path.name}.{self._digest}.parts")
        self.total = len(self._tasks) * len(self._actions)
        self.is_finished = self._holds_this_table()
        if path.exists() and not self.is_finished and not overwrite:
            raise TableError(f"{path} holds something else; overwrite it or choose another name")

    @property
    def done(self) -> int:
        """How many attempts are known already."""
        if self.is_finished:
            return self.total
        known = self._grid().known(self._tasks, len(self._actions))
        return int((known != UNKNOWN).sum())

    def run(self, threads: int | None = None, progress: Progress | None = None) -> OutcomeTable:
        """Simulate what is missing and write the table.

        Args:
            threads: at most this many; all cores by default.
            progress: called with the attempts done and in all.
        """
        if self.is_finished:
            return load_table(self._path)
        done = self.done

        def report(part: int, _: int) -> None:
            if progress is not None:
                progress(done + part, self.total)

        grid = self._grid(threads, report)
        outcome, steps = split_steps(grid.cells(self._tasks, len(self._actions)))
        names = tuple(str(task.id) for task in self._tasks)
        table = OutcomeTable(names, self._actions, outcome, steps, self._digest)
        table.save(self._path)
        self.is_finished = True
        shutil.rmtree(self._folder, ignore_errors=True)
        return table

    def _grid(self, threads: int | None = None, progress: Progress | None = None) -> OutcomeGrid:
        return OutcomeGrid(
            self._folder,
            self._tasks[0].tier,
            self._digest,
            lambda count: self._actions[:count],
            steps=True,
            stable=self._stable,
            progress=progress,
            threads=threads,
        )

    def _holds_this_table(self) -> bool:
        try:
            return load_table(self._path).digest == self._digest
        except (FileNotFoundError, TableError):
            return False

    def _make_digest(self) -> str:
        digest = hashlib.sha256(f"{engine_hash()} {self._stable} {self._actions.shape}".encode())
        digest.update(" ".join(str(task.id) for task in self._tasks).encode())
        digest.update(fingerprint(task.scene for task in self._tasks).encode())
        digest.update(self._actions.tobytes())
        return digest.hexdigest()[:_DIGEST_LENGTH]


def _check(tasks: Sequence[Task], actions: npt.ArrayLike, path: Path) -> npt.NDArray[np.float64]:
    """The actions as the engine takes them, if they suit the tasks."""
    if path.suffix != ".npz":
        raise TableError(f"{path}: a table of outcomes is a file that ends in .npz")
    tiers = {task.tier for task in tasks}
    if len(tiers) != 1:
        raise TableError("a table needs tasks, all of one tier")
    if len({task.id for task in tasks}) != len(tasks):
        raise TableError("a table has one row per task; a task is listed twice")
    size = tiers.pop().action_size
    array = np.asarray(actions)
    if array.ndim != 2 or array.shape[1] != size or not len(array):
        raise TableError(f"actions have shape {array.shape}; these tasks take [actions, {size}]")
    if array.dtype.kind not in "fiu" or not ((array >= 0) & (array <= 1)).all():
        raise TableError("the numbers of an action lie between 0 and 1")
    return np.ascontiguousarray(array, dtype=np.float64)
