"""Tasks: puzzles with a name, built when they are first asked for."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Mapping
from functools import cache
from itertools import islice
from typing import NamedTuple

from topple.phyre.authoring import ID_PATTERN, Template
from topple.phyre.draft import Value
from topple.phyre.numbering import instances, published
from topple.phyre.scene import Scene
from topple.phyre.templates import find_template
from topple.phyre.tier import Tier

PATTERN = re.compile(f"({ID_PATTERN.pattern}):([0-9]+)")
TEMPLATE_DIGITS = 5  # of the id of a published template


class TaskId(NamedTuple):
    """The name of a task: its template and its number there. Sorts like its text."""

    template: str
    number: int

    def __str__(self) -> str:
        return f"{self.template}:{self.number:03d}"

    @classmethod
    def parse(cls, text: str) -> TaskId:
        """Read an id such as ``00001:042``.

        Raises:
            ValueError: The text is no id; the message quotes it and shows the form.
        """
        match = PATTERN.fullmatch(text)
        if match is None:
            raise ValueError(f"{text!r} is no task id: write template:number, like '00001:042'")
        task_id = cls(match[1], int(match[2]))
        if str(task_id) != text:
            digits = match[1].zfill(TEMPLATE_DIGITS) if match[1].isdigit() else match[1]
            meant = str(cls(digits, task_id.number))
            raise ValueError(f"{text!r} is no task id: did you mean {meant!r}?")
        return task_id


class UnknownTaskError(LookupError):
    """No published task has this id; the message names it and the nearest one."""


class Task(NamedTuple):
    """One puzzle."""

    id: TaskId
    template: Template
    parameters: Mapping[str, Value]  # the values the scene was built from
    scene: Scene
    description: str  # what to do, in a sentence

    @property
    def tier(self) -> Tier:
        """What the player may place."""
        return self.template.tier


def load_task(task_id: TaskId | str) -> Task:
    """The published task with this id; the same object each time.

    Raises:
        ValueError: The text is no task id.
        UnknownTaskError: No published task has this id.
    """
    return _load(TaskId.parse(task_id) if isinstance(task_id, str) else task_id)


def template_tasks(template_id: str) -> tuple[Task, ...]:
    """The 100 published tasks of a template, in order."""
    return tuple(_load(task_id) for task_id in template_task_ids(template_id))


def tier_tasks(tier: Tier) -> tuple[Task, ...]:
    """The 2,500 published tasks of a tier, in order."""
    return tuple(_load(task_id) for task_id in tier_task_ids(tier))


def template_task_ids(template_id: str) -> tuple[TaskId, ...]:
    """The ids of a template's published tasks, in order, without building them."""
    template = find_template(template_id)
    return tuple(TaskId(template.id, number) for number in published(template.id).numbers)


def tier_task_ids(tier: Tier) -> tuple[TaskId, ...]:
    """The ids of a tier's published tasks, in order, without building them."""
    return tuple(
        TaskId(template_id, number)
        for template_id in tier.template_ids
        for number in published(template_id).numbers
    )


def enumerate_tasks(template: Template, limit: int | None = None) -> Iterator[Task]:
    """Build the tasks of any template in the order of their numbers.

    For a published template these are all its tasks, also those that were not
    published; for your own they are the only ones.
    """
    for instance in islice(instances(template), limit):
        yield Task(
            TaskId(template.id, instance.number),
            template,
            template.parameters(instance.tuple_number),
            instance.scene,
            instance.description,
        )


@cache
def _load(task_id: TaskId) -> Task:
    try:
        template = find_template(task_id.template)
    except LookupError as error:
        raise UnknownTaskError(f"unknown task '{task_id}': {error}") from None
    numbers, tuples = published(template.id)
    place = bisect_left(numbers, task_id.number)
    if numbers[place : place + 1] != (task_id.number,):
        nearest = min(numbers, key=lambda number: abs(number - task_id.number))
        raise UnknownTaskError(
            f"unknown task '{task_id}': it is not among the {len(numbers)} published tasks of "
            f"its template, the nearest is '{TaskId(template.id, nearest)}'"
        )
    parameters = template.parameters(tuples[place])
    made = template.make(parameters, str(task_id))
    if made is None:
        raise UnknownTaskError(f"task '{task_id}' is published but its template skips it")
    return Task(task_id, template, parameters, *made)
