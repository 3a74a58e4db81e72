"""Tables of outcomes: some tasks against some actions, simulated into a file.

A long table is worked through in parts. Each part is written to a folder beside the file as
soon as it is known, so a run that was stopped takes up where it was; the folder's name holds
a digest of the tasks, the actions and the settings, so parts of another run are never mixed
in. When all parts are there the file is written and the folder goes.
"""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from topple.files import whole_file
from topple.phyre.engine.native import SceneSet, simulate_batch
from topple.phyre.engine.request import Request
from topple.phyre.engine_hash import engine_hash
from topple.phyre.scene.codec import fingerprint
from topple.phyre.task import Task
from topple.progress import Progress

SMALL_PART = 8_192  # attempts: a few seconds of work
LARGE_PART = 131_072  # attempts: about a minute, for tables of millions
MANY_PARTS = 1_000
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
        with whole_file(path) as temporary, temporary.open("wb") as file:
            np.savez_compressed(
                file,
                tasks=np.array(self.tasks),
                actions=self.actions,
                outcome=self.outcome,
                steps=self.steps,
                digest=np.array(self.digest),
            )


def load_table(path: Path) -> OutcomeTable:
    """Read a table.

    Raises:
        FileNotFoundError: There is no such file.
        TableError: The file is no table of outcomes.
    """
    try:
        with np.load(path) as data:
            return OutcomeTable(
                tuple(data["tasks"].tolist()),
                data["actions"],
                data["outcome"],
                data["steps"],
                str(data["digest"]),
            )
    except FileNotFoundError:
        raise
    except Exception as error:  # NumPy raises whatever the broken part of a file leads to
        raise TableError(f"{path} is no table of outcomes: {error}") from None


class Sweep:
    """The work of making one table, which can be stopped and taken up again.

    Args:
        tasks: rows of the table, all of one tier.
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
        self._part = min(max(SMALL_PART, self.total // MANY_PARTS), LARGE_PART)
        self.is_finished = self._holds_this_table()
        if path.exists() and not self.is_finished and not overwrite:
            raise TableError(f"{path} holds something else; overwrite it or choose another name")

    @property
    def done(self) -> int:
        """Attempts that are known already."""
        if self.is_finished:
            return self.total
        return sum(stop - first for first, stop in self._spans() if self._file(first).exists())

    def run(self, threads: int | None = None, progress: Progress | None = None) -> OutcomeTable:
        """Simulate what is missing and write the table.

        Args:
            threads: at most this many; all cores by default.
            progress: called with the attempts done and in all, from another thread.
        """
        if self.is_finished:
            return load_table(self._path)
        scenes = SceneSet([task.scene for task in self._tasks])
        done = self.done
        for first, stop in self._spans():
            if not self._file(first).exists():
                self._simulate(scenes, first, stop, threads, _shifted(progress, done, self.total))
                done += stop - first
        parts = [np.load(self._file(first)) for first, _ in self._spans()]
        shape = (len(self._tasks), len(self._actions))
        table = OutcomeTable(
            tuple(str(task.id) for task in self._tasks),
            self._actions,
            np.concatenate([part[0] for part in parts]).astype(np.int8).reshape(shape),
            np.concatenate([part[1] for part in parts]).reshape(shape),
            self._digest,
        )
        table.save(self._path)
        self.is_finished = True
        shutil.rmtree(self._folder)
        return table

    def _holds_this_table(self) -> bool:
        try:
            return load_table(self._path).digest == self._digest
        except (FileNotFoundError, TableError):
            return False

    def _simulate(
        self,
        scenes: SceneSet,
        first: int,
        stop: int,
        threads: int | None,
        progress: Progress | None,
    ) -> None:
        row, column = np.divmod(np.arange(first, stop), len(self._actions))
        request = Request(stable=self._stable)
        result = simulate_batch(
            scenes, row, self._actions[column], request, threads=threads, progress=progress
        )
        with whole_file(self._file(first)) as temporary, temporary.open("wb") as file:
            np.save(file, np.stack([result.outcome, result.steps]).astype(np.int16))

    def _spans(self) -> list[tuple[int, int]]:
        """First and past-the-last attempt of each part, counted task by task."""
        return [
            (first, min(first + self._part, self.total))
            for first in range(0, self.total, self._part)
        ]

    def _file(self, first: int) -> Path:
        return self._folder / f"{first:010d}.npy"

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
    size = tiers.pop().action_size
    array = np.asarray(actions)
    if array.ndim != 2 or array.shape[1] != size or not len(array):
        raise TableError(f"actions have shape {array.shape}; these tasks take [actions, {size}]")
    if array.dtype.kind not in "fiu" or not ((array >= 0) & (array <= 1)).all():
        raise TableError("the numbers of an action lie between 0 and 1")
    return np.ascontiguousarray(array, dtype=np.float64)


def _shifted(progress: Progress | None, done: int, total: int) -> Progress | None:
    """A report on one part as a report on the whole."""
    return None if progress is None else lambda part, _: progress(done + part, total)
