"""Task sets: any choice of puzzles, in order, each built when it is first needed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from topple.phyre.authoring import Template
from topple.phyre.engine.native import SceneSet
from topple.phyre.scene import Scene
from topple.phyre.task import (
    Task,
    TaskId,
    enumerate_tasks,
    load_task,
    template_task_ids,
    tier_task_ids,
)
from topple.phyre.templates import MODULES, find_template
from topple.phyre.tier import Tier

Puzzle = TaskId | Task | Scene  # one puzzle, published or your own
Choice = Tier | Template | Puzzle | str  # what names puzzles; a str is a tier or an id
TaskKey = int | np.integer | str | Puzzle  # one puzzle of a set: its place, name or value
TaskKeys = TaskKey | Iterable[TaskKey]


class TaskSet:
    """Puzzles in order, with their names.

    Args:
        tasks: a tier, a template or its id, a task or its id, a scene, or an iterable of
            these, such as a split of a fold.
        tier: what the player places; by default that of the tasks, and one ball for bare
            scenes. With it, tasks can be played with the balls of the other tier.

    Raises:
        ValueError: if there are no tasks, a word names none, two different puzzles have
            the same name, or the tasks are of both tiers and none is given.
    """

    def __init__(self, tasks: Choice | Iterable[Choice], tier: Tier | str | None = None) -> None:
        self._puzzles = tuple(_puzzles(tasks))
        if not self._puzzles:
            raise ValueError("there are no tasks; give at least one")
        self.names = tuple(
            _name(puzzle) or f"scene {place}" for place, puzzle in enumerate(self._puzzles)
        )
        self._places: dict[str, int] = {}
        for place, name in enumerate(self.names):
            first = self._places.setdefault(name, place)
            if first != place and _scene(self._puzzles[first]) != _scene(self._puzzles[place]):
                raise ValueError(f"two different puzzles are named {name!r}; rename one")
        if tier is None:
            self.tier = _common_tier(self._puzzles)
        else:
            self.tier = Tier.parse(tier) if isinstance(tier, str) else tier

    def __len__(self) -> int:
        return len(self._puzzles)

    def __getstate__(self) -> dict[str, Any]:
        # Packed scenes belong to one process; another packs its own when it needs them.
        return {name: value for name, value in self.__dict__.items() if name != "packed"}

    def scene(self, place: int) -> Scene:
        """The scene of one puzzle, named as in ``names``.

        Raises:
            UnknownTaskError: if no published task has its id.
        """
        return _scene(self._puzzles[place])._replace(name=self.names[place])

    @cached_property
    def packed(self) -> SceneSet:
        """All scenes, checked and ready to simulate; built on first use.

        Raises:
            SceneError: if a scene breaks a rule of the engine.
            UnknownTaskError: if no published task has the id of one.
        """
        return SceneSet([self.scene(place) for place in range(len(self))])

    def find(self, task: TaskKey) -> int:
        """The place of a puzzle, counted from 0.

        Raises:
            LookupError: if it is not in the set; the message says what is.
        """
        if isinstance(task, (int, np.integer)):
            if not 0 <= task < len(self):
                raise IndexError(f"task {task}: there are tasks 0 to {len(self) - 1}")
            return int(task)
        name = task if isinstance(task, str) else _name(task)
        if name not in self._places:
            raise LookupError(
                f"task {name!r} is not among the {len(self)} of this set, "
                f"{self.names[0]!r} to {self.names[-1]!r}"
            )
        return self._places[name]

    def find_all(self, tasks: TaskKeys | None) -> npt.NDArray[np.int32]:
        """[tasks] their places; of all puzzles for None, of one for a single one."""
        if tasks is None:
            return np.arange(len(self), dtype=np.int32)
        if isinstance(tasks, np.ndarray) and tasks.dtype.kind in "iu":
            return tasks.astype(np.int32)
        if isinstance(tasks, (int, np.integer, str, TaskId, Task, Scene)):
            tasks = [tasks]
        return np.array([self.find(task) for task in tasks], dtype=np.int32)


def _puzzles(tasks: Choice | Iterable[Choice]) -> Iterator[Puzzle]:
    if isinstance(tasks, (TaskId, Task, Scene)):
        yield tasks
    elif isinstance(tasks, Tier):
        yield from tier_task_ids(tasks)
    elif isinstance(tasks, Template):
        published = tasks.id in MODULES
        yield from template_task_ids(tasks.id) if published else enumerate_tasks(tasks)
    elif isinstance(tasks, str):
        yield from _named(tasks)
    elif isinstance(tasks, Iterable):
        for choice in tasks:
            yield from _puzzles(choice)
    else:
        raise TypeError(
            f"{tasks!r} names no tasks; give a tier, a template, a task, a scene, an id, or a "
            "list of these"
        )


def _named(text: str) -> Iterator[Puzzle]:
    if ":" in text:
        yield TaskId.parse(text)
    elif text in MODULES:
        yield from template_task_ids(text)
    elif text.lower() in {tier.value for tier in Tier}:
        yield from tier_task_ids(Tier.parse(text))
    else:
        raise ValueError(
            f"{text!r} names no tasks; use a task id like '00001:042', a template id like "
            "'00001', 'ball' or 'two_balls'"
        )


def _name(puzzle: Puzzle) -> str:
    if isinstance(puzzle, Scene):
        return puzzle.name
    return str(puzzle.id if isinstance(puzzle, Task) else puzzle)


def _scene(puzzle: Puzzle) -> Scene:
    if isinstance(puzzle, TaskId):
        puzzle = load_task(puzzle)
    return puzzle.scene if isinstance(puzzle, Task) else puzzle


def _common_tier(puzzles: Iterable[Puzzle]) -> Tier:
    tiers = {puzzle.tier for puzzle in puzzles if isinstance(puzzle, Task)}
    templates = {puzzle.template for puzzle in puzzles if isinstance(puzzle, TaskId)}
    tiers |= {find_template(template).tier for template in templates}
    if len(tiers) > 1:
        raise ValueError("the tasks are of both tiers; choose one with tier=")
    return tiers.pop() if tiers else Tier.BALL
