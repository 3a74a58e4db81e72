"""Ceilings of grids of actions, from the simulation of every cell on every task.

For each task, the number of cells that fit and the number that solve it are all that is kept:
the share of tasks with a solving cell is what a perfect agent can solve, and both numbers give
the exact expectation of an agent that tries fitting cells in random order. The counts of some
grids on all one-ball tasks come with the package; others are simulated and stored in a cache.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from topple.files import write_whole
from topple.phyre.auccess import MAX_ATTEMPTS, auccess_of_curve
from topple.phyre.engine.backend import Backend
from topple.phyre.engine.native import SceneSet, map_actions, simulate_batch
from topple.phyre.engine.result import Outcome
from topple.phyre.engine_hash import engine_hash
from topple.phyre.grid import Grid
from topple.phyre.scene.codec import fingerprint
from topple.phyre.task import Task
from topple.progress import Progress
from topple.reports.table import Table

#: Folder of the counts that come with the package, a file for each grid.
SHIPPED = Path(__file__).with_name("grids")
CHUNK = 1 << 16  # attempts simulated at once, so that an interrupt is noticed soon

Ints = npt.NDArray[np.int64]


class Counts(NamedTuple):
    """The cells of a grid on some tasks."""

    fitting: Ints  # [tasks] cells that fit the scene
    solving: Ints  # [tasks] cells that solve the task


@dataclass(frozen=True)
class Ceiling:
    """What a grid allows on the tasks of a template.

    Attributes:
        template: id of the template.
        tasks: number of its tasks.
        solvable: share of them that some cell solves.
        optimal: AUCCESS of OPTIMAL, which tries a solving cell first: the same share.
        cells: median number of solving cells, over the tasks that have any.
        random: expected AUCCESS of trying fitting cells in random order.
    """

    template: str
    tasks: int
    solvable: float
    optimal: float
    cells: float
    random: float


def count_cells(
    grid: Grid,
    tasks: Sequence[Task],
    backend: Backend = "cpu",
    progress: Callable[[int], None] | None = None,
) -> Counts:
    """Simulate every fitting cell of a grid on every task.

    Args:
        grid: the grid.
        tasks: tasks of one tier.
        backend: where attempts are simulated.
        progress: called with the number of attempts after each chunk.
    """
    actions = grid.actions(tasks[0].tier)
    scenes = SceneSet([task.scene for task in tasks])
    place = np.repeat(np.arange(len(tasks), dtype=np.int32), len(actions))
    number = np.tile(np.arange(len(actions), dtype=np.int32), len(tasks))
    fitting = np.zeros(len(tasks), np.int64)
    solving = np.zeros(len(tasks), np.int64)
    for start in range(0, len(place), CHUNK):
        part = slice(start, start + CHUNK)
        fits = map_actions(scenes, place[part], actions[number[part]])[0]
        where, cells = place[part][fits], number[part][fits]
        outcome = simulate_batch(scenes, where, actions[cells], backend=backend).outcome
        fitting += np.bincount(where, minlength=len(tasks))
        solving += np.bincount(where[outcome == Outcome.SOLVED], minlength=len(tasks))
        if progress is not None:
            progress(len(fits))
    return Counts(fitting, solving)


def grid_counts(
    grid: Grid,
    tasks: Sequence[Task],
    folder: Path,
    backend: Backend = "cpu",
    progress: Progress | None = None,
) -> Counts:
    """The counts of a grid on some tasks, template by template, from files or simulated now.

    An interrupted run keeps the templates it has finished.

    Args:
        grid: the grid.
        tasks: tasks of one tier.
        folder: folder where new counts are stored; those of the package are looked up first.
        backend: where attempts are simulated.
        progress: called with the attempts done and in all, of what has to be simulated.
    """
    groups: dict[str, list[Task]] = {}
    for task in tasks:
        groups.setdefault(task.id.template, []).append(task)
    file = folder / f"{grid}.json"
    known = {**_read(file), **_shipped(grid)}
    keys = {template: _key(template, group) for template, group in groups.items()}
    missing = [template for template in groups if keys[template] not in known]
    size = grid.size(tasks[0].tier)
    total = sum(len(groups[template]) for template in missing) * size
    done = 0

    def report(attempts: int) -> None:
        nonlocal done
        done += attempts
        if progress is not None:
            progress(done, total)

    for template in missing:
        known[keys[template]] = count_cells(grid, groups[template], backend, report)
        own = {**_read(file), keys[template]: known[keys[template]]}
        _write(file, grid, own)
    found = [known[keys[template]] for template in groups]
    return Counts(*(np.concatenate(each) for each in zip(*found, strict=True)))


def _key(template: str, tasks: Iterable[Task]) -> str:
    """A name of some tasks that changes with their scenes."""
    return f"{template}:{fingerprint(task.scene for task in tasks)[:16]}"


@cache
def _shipped(grid: Grid) -> dict[str, Counts]:
    return _read(SHIPPED / f"{grid}.json")


def _read(file: Path) -> dict[str, Counts]:
    """The counts of a file by template; none if there is no file, or another engine made it.

    Raises:
        ValueError: the file is damaged.
    """
    if not file.exists():
        return {}
    try:
        data = json.loads(file.read_text(encoding="utf-8"))
        if data["engine"] != engine_hash():
            return {}
        return {
            name: Counts(*(np.array(row, np.int64) for row in rows))
            for name, rows in data["templates"].items()
        }
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise ValueError(f"{file} is damaged: {error}; delete it") from None


def _write(file: Path, grid: Grid, counts: dict[str, Counts]) -> None:
    head = json.dumps({"grid": str(grid), "engine": engine_hash()})[:-1]
    rows = [
        f'"{name}": {json.dumps([row.tolist() for row in counts[name]], separators=(",", ":"))}'
        for name in sorted(counts)
    ]
    text = f'{head}, "templates": {{\n' + ",\n".join(rows) + "\n}}\n"
    write_whole(file, text)


def template_ceilings(tasks: Sequence[Task], counts: Counts) -> list[Ceiling]:
    """The ceiling of each template, and of all tasks together as "all"."""
    templates = np.array([task.id.template for task in tasks])
    groups = {str(name): templates == name for name in np.unique(templates)}
    groups["all"] = np.ones(len(tasks), np.bool_)
    return [_ceiling(name, Counts(*(row[own] for row in counts))) for name, own in groups.items()]


def _ceiling(template: str, counts: Counts) -> Ceiling:
    solvable = counts.solving > 0
    share = float(solvable.mean())
    curves = np.array([random_order_curve(*pair) for pair in zip(*counts, strict=True)])
    return Ceiling(
        template,
        len(solvable),
        share,
        auccess_of_curve(np.full(MAX_ATTEMPTS, share)),
        float(np.median(counts.solving[solvable])) if solvable.any() else 0.0,
        auccess_of_curve(curves.mean(axis=0)),
    )


def random_order_curve(fitting: int, solving: int) -> npt.NDArray[np.float64]:
    """[100] the chance that one of the first k of some cells in random order is a solving one."""
    tried = np.arange(MAX_ATTEMPTS)
    left = np.maximum(fitting - tried, 1)
    chance = np.clip((fitting - solving - tried) / left, 0.0, 1.0)  # that the next one fails, too
    return np.asarray(1.0 - np.cumprod(chance) if solving else np.zeros(MAX_ATTEMPTS), np.float64)


def ceiling_table(grid: str, found: Sequence[Ceiling]) -> Table:
    """What a grid of actions allows on each template."""
    rows = [
        [
            entry.template,
            str(entry.tasks),
            f"{entry.solvable:.3f}",
            f"{entry.optimal:.3f}",
            f"{entry.cells:g}",
            f"{entry.random:.3f}",
        ]
        for entry in found
    ]
    header = ["template", "tasks", "solvable", "AUCCESS of OPTIMAL", "solving cells"]
    return Table(f"Ceilings of the grid {grid}", [*header, "AUCCESS of random cells"], rows)
