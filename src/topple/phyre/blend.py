"""New puzzles between two tasks of a template, which the same bodies make up.

The tasks of a template differ in where bodies are, how they are tilted and how large they are. A
*blended* puzzle lies between one of them and one of its nearest: every body is so far on the way
from its place, angle and size in the one to those in the other, and all bodies are equally far. So
it looks like a further task of the template, which a *scrambled* one does not.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt

from topple.phyre.likeness import measures, parts, structure
from topple.phyre.scene import Kind
from topple.phyre.scramble import RAISE, Draft, Floats, Ints, OfTasks
from topple.phyre.task import Task

NEIGHBOURS = 10  # tasks that a task is blended with
BEYOND = 0.25  # of the way, on either side
LITTLE = 0.5  # pixels, that a body is raised first where it would overlap another


class Blended(OfTasks):
    """Scenes between two tasks of a template; see :mod:`topple.phyre.blend`.

    Args:
        tasks: of one tier; see :func:`~topple.phyre.scramble.train_tasks` for those of a fold. One
            without another like it gives no puzzles.
        solutions: numbers of listed actions that solve each task, as far as they are known. Up to
            half of the actions that are simulated on a scene are solutions of its tasks: many
            tasks have so few that others would hardly ever solve a scene between them.
    """

    name = "blended"
    is_whole = True

    def __init__(
        self, tasks: Sequence[Task], solutions: Sequence[npt.NDArray[np.int32]] = ()
    ) -> None:
        super().__init__(tasks)
        if solutions and len(solutions) != len(tasks):
            raise ValueError(
                f"there are solutions of {len(solutions)} tasks; give those of {len(tasks)}"
            )
        self._solutions = solutions
        alike: dict[tuple[object, ...], list[int]] = {}
        for number, task in enumerate(tasks):
            # Bodies of no kind have no size that could be changed.
            fixed = (body.shapes for part, body in parts(task.scene) if part.kind == Kind.UNDEFINED)
            key = (task.id.template, structure(task.scene), *fixed)
            alike.setdefault(key, []).append(number)
        groups = [group for group in alike.values() if len(group) > 1]
        if not groups:
            raise ValueError(
                "no two of the tasks are made of the same bodies; give several tasks of a template"
            )
        self._tasks = np.array([number for group in groups for number in group])
        self._near = [near for group in groups for near in _nearest(group, tasks)]

    def prefer(self, tried: npt.NDArray[np.int32], made_of: Ints, rng: np.random.Generator) -> None:
        """Put solutions of the tasks of each scene in the place of up to half of the actions."""
        if not self._solutions:
            return
        most = tried.shape[1] // 2
        for row, (task, other) in zip(tried, made_of.tolist(), strict=True):
            pool = np.union1d(self._solutions[task], self._solutions[other])
            count = min(most, len(pool))
            row[:count] = rng.choice(pool, count, replace=False, shuffle=False)

    def draw(self, count: int, rng: np.random.Generator) -> Draft:
        """Draw scenes, each between two tasks."""
        place = rng.integers(len(self._tasks), size=count)
        task = self._tasks[place]
        luck = rng.random(count).tolist()
        near = (self._near[number] for number in place.tolist())
        other = np.array(
            [pool[int(each * len(pool))] for pool, each in zip(near, luck, strict=True)]
        )
        way = rng.uniform(-BEYOND, 1 + BEYOND, count)
        scene, first = self.bodies_of(task)
        second = self.bodies_of(other)[1]
        share = way[scene]
        turn = self.pose[second] - self.pose[first]
        turn[:, 2] = (turn[:, 2] + math.pi) % (2 * math.pi) - math.pi
        pose = self.pose[first] + share[:, None] * turn
        outline = self._resized(first, second, share)
        low = np.array(self.outlines.low)
        below = low[self.outline[first]] * (1 - share) + low[self.outline[second]] * share
        # A body keeps standing on what it stands on, although sizes are whole pixels.
        pose[:, 1] += low[outline] - below
        places = [pose + np.array((0.0, raised, 0.0)) for raised in (0.0, LITTLE, RAISE)]
        return Draft(
            scene,
            np.stack([outline] * len(places), axis=1),
            np.stack(places, axis=1),
            self.dynamic[first],
            self.goal[first],
            np.stack([task, other], axis=1),
        )

    def _resized(self, first: Ints, second: Ints, share: Floats) -> npt.NDArray[np.int32]:
        """[bodies] outlines of sizes between those of two bodies."""
        outline = self.outline[first].copy()
        sizes = self.scale[first], self.scale[second]
        differ = np.flatnonzero(sizes[0] != sizes[1])
        scale = (sizes[0] + share * (sizes[1] - sizes[0]))[differ]
        least = np.minimum(*sizes)[differ] / 2
        outline[differ] = self.outlines.scaled(self.kind[first[differ]], np.maximum(scale, least))
        return outline


def _nearest(group: Sequence[int], tasks: Sequence[Task]) -> Iterator[Ints]:
    """For each task of a group, those that are most like it."""
    bodies = ([body for _, body in parts(tasks[number].scene)] for number in group)
    places = np.stack([measures(each) for each in bodies])
    distance = np.linalg.norm(places[:, None] - places, axis=2)
    np.fill_diagonal(distance, np.inf)
    for order in np.argsort(distance, axis=1, kind="stable"):
        yield np.array(group)[order[: min(NEIGHBOURS, len(group) - 1)]]
